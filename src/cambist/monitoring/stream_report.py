"""The report on the stream: written by its process every few seconds, shown on the operator's port."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

REPORT_EVERY = 5.0
"""Seconds between two reports."""

_SILENT_AFTER = timedelta(seconds=20)


class StreamReport(msgspec.Struct, frozen=True):
    """What the stream does at a moment.

    `listens` says whether it has its port, `connections` how many sockets are open, `subscribers` how many of them
    have brought a key, `pairs` what they listen to. `prices` and `lost` count since its process began: prices written,
    and connections ended because nobody was there any more.
    """

    written_at: datetime
    listens: bool
    connections: int
    subscribers: int
    pairs: int
    prices: int
    lost: int


@dataclass(frozen=True, slots=True)
class StreamMetrics(Collector):
    """The last report as metrics, and what the stream lacks; read when they are asked for."""

    read: Callable[[], StreamReport | None]
    clock: Callable[[], datetime]

    def wanting(self) -> list[str]:
        """Say what the stream does not do that it should."""
        report = self.read()
        if report is None:
            return ["the stream has not begun yet"]
        age = self.clock() - report.written_at
        if age > _SILENT_AFTER:
            return [f"the stream has been silent for {int(age.total_seconds())} s"]
        return [] if report.listens else ["the stream cannot listen on its port"]

    def collect(self) -> Iterator[Metric]:
        """Give the report's figures and its age."""
        report = self.read()
        if report is None:
            return
        gauges = {
            "listens": ("1 while it has its port", int(report.listens)),
            "connections": ("Open connections", report.connections),
            "subscribers": ("Connections that have brought a key", report.subscribers),
            "pairs": ("Pairs that somebody listens to", report.pairs),
            "report_age_seconds": ("Age of these figures", (self.clock() - report.written_at).total_seconds()),
        }
        counters = {
            "prices": ("Prices written since its process began", report.prices),
            "lost": ("Connections ended because nobody was there any more", report.lost),
        }
        for kind, figures in ((GaugeMetricFamily, gauges), (CounterMetricFamily, counters)):
            for name, (says, value) in figures.items():
                yield kind(f"cambist_stream_{name}", f"Stream: {says[0].lower()}{says[1:]}", value=value)
