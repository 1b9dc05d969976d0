"""Folding: ticks become bars of a minute, an hour and a day at once."""

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
"""How long after its end a bar still takes ticks of its time."""

MOST_UNFILED = 20_000
"""How many bars wait where they cannot be filed; beyond it the oldest minutes are given up."""

_AMENDED_SECONDS = int(AMENDED_FOR.total_seconds())
_MINUTE = Interval.MINUTE.seconds
_STEPS = tuple((interval, interval.seconds) for interval in Interval)

_MOST = Decimal(10) ** 30
_LAST = 1 << 32
"""What no price and no start of a bar reaches."""

_Key = tuple[Pair, Interval, int]


class _Side(Struct, array_like=True):
    """One side of a bar that forms."""

    o: Decimal
    h: Decimal
    l: Decimal  # noqa: E741  as in `Ohlc`
    c: Decimal

    def __post_init__(self) -> None:
        if not all(price.is_finite() and 0 < price < _MOST for price in (self.o, self.h, self.l, self.c)):
            raise ValueError("that is no price")

    def widen(self, price: Decimal) -> None:
        """Let high and low reach a price."""
        if price > self.h:
            self.h = price
        elif price < self.l:
            self.l = price

    def given(self) -> Ohlc:
        return Ohlc(self.o, self.h, self.l, self.c)


class _Forming(Struct, array_like=True):
    """A bar that forms, or waits to be filed: from the first of its ticks to the last, by the market's time.

    `start` is in seconds since 1970; `source` is whose ticks began it; `is_due` says that it was not filed as it is.
    """

    base: str
    quote: str
    interval: Interval
    start: int
    source: str
    first: datetime
    last: datetime
    bid: _Side
    ask: _Side
    is_due: bool = True

    def __post_init__(self) -> None:
        if self.start % self.interval.seconds or not 0 <= self.start < _LAST or not self.base or not self.quote:
            raise ValueError("no bar begins there")
        if self.first.tzinfo is None or self.last.tzinfo is None:
            raise ValueError("a time lacks its zone")

    @property
    def key(self) -> _Key:
        return (Pair(self.base, self.quote), self.interval, self.start)

    @property
    def end(self) -> int:
        return self.start + self.interval.seconds

    def fold(self, bid: Decimal, ask: Decimal, as_of: datetime) -> None:
        """Take a tick: the earliest opens and the latest closes, whenever they arrive."""
        self.bid.widen(bid)
        self.ask.widen(ask)
        if as_of < self.first:
            self.first, self.bid.o, self.ask.o = as_of, bid, ask
        if as_of >= self.last:
            self.last, self.bid.c, self.ask.c = as_of, bid, ask
        self.is_due = True

    def given(self) -> PairBar:
        start = datetime.fromtimestamp(self.start, UTC)
        return PairBar(Pair(self.base, self.quote), self.interval, Bar(start, self.bid.given(), self.ask.given()))


_forming = msgspec.json.Decoder(list[_Forming])


class BarAggregator:
    """The bars that form, of every pair.

    A minute has the ticks of one source: that of its first tick, whose word is published then. So no two venues are
    mixed in it; hours and days are of the same ticks as their minutes. `late` counts by source the ticks that came too
    late for their bar, `given_up` the bars that could not be filed for so long that they were dropped. `revision` grows
    with every change. Minutes that had ended when the first tick came are another's, unless it goes on from what that
    one saved: a late tick does not begin them anew.
    """

    def __init__(self) -> None:
        self.late: Counter[str] = Counter()
        self.given_up = 0
        self.revision = 0
        self._forming: dict[_Key, _Forming] = {}
        self._done_until = 0.0  # the latest minute that was let go of: of a clock that is set back it is begun no more
        self._newest = 0.0
        self._is_new = True

    def take(self, tick: Tick, as_of: datetime, now: datetime, word: str = "") -> None:
        """Fold a tick of the market's time `as_of`; `word` names the source whose word is published, if any is.

        A tick of another source is left out; so is one that comes more than a minute after the end of its own.
        """
        moment = self._followed(now)
        if self._is_new:
            self._done_until, self._is_new = moment + _AMENDED_SECONDS, False
        seconds = floor(as_of.timestamp())
        minute = seconds - seconds % _MINUTE
        begun = self._forming.get((tick.pair, Interval.MINUTE, minute))
        if tick.source != (begun.source if begun is not None else word or tick.source):
            return
        if minute + _MINUTE + _AMENDED_SECONDS <= max(moment, self._done_until):
            self.late[tick.source] += 1
            return
        for interval, length in _STEPS:
            start = seconds - seconds % length
            forming = self._forming.get((tick.pair, interval, start))
            if forming is None:
                self._begin(tick, interval, start, as_of)
            else:
                forming.fold(tick.bid, tick.ask, as_of)
        self.revision += 1

    def _followed(self, now: datetime) -> float:
        """Return the seconds since 1970 of `now`, after making up for a clock that was set back.

        Bars that lie ahead were made of ticks with wrong times and are dropped. Minutes that had begun may be archived,
        so they are not begun again; without this every minute would be too late until the clock has caught up.
        """
        moment = now.timestamp()
        if moment < self._newest - _MINUTE:
            self._done_until = min(self._done_until, moment + _MINUTE + _AMENDED_SECONDS)
            for key in [one.key for one in self._forming.values() if one.start > moment]:
                del self._forming[key]
                self.revision += 1
            self._newest = moment
        self._newest = max(self._newest, moment)
        return moment

    def _begin(self, tick: Tick, interval: Interval, start: int, as_of: datetime) -> None:
        bid, ask = (_Side(price, price, price, price) for price in (tick.bid, tick.ask))
        forming = _Forming(tick.pair.base, tick.pair.quote, interval, start, tick.source, as_of, as_of, bid, ask)
        self._forming[forming.key] = forming

    def closed(self, now: datetime) -> list[PairBar]:
        """Give the bars that have ended and are not filed as they are now, the oldest first; none is let go of yet."""
        moment = self._followed(now)
        due = [forming for forming in self._forming.values() if forming.is_due and forming.end <= moment]
        due.sort(key=lambda forming: forming.end)
        return [forming.given() for forming in self._kept(due)]

    def _kept(self, due: list[_Forming]) -> list[_Forming]:
        """Give up the oldest minutes where too many bars wait: hours and days hold what they were."""
        excess = len(due) - MOST_UNFILED
        if excess <= 0:
            return due
        dropped = {forming.key for forming in [one for one in due if one.interval is Interval.MINUTE][:excess]}
        for key in dropped:
            self._let_go(self._forming[key])
        self.given_up += len(dropped)
        return [forming for forming in due if forming.key not in dropped]

    def filed(self, bars: Iterable[PairBar], now: datetime) -> None:
        """Note what has been filed; what no tick can change any more is let go of."""
        for each in bars:
            forming = self._forming.get((each.pair, each.interval, int(each.bar.start.timestamp())))
            if forming is not None and forming.given() == each:
                forming.is_due = False
                self.revision += 1
        moment = now.timestamp() - _AMENDED_SECONDS
        for forming in [one for one in self._forming.values() if not one.is_due and one.end <= moment]:
            self._let_go(forming)

    def _let_go(self, forming: _Forming) -> None:
        del self._forming[forming.key]
        self.revision += 1
        if forming.interval is Interval.MINUTE:
            self._done_until = max(self._done_until, forming.end + _AMENDED_SECONDS)

    def saved(self) -> bytes:
        """Give the bars that form, and those that wait to be filed, as bytes."""
        return msgspec.json.encode(list(self._forming.values()))

    @classmethod
    def restored(cls, content: bytes) -> Self | None:
        """Go on from what was saved; None where it cannot be read."""
        try:
            forming = _forming.decode(content)
        except ValueError:  # a MsgspecError, or what is no text
            return None
        folding = cls()
        folding._forming, folding._is_new = {one.key: one for one in forming}, False
        return folding
