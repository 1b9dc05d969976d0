"""The messages of OTLP: spans, and the metrics of a Prometheus registry. Needs the extra `otlp`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isinf
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.metrics.v1 import metrics_pb2 as otlp_metrics
from opentelemetry.proto.trace.v1 import trace_pb2 as otlp_trace
from prometheus_client.core import Metric
from prometheus_client.samples import Sample

from cambist.monitoring.otlp.spans import RequestSpan

_SCOPE = "cambist"
_CUMULATIVE = otlp_metrics.AGGREGATION_TEMPORALITY_CUMULATIVE


def traces_message(spans: Iterable[RequestSpan], resource: Mapping[str, str]) -> bytes:
    """Return the message that exports spans of the service that `resource` describes."""
    message = ExportTraceServiceRequest()
    of_resource = message.resource_spans.add()
    of_resource.resource.attributes.extend(_attributes(resource))
    of_scope = of_resource.scope_spans.add()
    of_scope.scope.name = _SCOPE
    for span in spans:
        written = of_scope.spans.add(
            trace_id=span.trace,
            span_id=span.number,
            parent_span_id=span.parent,
            name=f"{span.method} {span.route}" if span.route else span.method,
            kind=otlp_trace.Span.SPAN_KIND_SERVER,
            start_time_unix_nano=span.begun,
            end_time_unix_nano=span.ended,
        )
        written.attributes.extend(_attributes(_of_span(span)))
        if span.status >= 500:
            written.status.code = otlp_trace.Status.STATUS_CODE_ERROR
    return bytes(message.SerializeToString())


def _of_span(span: RequestSpan) -> dict[str, str | int]:
    named: dict[str, str | int] = {
        "http.request.method": span.method,
        "url.path": span.path,
        "http.response.status_code": span.status,
        "cambist.request_id": span.request_id,
    }
    return named | ({"http.route": span.route} if span.route else {})


def metrics_message(metrics: Iterable[Metric], resource: Mapping[str, str], began: int, now: int) -> bytes:
    """Return the message that exports metrics as they are `now`; times in nanoseconds since 1970.

    Counters and histograms are cumulative since `began`; a metric of another kind is a gauge of each sample.
    """
    message = ExportMetricsServiceRequest()
    of_resource = message.resource_metrics.add()
    of_resource.resource.attributes.extend(_attributes(resource))
    of_scope = of_resource.scope_metrics.add()
    of_scope.scope.name = _SCOPE
    for metric in metrics:
        written = otlp_metrics.Metric(name=metric.name, description=metric.documentation)
        if metric.type == "counter":
            written.sum.is_monotonic = True
            written.sum.aggregation_temporality = _CUMULATIVE
            for sample in metric.samples:
                if sample.name == f"{metric.name}_total":
                    _add_number(written.sum.data_points, sample, began, now)
        elif metric.type == "histogram":
            written.histogram.aggregation_temporality = _CUMULATIVE
            _add_histograms(written.histogram.data_points, metric, began, now)
        else:
            for sample in metric.samples:
                _add_number(written.gauge.data_points, sample, 0, now)
        of_scope.metrics.append(written)
    return bytes(message.SerializeToString())


def _add_number(points: Any, sample: Sample, began: int, now: int) -> None:
    point = points.add(start_time_unix_nano=began, time_unix_nano=now, as_double=sample.value)
    point.attributes.extend(_attributes(sample.labels))


def _add_histograms(points: Any, metric: Metric, began: int, now: int) -> None:
    """Add a point for each set of labels: OTLP counts each bucket for itself, and Prometheus all up to it."""
    buckets: dict[tuple[tuple[str, str], ...], list[tuple[float, float]]] = {}
    sums: dict[tuple[tuple[str, str], ...], float] = {}
    for sample in metric.samples:
        labels = tuple(sorted((name, value) for name, value in sample.labels.items() if name != "le"))
        if sample.name.endswith("_bucket"):
            buckets.setdefault(labels, []).append((float(sample.labels["le"]), sample.value))
        elif sample.name.endswith("_sum"):
            sums[labels] = sample.value
    for labels, of_labels in buckets.items():
        in_order = sorted(of_labels)
        counts = [int(count) for _, count in in_order]
        point = points.add(start_time_unix_nano=began, time_unix_nano=now, count=counts[-1], sum=sums.get(labels, 0.0))
        point.explicit_bounds.extend(bound for bound, _ in in_order if not isinf(bound))
        point.bucket_counts.extend(count - before for before, count in zip([0, *counts], counts, strict=False))
        point.attributes.extend(_attributes(dict(labels)))


def _attributes(values: Mapping[str, str | int]) -> Iterable[KeyValue]:
    for name, value in values.items():
        written = AnyValue(int_value=value) if isinstance(value, int) else AnyValue(string_value=value)
        yield KeyValue(key=name, value=written)
