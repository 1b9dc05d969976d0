"""Bars: how a pair was quoted through a minute, an hour or a day, UTC, each side by itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple, Protocol

from cambist.pricing.pair import Pair


class Interval(StrEnum):
    """How long a bar is, as ISO 8601 writes it."""

    MINUTE = "PT1M"
    HOUR = "PT1H"
    DAY = "P1D"

    @property
    def length(self) -> timedelta:
        """The time from a bar's start to its end."""
        return _LENGTHS[self]

    @property
    def seconds(self) -> int:
        """The same in seconds."""
        return _SECONDS[self]


_LENGTHS = {
    Interval.MINUTE: timedelta(minutes=1),
    Interval.HOUR: timedelta(hours=1),
    Interval.DAY: timedelta(days=1),
}
_SECONDS = {interval: int(length.total_seconds()) for interval, length in _LENGTHS.items()}


@dataclass(frozen=True, slots=True)
class Ohlc:
    """One side of a bar: first, highest, lowest and last price, in the digits that came."""

    o: Decimal
    h: Decimal
    l: Decimal  # noqa: E741  what everybody calls it
    c: Decimal


@dataclass(frozen=True, slots=True)
class Bar:
    """How both sides of a pair moved from `start` (UTC) to the end of the interval."""

    start: datetime
    bid: Ohlc
    ask: Ohlc


class PairBar(NamedTuple):
    """A bar with what it is of."""

    pair: Pair
    interval: Interval
    bar: Bar


class BarStore(Protocol):
    """Where closed bars are kept. A bar is where something was quoted: none is invented, and none carried."""

    def newest_bars(
        self, pair: Pair, interval: Interval, start: datetime | None, end: datetime | None, limit: int
    ) -> list[Bar]:
        """Give the newest `limit` bars with start <= bar.start < end, newest first. Errors: StoreBroken."""

    def first_starts(self, interval: Interval) -> Mapping[Pair, datetime]:
        """Give each pair's first bar's start. Errors: StoreBroken."""

    def file(self, bars: Iterable[PairBar]) -> None:
        """File bars, all or none, each in place of what was filed for its interval before. Errors: StoreBroken."""

    def delete_before(self, interval: Interval, before: datetime) -> int:
        """Remove the bars that start before a moment; give how many there were. Errors: StoreBroken."""


class _NoBars:
    """Where nothing is kept."""

    def newest_bars(
        self, _pair: Pair, _interval: Interval, _start: datetime | None, _end: datetime | None, _limit: int
    ) -> list[Bar]:
        return []

    def first_starts(self, _interval: Interval) -> Mapping[Pair, datetime]:
        return {}

    def file(self, _bars: Iterable[PairBar]) -> None:
        return

    def delete_before(self, _interval: Interval, _before: datetime) -> int:
        return 0


NO_BARS: BarStore = _NoBars()
"""Bars of which there are none."""
