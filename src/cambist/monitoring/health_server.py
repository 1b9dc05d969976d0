"""The operator's port: health checks and metrics."""

from __future__ import annotations

import logging
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from time import sleep
from typing import Any
from wsgiref.simple_server import WSGIServer

import msgspec
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from cambist.history.dispute import Disputes
from cambist.monitoring.health_http import LOOPBACK, Application, answer, answer_wrong_method, listen
from cambist.monitoring.metrics_page import metrics_page
from cambist.settings import is_loopback, url_host
from cambist.status.network import no_network
from cambist.status.source_report import Condition, SourceReports

log = logging.getLogger(__name__)

Clock = Callable[[], datetime]
ReadSourceReports = Callable[[], SourceReports | None]
FindProblems = Callable[[], Iterable[str]]

_SILENT_AFTER = timedelta(seconds=15)
"""Source reports come every second: if they are this old, the ingest process does not run."""

_RETRY_SECONDS = 1.0
"""Seconds until a port that is taken is tried again."""

_PATHS = ("/health/live", "/health/ready", "/health/traffic", "/metrics")


class Readiness(msgspec.Struct, frozen=True):
    """Whether the service is ready, and if not, why."""

    ready: bool
    problems: tuple[str, ...]


def readiness(
    source_reports: SourceReports | None, now: datetime, *, polls_sources: bool, other_problems: Iterable[str] = ()
) -> Readiness:
    """Return whether the service is ready, by its last source reports. One that polls no sources is always ready."""
    problems = [*other_problems]
    if polls_sources and source_reports is None:
        problems.append("no source has been asked yet")
    elif polls_sources and source_reports is not None:
        if now - source_reports.written_at > _SILENT_AFTER:
            problems.append(f"ingest has been silent for {int((now - source_reports.written_at).total_seconds())} s")
        enabled = [report for report in source_reports.reports if report.enabled]
        if found := no_network(source_reports):
            problems.append(found.sentence)
        elif enabled and all(report.condition(now) in (Condition.FAILING, Condition.WAITING) for report in enabled):
            problems.append("no source answers")
    return Readiness(not problems, tuple(problems))


def traffic_problems(source_reports: SourceReports | None, now: datetime, oldest: timedelta) -> list[str]:
    """Return why requests should not be sent here, by the age of the rate book: above `oldest`, prices are refused.

    The book of a service whose sources publish once a day is never too old.
    """
    if source_reports is None or source_reports.book_at is None:
        return []
    is_live = any(report.enabled and report.pace == "realtime" for report in source_reports.reports)
    age = now - source_reports.book_at
    return [f"the prices are {int(age.total_seconds())} s old"] if is_live and age > oldest else []


@dataclass(frozen=True, slots=True)
class SourceMetrics(Collector):
    """The last source reports as metrics; they are read at each scrape."""

    read: ReadSourceReports
    clock: Clock

    def collect(self) -> Iterator[Metric]:
        """Yield each source's condition, lag, failures, held fixings and ticks, the rate book's age, and disputes."""
        source_reports, now = self.read(), self.clock()
        if source_reports is None:
            return
        yield from _source_metrics(source_reports, now)
        version = GaugeMetricFamily("cambist_book_version", "Version of the newest rate book")
        version.add_metric([], source_reports.book_version)
        yield version
        if source_reports.book_at is not None:
            age = GaugeMetricFamily("cambist_book_age_seconds", "Seconds since the newest rate book was published")
            age.add_metric([], (now - source_reports.book_at).total_seconds())
            yield age
        yield from _dispute_metrics(source_reports.disputes, now)


def _source_metrics(source_reports: SourceReports, now: datetime) -> Iterator[Metric]:
    condition = GaugeMetricFamily("cambist_source_condition", "1 for the source's condition", labels=["source", "is"])
    lag = GaugeMetricFamily("cambist_source_lag_seconds", "Age of its newest quote or fixing", labels=["source"])
    failures = GaugeMetricFamily("cambist_source_failures", "Failures since its last success", labels=["source"])
    held = GaugeMetricFamily("cambist_source_held", "Newest fixings that are held", labels=["source"])
    held_for = GaugeMetricFamily(
        "cambist_source_held_seconds",
        "Since the day of the first fixing that is still held",
        labels=["source"],
    )
    ticks = CounterMetricFamily("cambist_source_ticks", "Ticks accepted", labels=["source"])
    refused = CounterMetricFamily("cambist_source_ticks_refused", "Ticks refused", labels=["source", "reason"])
    for report in source_reports.reports:
        condition.add_metric([report.key, report.condition(now)], 1)
        failures.add_metric([report.key], report.failures)
        held.add_metric([report.key], report.held)
        if report.held_since is not None:
            held_for.add_metric([report.key], _seconds_since(report.held_since, now))
        ticks.add_metric([report.key], report.ticks)
        age = report.lag(now)
        if age is not None:
            lag.add_metric([report.key], age.total_seconds())
        for reason, count in report.refused.items():
            refused.add_metric([report.key, reason], count)
    yield from (condition, lag, failures, held, held_for, ticks, refused)


def _dispute_metrics(disputes: Disputes, now: datetime) -> Iterator[Metric]:
    total = GaugeMetricFamily("cambist_disputes", "Codes that sources disagree about")
    total.add_metric([], disputes.total)
    yield total
    oldest = GaugeMetricFamily("cambist_dispute_oldest_seconds", "Since the day on which the oldest dispute began")
    oldest.add_metric([], _seconds_since(disputes.disputes[0].since, now) if disputes.disputes else 0)
    yield oldest


def _seconds_since(day: date, now: datetime) -> float:
    return max((now - datetime.combine(day, time(), UTC)).total_seconds(), 0.0)


@dataclass(frozen=True, slots=True)
class HealthApplication:
    """Health checks and metrics as a WSGI application.

    `polls_sources` is whether the service asks sources, `other_problems` returns further problems, and
    `traffic_problems` why no requests should be sent here.
    """

    read: ReadSourceReports
    clock: Clock
    polls_sources: bool
    other_problems: FindProblems = tuple
    traffic_problems: FindProblems = tuple

    def readiness(self) -> Readiness:
        """Return whether the service is ready now."""
        problems = self.other_problems()
        return readiness(self.read(), self.clock(), polls_sources=self.polls_sources, other_problems=problems)

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request."""
        path = environ.get("PATH_INFO", "")
        if path not in _PATHS:
            return answer(start, "404 Not Found", {"error": f"There are {', '.join(_PATHS[:-1])} and {_PATHS[-1]}"})
        if environ.get("REQUEST_METHOD", "GET") not in ("GET", "HEAD"):
            return answer_wrong_method(start, "GET, HEAD")
        if path == "/health/live":
            return answer(start, "200 OK", {"live": True})
        if path == "/health/ready":
            found = self.readiness()
            return answer(start, "200 OK" if found.ready else "503 Service Unavailable", found)
        if path == "/health/traffic":
            problems = tuple(self.traffic_problems())
            status = "503 Service Unavailable" if problems else "200 OK"
            return answer(start, status, {"traffic": not problems, "problems": problems})
        return metrics_page(environ, start)


def serve_operator_port(
    port: int,
    application: Application,
    host: str = "localhost",
    *,
    address: str = "127.0.0.1",
    certificate: ssl.SSLContext | None = None,
) -> None:
    """Serve an application on an address in threads, with a certificate by HTTPS.

    A port that is taken is logged once, and used as soon as it is free. On loopback, `host` is a host name that
    requests may use, besides those of loopback. On other addresses they may use any: there a token keeps web pages from
    reading the answers.
    """
    names = LOOPBACK | {url_host(host).lower()} if is_loopback(address) else None
    begin = partial(listen, address, port, application, names, certificate)
    try:
        server = begin()
    except OSError as error:
        log.warning("Operator's port: cannot listen on %s port %d: %s", address, port, error.strerror)
        server = None
    threading.Thread(target=_serve, args=(server, begin), name="operator", daemon=True).start()


def _serve(server: WSGIServer | None, begin: Callable[[], WSGIServer]) -> None:
    while server is None:
        sleep(_RETRY_SECONDS)
        with suppress(OSError):
            server = begin()
            log.info("Operator's port: listening on port %d now", server.server_port)
    server.serve_forever()
