"""Extremes: the highest and the lowest of a pair's prices at all ticks of many periods, without computing each tick.

A period is divided again and again. A part is computed tick by tick only if one of its ticks may be the highest or
lowest of its period. The other parts are excluded by bounds, so that the result is the same as with all ticks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cambist.sandbox.decimals import Floats
from cambist.sandbox.fixing_days import Rows
from cambist.sandbox.price_paths import PricePath
from cambist.sandbox.quoting import TICK_SECONDS

_HOUR, _MINUTE = 3600, 60
_DIVISION = {_HOUR: 300, 300: _MINUTE, _MINUTE: 12}
"""The length of the parts of a period, in seconds. The shortest parts are computed tick by tick."""

_ROUNDING = 1e-11
"""More than what adding some dozens of floats can be off."""


class Extremes(NamedTuple):
    """The highest and the lowest value of each period."""

    highest: Floats
    lowest: Floats


class PairPath:
    """The logarithm of a pair's price: the price path of its quote currency minus that of its base."""

    def __init__(self, base: PricePath, quote: PricePath) -> None:
        self._base, self._quote = base, quote
        weights = Counter(quote.noises)
        weights.subtract(base.noises)
        self._weights = {noise: weight for noise, weight in weights.items() if weight}

    def over(self, seconds: Floats) -> Floats:
        """Return the values at many moments, each as in a rate book."""
        values: Floats = self._quote.over(seconds) - self._base.over(seconds)
        return values

    def bounds(self, first: Floats, last: Floats) -> Extremes:
        """Return values that are not exceeded from each `first` to each `last` moment, both on the same day.

        Levels and units change at midnight only, so that within a day a trend is a straight line.
        """
        ends = [self._trends(first), self._trends(last)]
        highest, lowest = np.maximum(*ends) + _ROUNDING, np.minimum(*ends) - _ROUNDING
        for noise, weight in self._weights.items():
            low, high = noise.bounds(first, last)
            one, other = weight * low, weight * high
            highest += np.maximum(one, other)
            lowest += np.minimum(one, other)
        return Extremes(highest, lowest)

    def _trends(self, seconds: Floats) -> Floats:
        quote, base = self._quote, self._base
        trends: Floats = quote.trend.over(seconds) + quote.offset - base.trend.over(seconds) - base.offset
        return trends

    def extremes(self, starts: Floats, firsts: Sequence[int], length: int) -> Extremes:
        """Return the extremes of periods that consist of parts of a `length` in seconds: an hour or a minute.

        `starts` are the starts of all parts, one period after another, and `firsts` the index of each period's first.
        """
        indices = np.array(firsts, np.intp)
        while len(indices) and (shorter := _DIVISION.get(length)):
            indices *= length // shorter
            starts, indices = self._candidates(_divided(starts, length, shorter), indices, shorter)
            length = shorter
        values = self.over(_divided(starts, length, TICK_SECONDS))
        indices *= round(length / TICK_SECONDS)
        return Extremes(np.maximum.reduceat(values, indices), np.minimum.reduceat(values, indices))

    def _candidates(self, starts: Floats, firsts: Rows, length: int) -> tuple[Floats, Rows]:
        """Return the parts that may contain an extreme, and the index of each period's first among them."""
        bounds = self.bounds(starts, starts + (length - TICK_SECONDS))
        values = self.over(starts)
        sizes = np.diff(np.append(firsts, len(starts)))
        is_candidate = bounds.highest >= np.repeat(np.maximum.reduceat(values, firsts), sizes)
        is_candidate |= bounds.lowest <= np.repeat(np.minimum.reduceat(values, firsts), sizes)
        counts = np.add.reduceat(is_candidate.astype(np.intp), firsts)
        return starts[is_candidate], np.append(0, np.cumsum(counts)[:-1]).astype(np.intp)


def _divided(starts: Floats, length: int, step: float) -> Floats:
    """Return the moments from each start to the end of its part, at equal steps."""
    moments: Floats = (starts[:, None] + np.arange(0, length, step)).ravel()
    return moments
