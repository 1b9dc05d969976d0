"""Metrics of requests: the API workers count them, and each scrape adds up their counts."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter_ns

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from cambist.api.faces.mcp import PATH as TOOLS_PATH
from cambist.errors import StoreBroken
from cambist.registry.wiring.components import endpoints, posted_endpoints
from cambist.settings import Settings
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.usage.request_counters import BOUNDS, RequestCounts

_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
"""Where Linux lists its connections; on other systems they are not counted."""

_ESTABLISHED = "01"

log = logging.getLogger(__name__)


def open_request_counts(settings: Settings) -> RequestCounts | None:
    """Open the request counters; None, with a warning, if that fails: nothing else depends on them."""
    paths = [*(endpoint.path for endpoint in endpoints()), *(each.path for each in posted_endpoints()), TOOLS_PATH]
    try:
        return RequestCounts(DataDirectory(settings.data).requests, paths, settings.workers * (settings.threads + 1))
    except StoreBroken as broken:
        log.warning("Metrics: requests are not counted: %s", broken)
        return None


@dataclass(frozen=True, slots=True)
class RequestMetrics(Collector):
    """Requests by endpoint and status, their durations, cached answers, requests in flight, and connections."""

    counts: RequestCounts
    port: int

    def collect(self) -> Iterator[Metric]:
        """Add up the counts of all threads of all workers."""
        requests = CounterMetricFamily("cambist_http_requests", "Requests answered", labels=["endpoint", "status"])
        kept = CounterMetricFamily("cambist_http_kept_answers", "Answers from the cache", labels=["endpoint"])
        took = HistogramMetricFamily(
            "cambist_http_request_duration_seconds", "Seconds from a request to its answer", labels=["endpoint"]
        )
        bounds = [*(str(bound) for bound in BOUNDS), "+Inf"]
        for figures in self.counts.figures():
            for status, count in figures.by_status.items():
                requests.add_metric([figures.endpoint, str(status or "other")], count)
            kept.add_metric([figures.endpoint], figures.cached)
            took.add_metric([figures.endpoint], list(zip(bounds, figures.buckets, strict=True)), figures.seconds)
        in_flight = GaugeMetricFamily("cambist_http_requests_in_flight", "Requests that are being answered")
        in_flight.add_metric([], self.counts.in_flight(perf_counter_ns()))
        yield from (requests, kept, took, in_flight)
        if any(table.exists() for table in _TABLES):
            connections = GaugeMetricFamily("cambist_http_connections", "Open connections of clients")
            connections.add_metric([], _connections(self.port))
            yield connections


def _connections(port: int) -> int:
    """Count the established connections to a local port."""
    rows = [line.split() for table in _TABLES if table.exists() for line in table.read_text().splitlines()[1:]]
    return sum(row[1].endswith(f":{port:04X}") and row[3] == _ESTABLISHED for row in rows)
