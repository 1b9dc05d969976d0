"""Price paths: the logarithm of the units of a code for one dollar at any moment: a trend plus noise.

A code has the noise of the code that it follows, and its own according to its volatility class. A currency that is
fixed by law to another one on some day arrives exactly at that rate: the trend ends there, and its own noise is
measured from there. A redenominated currency therefore ends at its successor's level times the factor, and shares its
noise. A code that is never fixed by law is exactly at its level on REFERENCE_DAY.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from math import inf, log

import numpy as np

from cambist.pricing.pair import PIVOT
from cambist.reference.currency_tables import REDENOMINATIONS
from cambist.sandbox.decimals import Floats
from cambist.sandbox.levels import LEVELS, Level, derived_level, midnight
from cambist.sandbox.noise import Noise
from cambist.sandbox.pegs import FuturePeg, future_pegs
from cambist.sandbox.volatility import PROFILES, VolatilityClass

REFERENCE_DAY = date(2026, 1, 1)
Knots = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Trend:
    """Straight lines between knots (seconds, logarithm) in today's unit, and the changes of the unit (when, factor)."""

    knots: Knots
    cuts: Knots = ()

    @property
    def constant_from(self) -> float:
        """The moment from which on the level does not change."""
        return max(self.knots[-1][0], *(when for when, _ in self.cuts), -inf)

    def at(self, seconds: float) -> float:
        """Return the level at a moment, in the unit of that moment."""
        return self._line(seconds) + sum(height for when, height in self.cuts if seconds < when)

    def _line(self, seconds: float) -> float:
        if seconds >= self.knots[-1][0]:
            return self.knots[-1][1]
        place = bisect_right(self.knots, seconds, key=lambda knot: knot[0])
        if place == 0:
            return self.knots[0][1]
        (start, height), (end, next_height) = self.knots[place - 1 : place + 1]
        return height + (next_height - height) * ((seconds - start) / (end - start))

    def over(self, seconds: Floats) -> Floats:
        """Return the levels at many moments, each bit for bit as `at` returns it."""
        times, heights = np.array(self.knots).T
        following = np.searchsorted(times, seconds, side="right")
        start, end = np.maximum(following - 1, 0), np.minimum(following, len(times) - 1)
        # Before the first knot and after the last one both are the same knot.
        part = (seconds - times[start]) / np.where(end > start, times[end] - times[start], 1.0)
        cut = np.zeros(len(seconds))
        for when, height in self.cuts:
            cut += np.where(seconds < when, height, 0.0)
        levels: Floats = heights[start] + (heights[end] - heights[start]) * part + cut
        return levels


@dataclass(frozen=True, slots=True)
class PricePath:
    """The logarithm of units for a dollar: the trend, the noises, and the offset with which they meet a fixed rate."""

    trend: Trend
    noises: tuple[Noise, ...]
    offset: float

    def at(self, seconds: float) -> float:
        """Return the value at a moment, in seconds since 1970."""
        height = self.trend.at(seconds) + self.offset
        for noise in self.noises:
            height += noise.at(seconds)
        return height

    def over(self, seconds: Floats) -> Floats:
        """Return the values at many moments, each bit for bit as `at` returns it."""
        heights = self.trend.over(seconds) + self.offset
        for noise in self.noises:
            heights += noise.over(seconds)
        return heights


class PricePaths:
    """The price paths of one seed, each computed when it is first needed."""

    def __init__(self, seed: int, coins: Collection[str]) -> None:
        self._seed = seed
        self._coins = frozenset(coins)
        self._paths = {PIVOT: PricePath(Trend(((0.0, 0.0),)), (), 0.0)}

    def path(self, code: str) -> PricePath:
        """Return the price path of a code."""
        path = self._paths.get(code)
        if path is None:
            path = self._paths.setdefault(code, self._compute(code))
        return path

    def level(self, code: str) -> Level:
        """Return the level of a code, derived from the code if the table has none."""
        level = LEVELS.get(code)
        if level is not None:
            return level
        if code in self._coins:
            return derived_level(code, VolatilityClass.COIN)
        return (
            Level(VolatilityClass.SUCCESSOR, None, ())
            if code in future_pegs()
            else derived_level(code, VolatilityClass.EXOTIC)
        )

    def _compute(self, code: str) -> PricePath:
        level, peg = self.level(code), future_pegs().get(code)
        base = self.path((peg.root if peg else level.follows) or PIVOT)
        start = midnight(peg.day if peg else REFERENCE_DAY)
        trend = _trend(code, level, peg, base.trend)
        volatility = PROFILES[level.volatility_class].volatility
        if not volatility:
            return PricePath(trend, base.noises, base.offset)
        own = Noise(self._seed, code, volatility)
        return PricePath(trend, (*base.noises, own), base.offset - own.at(start))


def _trend(code: str, level: Level, peg: FuturePeg | None, base: Trend) -> Trend:
    """Return the trend through the levels, which are in the units of their days, to the rate fixed by law."""
    if not level.knots and peg is None:
        return base
    knots = level.knots
    if peg is not None:
        arrives = midnight(peg.day)
        if knots and knots[-1][0] >= arrives:
            raise ValueError(f"levels.csv: {code} has a level on or after {peg.day}, when it is fixed by law")
        knots = (*knots, (arrives, base.at(arrives) + log(peg.factor)))
    cuts = tuple(
        (midnight(change.first_day), log(change.factor))
        for change in REDENOMINATIONS
        if change.old == change.new == code
    )
    return Trend(tuple((when, height - _cut(cuts, when)) for when, height in knots), cuts)


def _cut(cuts: Knots, when: float) -> float:
    return sum(height for first, height in cuts if when < first)
