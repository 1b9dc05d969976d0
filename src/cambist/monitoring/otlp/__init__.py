"""Traces and metrics sent to an OpenTelemetry collector, as protobuf over HTTP (OTLP 1).

`spans` makes traces of requests and `messages` writes them and the metrics; `exporter` sends both in a thread.
"""
