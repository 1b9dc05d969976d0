"""Courses: what one dollar is in units of a code at any moment, as a logarithm: a trend, and wandering about it.

A code wanders as what it follows does, and by itself as its temper says. What law ties on a day to another currency
arrives on that day exactly where the law puts it: the trend ends there, and the code's own wandering is measured from
there. A currency that got a new unit therefore ends at the new one's level times the factor, and wanders with it all
its life. What is tied to nothing is exactly at its level on REFERENCE_DAY.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from math import log

import numpy as np

from cambist.pricing.pair import PIVOT
from cambist.reference.tables import REDENOMINATIONS
from cambist.sandbox.levels import LEVELS, Level, derived_level, midnight
from cambist.sandbox.noise import Floats, Noise
from cambist.sandbox.pegs import FuturePeg, future_pegs
from cambist.sandbox.volatility import PROFILES, VolatilityClass

REFERENCE_DAY = date(2026, 1, 1)
Knots = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Trend:
    """Straight lines between knots (seconds, logarithm) in today's unit, and the cuts of the unit (when, by what)."""

    knots: Knots
    cuts: Knots = ()

    def at(self, seconds: float) -> float:
        """Give the level at a moment, in the unit of that moment."""
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
        """Give the levels at many moments."""
        times, heights = zip(*self.knots, strict=True)
        levels: Floats = np.interp(seconds, times, heights)
        for when, height in self.cuts:
            levels = levels + np.where(seconds < when, height, 0.0)
        return levels


@dataclass(frozen=True, slots=True)
class PricePath:
    """The logarithm of units a dollar: the trend, the wanderings, and what brings them to where they arrive."""

    trend: Trend
    noises: tuple[Noise, ...]
    offset: float

    def at(self, seconds: float) -> float:
        """Give it at a moment, in seconds since 1970."""
        height = self.trend.at(seconds) + self.offset
        for noise in self.noises:
            height += noise.at(seconds)
        return height

    def over(self, seconds: Floats) -> Floats:
        """Give it at many moments."""
        heights = self.trend.over(seconds) + self.offset
        for noise in self.noises:
            heights += noise.over(seconds)
        return heights


class PricePaths:
    """The courses of one seed, each made when it is first asked for."""

    def __init__(self, seed: int, coins: Collection[str]) -> None:
        self._seed = seed
        self._coins = frozenset(coins)
        self._made = {PIVOT: PricePath(Trend(((0.0, 0.0),)), (), 0.0)}

    def of(self, code: str) -> PricePath:
        """Give the course of a code."""
        course = self._made.get(code)
        if course is None:
            course = self._made.setdefault(code, self._make(code))
        return course

    def level(self, code: str) -> Level:
        """Give the temper and the levels of a code, derived from the code where the table has none."""
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

    def _make(self, code: str) -> PricePath:
        level, tie = self.level(code), future_pegs().get(code)
        base = self.of((tie.root if tie else level.follows) or PIVOT)
        start = midnight(tie.day if tie else REFERENCE_DAY)
        trend = _trend(code, level, tie, base.trend)
        volatility = PROFILES[level.volatility_class].volatility
        if not volatility:
            return PricePath(trend, base.noises, base.offset)
        own = Noise(self._seed, code, volatility)
        return PricePath(trend, (*base.noises, own), base.offset - own.at(start))


def _trend(code: str, level: Level, tie: FuturePeg | None, base: Trend) -> Trend:
    """Lay the trend through the known levels, which are in the units of their days, to where the tie puts it."""
    if not level.knots and tie is None:
        return base
    knots = level.knots
    if tie is not None:
        arrives = midnight(tie.day)
        if knots and knots[-1][0] >= arrives:
            raise ValueError(f"levels.csv: {code} has a level on or after {tie.day}, when it is tied")
        knots = (*knots, (arrives, base.at(arrives) + log(tie.factor)))
    cuts = tuple(
        (midnight(change.first_day), log(change.factor))
        for change in REDENOMINATIONS
        if change.old == change.new == code
    )
    return Trend(tuple((when, height - _cut(cuts, when)) for when, height in knots), cuts)


def _cut(cuts: Knots, when: float) -> float:
    return sum(height for first, height in cuts if when < first)
