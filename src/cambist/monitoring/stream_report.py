"""The report on the stream: its process writes it every few seconds, and the operator's port shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

REPORT_EVERY = 5.0
"""Seconds between two reports."""

_SILENT_AFTER = timedelta(seconds=20)


class StreamReport(msgspec.Struct, frozen=True):
    """The state of the stream at a moment.

    `listens` is whether it has its port, `connections` the number of open sockets, `subscribers` how many of them have
    authenticated, and `pairs` the number of pairs that they have subscribed to. `prices` and `lost` are counted since
    the process started: prices sent, and connections closed because their client did not answer.
    """

    written_at: datetime
    listens: bool
    connections: int
    subscribers: int
    pairs: int
    prices: int
    lost: int


def join_reports(reports: Sequence[StreamReport | None]) -> StreamReport | None:
    """Return the report on all stream processes, as old as the oldest of theirs; None if one has none yet."""
    found = [report for report in reports if report is not None]
    if not found or len(found) < len(reports):
        return None
    return StreamReport(
        min(report.written_at for report in found),
        all(report.listens for report in found),
        *(sum(getattr(report, name) for report in found) for name in StreamReport.__struct_fields__[2:]),
    )


@dataclass(frozen=True, slots=True)
class StreamMetrics(Collector):
    """The last report as metrics, and the problems of the stream; the report is read at each use."""

    read: Callable[[], StreamReport | None]
    clock: Callable[[], datetime]

    def problems(self) -> list[str]:
        """Return what is wrong with the stream."""
        report = self.read()
        if report is None:
            return ["the stream has not begun yet"]
        age = self.clock() - report.written_at
        if age > _SILENT_AFTER:
            return [f"the stream has been silent for {int(age.total_seconds())} s"]
        return [] if report.listens else ["the stream cannot listen on its port"]

    def collect(self) -> Iterator[Metric]:
        """Yield the figures of the report, and its age."""
        report = self.read()
        if report is None:
            return
        gauges = {
            "listens": ("1 while it has its port", int(report.listens)),
            "connections": ("Open connections", report.connections),
            "subscribers": ("Connections that have authenticated", report.subscribers),
            "pairs": ("Pairs that are subscribed to", report.pairs),
            "report_age_seconds": ("Age of these figures", (self.clock() - report.written_at).total_seconds()),
        }
        counters = {
            "prices": ("Prices sent since its process started", report.prices),
            "lost": ("Connections closed because their client did not answer", report.lost),
        }
        for kind, figures in ((GaugeMetricFamily, gauges), (CounterMetricFamily, counters)):
            for name, (help_text, value) in figures.items():
                yield kind(f"cambist_stream_{name}", f"Stream: {help_text[0].lower()}{help_text[1:]}", value=value)
