"""The page of metrics, in Prometheus' text format or as OpenMetrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from prometheus_client import REGISTRY, make_wsgi_app
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

UNITS = ("seconds", "bytes")
"""The units that names of metrics end with."""


@dataclass(frozen=True, slots=True)
class MetricsWithUnits(Collector):
    """The metrics of a registry, each with the unit that its name ends with."""

    registry: Collector

    def collect(self) -> Iterator[Metric]:
        """Yield each metric."""
        for metric in self.registry.collect():
            metric.unit = next((unit for unit in UNITS if metric.name.endswith(f"_{unit}")), metric.unit)
            yield metric


def metrics_page(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    """Answer a request for the metrics of this process: OpenMetrics for `Accept: application/openmetrics-text`."""
    body: Iterable[bytes] = _page(environ, start)
    return body


_page = make_wsgi_app(MetricsWithUnits(REGISTRY))
