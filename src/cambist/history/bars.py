"""Bars: open, high, low and close of bid and ask in a minute, an hour or a day (UTC)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple, Protocol

from msgspec import Struct

from cambist.pricing.pair import Pair


class Interval(StrEnum):
    """The length of a bar, as an ISO 8601 duration."""

    MINUTE = "PT1M"
    HOUR = "PT1H"
    DAY = "P1D"

    @property
    def length(self) -> timedelta:
        """The time from a bar's start to its end."""
        return _LENGTHS[self]

    @property
    def seconds(self) -> int:
        """The time from a bar's start to its end, in seconds."""
        return _SECONDS[self]


_LENGTHS = {
    Interval.MINUTE: timedelta(minutes=1),
    Interval.HOUR: timedelta(hours=1),
    Interval.DAY: timedelta(days=1),
}
_SECONDS = {interval: int(length.total_seconds()) for interval, length in _LENGTHS.items()}


class Ohlc(Struct, frozen=True):
    """One side of a bar: first, highest, lowest and last price, with the digits of the source."""

    o: Decimal
    h: Decimal
    l: Decimal  # noqa: E741  the usual name
    c: Decimal


class Bar(Struct, frozen=True):
    """Bid and ask of a pair from `start` (UTC) to the end of the interval."""

    start: datetime
    bid: Ohlc
    ask: Ohlc


class PairBar(NamedTuple):
    """A bar with its pair and interval."""

    pair: Pair
    interval: Interval
    bar: Bar


class BarReader(Protocol):
    """Reads completed bars. There is no bar for an interval without quotes."""

    def newest_bars(
        self, pair: Pair, interval: Interval, start: datetime | None, end: datetime | None, limit: int
    ) -> list[Bar]:
        """Return the newest `limit` bars with start <= bar.start < end, newest first. Errors: StoreBroken."""

    def first_starts(self, interval: Interval) -> Mapping[Pair, datetime]:
        """Return the start of each pair's first bar. Errors: StoreBroken."""


class BarStore(BarReader, Protocol):
    """A store of completed bars."""

    def file(self, bars: Iterable[PairBar]) -> None:
        """Store all bars or none of them. A bar replaces an earlier one of the same interval. Errors: StoreBroken."""

    def file_missing(self, bars: Iterable[PairBar]) -> None:
        """Store those bars of whose interval none is stored, all or none of them. Errors: StoreBroken."""

    def delete_before(self, interval: Interval, before: datetime) -> int:
        """Remove the bars that start before a moment and return their number. Errors: StoreBroken."""


class _NoBars:
    """A store without bars."""

    def newest_bars(
        self, _pair: Pair, _interval: Interval, _start: datetime | None, _end: datetime | None, _limit: int
    ) -> list[Bar]:
        return []

    def first_starts(self, _interval: Interval) -> Mapping[Pair, datetime]:
        return {}

    def file(self, _bars: Iterable[PairBar]) -> None:
        return

    def file_missing(self, _bars: Iterable[PairBar]) -> None:
        return

    def delete_before(self, _interval: Interval, _before: datetime) -> int:
        return 0


NO_BARS: BarStore = _NoBars()
"""The store of a service without bars."""
