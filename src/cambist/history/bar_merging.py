"""Making a bar of the shorter bars that are stored of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from cambist.history.bars import Bar, BarReader, Interval, Ohlc, PairBar

_SHORTER = {Interval.HOUR: Interval.MINUTE, Interval.DAY: Interval.HOUR}


def merge_bars(bars: Sequence[Bar], start: datetime) -> Bar:
    """Return the bar that consecutive bars make together, the oldest first; there must be one at least."""
    return Bar(start, _merge_side([bar.bid for bar in bars]), _merge_side([bar.ask for bar in bars]))


def _merge_side(sides: Sequence[Ohlc]) -> Ohlc:
    highest, lowest = max(side.h for side in sides), min(side.l for side in sides)
    return Ohlc(sides[0].o, highest, lowest, sides[-1].c)


def merged_from_stored(reader: BarReader, each: PairBar) -> PairBar:
    """Return a bar of an hour made of the stored minutes, or of a day made of the stored hours.

    It is returned as it is if none of them is stored. Errors: StoreBroken.
    """
    start, end = each.bar.start, each.bar.start + each.interval.length
    shorter = _SHORTER[each.interval]
    stored = reader.newest_bars(each.pair, shorter, start, end, each.interval.seconds // shorter.seconds)
    return each._replace(bar=merge_bars(stored[::-1], start)) if stored else each
