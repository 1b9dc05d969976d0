"""What the operator's port shows: whether the service lives, whether it is ready, and its metrics."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from prometheus_client import make_wsgi_app
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from cambist.monitoring.health_http import LOOPBACK, answer, listen
from cambist.status.source_report import Condition, SourceReports

log = logging.getLogger(__name__)

Clock = Callable[[], datetime]
Read = Callable[[], SourceReports | None]
FindProblems = Callable[[], Iterable[str]]

_SILENT_AFTER = timedelta(seconds=15)
"""The bulletin comes every second: one this old means that nobody gathers."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether the service does all that it should, and what it does not."""

    ready: bool
    wanting: tuple[str, ...]


def readiness(
    source_reports: SourceReports | None, now: datetime, *, asks: bool, more: Iterable[str] = ()
) -> Readiness:
    """Judge by the last bulletin, and what `more` is wanting. A service that asks nobody is ready with what it has."""
    wanting = [*more]
    if asks and source_reports is None:
        wanting.append("no source has been asked yet")
    elif asks and source_reports is not None:
        if now - source_reports.written_at > _SILENT_AFTER:
            wanting.append(f"ingest has been silent for {int((now - source_reports.written_at).total_seconds())} s")
        enabled = [report for report in source_reports.reports if report.enabled]
        if enabled and all(report.condition(now) in (Condition.FAILING, Condition.WAITING) for report in enabled):
            wanting.append("no source answers")
    return Readiness(not wanting, tuple(wanting))


@dataclass(frozen=True, slots=True)
class SourceMetrics(Collector):
    """The bulletin as metrics, read when they are asked for."""

    read: Read
    clock: Clock

    def collect(self) -> Iterator[Metric]:
        """Give every source's condition, lag, failures, quarantine and ticks, and the book's version and age."""
        source_reports, now = self.read(), self.clock()
        if source_reports is None:
            return
        yield from _of_sources(source_reports, now)
        version = GaugeMetricFamily("cambist_book_version", "Version of the newest book")
        version.add_metric([], source_reports.book_version)
        yield version
        if source_reports.book_at is not None:
            age = GaugeMetricFamily("cambist_book_age_seconds", "Seconds since the newest book was published")
            age.add_metric([], (now - source_reports.book_at).total_seconds())
            yield age


def _of_sources(source_reports: SourceReports, now: datetime) -> Iterator[Metric]:
    condition = GaugeMetricFamily("cambist_source_condition", "1 for the source's condition", labels=["source", "is"])
    lag = GaugeMetricFamily("cambist_source_lag_seconds", "Age of the newest heard of it", labels=["source"])
    failures = GaugeMetricFamily("cambist_source_failures", "Failures since its last success", labels=["source"])
    waiting = GaugeMetricFamily("cambist_source_quarantined", "Fixings that wait in quarantine", labels=["source"])
    ticks = CounterMetricFamily("cambist_source_ticks", "Ticks taken", labels=["source"])
    refused = CounterMetricFamily("cambist_source_ticks_refused", "Ticks refused", labels=["source", "reason"])
    for report in source_reports.reports:
        condition.add_metric([report.key, report.condition(now)], 1)
        failures.add_metric([report.key], report.failures)
        waiting.add_metric([report.key], report.waiting)
        ticks.add_metric([report.key], report.ticks)
        age = report.lag(now)
        if age is not None:
            lag.add_metric([report.key], age.total_seconds())
        for reason, count in report.refused.items():
            refused.add_metric([report.key, reason], count)
    yield from (condition, lag, failures, waiting, ticks, refused)


def serve_health(
    port: int, read: Read, clock: Clock, *, asks: bool, more: FindProblems = tuple, host: str = "localhost"
) -> None:
    """Listen on 127.0.0.1 in threads of their own; a port that is taken is said and does no harm.

    `more` says what else is wanting; `host` is a name under which it may be asked, beside loopback's.
    """
    metrics = make_wsgi_app()

    def application(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        if path == "/health/live":
            return answer(start, "200 OK", {"live": True})
        if path == "/health/ready":
            found = readiness(read(), clock(), asks=asks, more=more())
            return answer(start, "200 OK" if found.ready else "503 Service Unavailable", found)
        if path == "/metrics":
            given: Iterable[bytes] = metrics(environ, start)
            return given
        return answer(start, "404 Not Found", {"error": "There are /health/live, /health/ready and /metrics"})

    try:
        server = listen(port, application, LOOPBACK | {host})
    except OSError as error:
        log.warning("Operator's port: cannot listen on 127.0.0.1 port %d: %s", port, error.strerror)
        return
    threading.Thread(target=server.serve_forever, name="operator", daemon=True).start()
