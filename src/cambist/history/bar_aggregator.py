"""Aggregating ticks into bars: each tick counts in the bar of its minute, of its hour and of its day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from math import floor
from typing import Self

import msgspec
from msgspec import Struct

from cambist.history.bars import Bar, Interval, Ohlc, PairBar
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick

AMENDED_FOR = timedelta(minutes=1)
"""How long after its end a bar still accepts ticks of its interval."""

MOST_UNFILED = 20_000
"""How many completed bars may wait for the database; beyond it the oldest bars of a minute are dropped."""

_AMENDED_SECONDS = int(AMENDED_FOR.total_seconds())
_MINUTE = Interval.MINUTE.seconds
_STEPS = tuple((interval, interval.seconds) for interval in Interval)

_MOST = Decimal(10) ** 30
_LAST = 1 << 32
"""Limits of prices and of start times, so that a damaged file is recognised."""

_Key = tuple[Pair, Interval, int]


class _OpenSide(Struct, array_like=True):
    """One side of an open bar: first, highest, lowest and last price so far."""

    o: Decimal
    h: Decimal
    l: Decimal  # noqa: E741  as in `Ohlc`
    c: Decimal

    def __post_init__(self) -> None:
        if not all(price.is_finite() and 0 < price < _MOST for price in (self.o, self.h, self.l, self.c)):
            raise ValueError("not a price")

    def widen(self, price: Decimal) -> None:
        """Extend high or low to a price."""
        if price > self.h:
            self.h = price
        elif price < self.l:
            self.l = price

    def to_ohlc(self) -> Ohlc:
        return Ohlc(self.o, self.h, self.l, self.c)


class _OpenBar(Struct, array_like=True):
    """A bar that can still change, or that is completed and not stored yet.

    `start` is in seconds since 1970, `first` and `last` are the market times of its first and last tick. `source` is
    the source of its first tick. `is_due` is False once the bar is stored as it is.
    """

    base: str
    quote: str
    interval: Interval
    start: int
    source: str
    first: datetime
    last: datetime
    bid: _OpenSide
    ask: _OpenSide
    is_due: bool = True

    def __post_init__(self) -> None:
        if self.start % self.interval.seconds or not 0 <= self.start < _LAST or not self.base or not self.quote:
            raise ValueError("no bar starts there")
        if self.first.tzinfo is None or self.last.tzinfo is None:
            raise ValueError("a time has no zone")

    @property
    def key(self) -> _Key:
        return (Pair(self.base, self.quote), self.interval, self.start)

    @property
    def end(self) -> int:
        return self.start + self.interval.seconds

    def add(self, bid: Decimal, ask: Decimal, as_of: datetime) -> None:
        """Add a tick. By market time the earliest tick opens the bar and the latest closes it, whenever they arrive."""
        self.bid.widen(bid)
        self.ask.widen(ask)
        if as_of < self.first:
            self.first, self.bid.o, self.ask.o = as_of, bid, ask
        if as_of >= self.last:
            self.last, self.bid.c, self.ask.c = as_of, bid, ask
        self.is_due = True

    def to_bar(self) -> PairBar:
        start = datetime.fromtimestamp(self.start, UTC)
        return PairBar(Pair(self.base, self.quote), self.interval, Bar(start, self.bid.to_ohlc(), self.ask.to_ohlc()))


_decoder = msgspec.json.Decoder(list[_OpenBar])


class BarAggregator:
    """The open bars of all pairs.

    A bar of a minute has the ticks of one source, the source of its first tick, so that no two venues are mixed. Bars
    of an hour and a day have the same ticks as their minutes. `late` counts by source the ticks that came too late for
    their bar, `dropped` the bars that were dropped because they could not be stored. `revision` grows with every
    change.

    Minutes that had ended before the first tick are never started: another process may have stored them. An aggregator
    that was read with `from_bytes` continues its own.
    """

    def __init__(self) -> None:
        self.late: Counter[str] = Counter()
        self.dropped = 0
        self.revision = 0
        self._open: dict[_Key, _OpenBar] = {}
        self._done_until = 0.0  # minutes that ended before this are not started again, even if the clock is set back
        self._newest = 0.0
        self._is_new = True

    def add(self, tick: Tick, as_of: datetime, now: datetime, published: str = "") -> None:
        """Add a tick of the market time `as_of`; `published` is the source whose quotes are published now, if any.

        A tick of another source than the bar's is ignored. One that comes more than a minute after the end of its
        minute is counted as late.
        """
        moment = self._follow_clock(now)
        if self._is_new:
            self._done_until, self._is_new = moment + _AMENDED_SECONDS, False
        seconds = floor(as_of.timestamp())
        minute = seconds - seconds % _MINUTE
        minute_bar = self._open.get((tick.pair, Interval.MINUTE, minute))
        if tick.source != (minute_bar.source if minute_bar is not None else published or tick.source):
            return
        if minute + _MINUTE + _AMENDED_SECONDS <= max(moment, self._done_until):
            self.late[tick.source] += 1
            return
        for interval, length in _STEPS:
            start = seconds - seconds % length
            bar = self._open.get((tick.pair, interval, start))
            if bar is None:
                self._start(tick, interval, start, as_of)
            else:
                bar.add(tick.bid, tick.ask, as_of)
        self.revision += 1

    def _follow_clock(self, now: datetime) -> float:
        """Return the seconds since 1970 of `now`, after making up for a clock that was set back.

        Bars that lie ahead were made of ticks with wrong times and are dropped. Minutes that had begun may be archived,
        so they are not begun again; without this every minute would be too late until the clock has caught up.
        """
        moment = now.timestamp()
        if moment < self._newest - _MINUTE:
            self._done_until = min(self._done_until, moment + _MINUTE + _AMENDED_SECONDS)
            for key in [one.key for one in self._open.values() if one.start > moment]:
                del self._open[key]
                self.revision += 1
            self._newest = moment
        self._newest = max(self._newest, moment)
        return moment

    def _start(self, tick: Tick, interval: Interval, start: int, as_of: datetime) -> None:
        bid, ask = (_OpenSide(price, price, price, price) for price in (tick.bid, tick.ask))
        bar = _OpenBar(tick.pair.base, tick.pair.quote, interval, start, tick.source, as_of, as_of, bid, ask)
        self._open[bar.key] = bar

    def completed(self, now: datetime) -> list[PairBar]:
        """Return the bars that have ended and are not stored as they are now, the oldest first."""
        moment = self._follow_clock(now)
        due = [bar for bar in self._open.values() if bar.is_due and bar.end <= moment]
        due.sort(key=lambda bar: bar.end)
        return [bar.to_bar() for bar in self._within_limit(due)]

    def _within_limit(self, due: list[_OpenBar]) -> list[_OpenBar]:
        """Drop the oldest bars of a minute if too many wait. Their ticks remain in the bars of the hour and the day."""
        excess = len(due) - MOST_UNFILED
        if excess <= 0:
            return due
        keys = {bar.key for bar in [one for one in due if one.interval is Interval.MINUTE][:excess]}
        for key in keys:
            self._forget(self._open[key])
        self.dropped += len(keys)
        return [bar for bar in due if bar.key not in keys]

    def mark_filed(self, bars: Iterable[PairBar], now: datetime) -> None:
        """Record that bars were stored. Stored bars that no tick can change any more are removed."""
        for each in bars:
            bar = self._open.get((each.pair, each.interval, int(each.bar.start.timestamp())))
            if bar is not None and bar.to_bar() == each:
                bar.is_due = False
                self.revision += 1
        moment = now.timestamp() - _AMENDED_SECONDS
        for bar in [one for one in self._open.values() if not one.is_due and one.end <= moment]:
            self._forget(bar)

    def drop_completed(self, before: datetime) -> None:
        """Remove the bars that ended before a moment, stored or not: another process stores its own of them."""
        moment = before.timestamp()
        for bar in [one for one in self._open.values() if one.end <= moment]:
            self._forget(bar)

    def _forget(self, bar: _OpenBar) -> None:
        del self._open[bar.key]
        self.revision += 1
        if bar.interval is Interval.MINUTE:
            self._done_until = max(self._done_until, bar.end + _AMENDED_SECONDS)

    def to_bytes(self) -> bytes:
        """Return the open bars, and the completed ones that are not stored, as bytes for `from_bytes`."""
        return msgspec.json.encode(list(self._open.values()))

    @classmethod
    def from_bytes(cls, content: bytes) -> Self | None:
        """Return the aggregator that `to_bytes` wrote; None if the content cannot be read."""
        try:
            bars = _decoder.decode(content)
        except (ValueError, RecursionError):
            return None
        aggregator = cls()
        aggregator._open, aggregator._is_new = {one.key: one for one in bars}, False
        return aggregator
