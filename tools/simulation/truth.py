"""The truth of a simulated market: what one US dollar costs in each currency on each day, by a seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date
from math import prod

from tools.simulation.scenario import Jump

from cambist.pricing.pair import PIVOT

_LEVELS = {
    "GBP": 0.41, "CAD": 1.01, "NOK": 5.8, "SEK": 4.4, "AUD": 0.71, "JPY": 272.0, "CHF": 3.2, "DKK": 6.1, "HKD": 5.1,
    "ZAR": 0.67,
}  # fmt: skip
"""What a dollar costs on the first day, about as in the 1970s; another currency costs something between 2 and 50."""

FREE_CODES = ("GBP", "CAD", "NOK", "SEK", "AUD", "JPY", "CHF")
"""Currencies of the 1970s whose rate no law fixes: few, so that several sources have each."""

_LARGEST_STEP = 0.002


class Truth:
    """The true rates of a seed. From one day to the next a currency moves by 0.2 % at most, but on days of `jumps`."""

    def __init__(self, seed: int, first_day: date, jumps: Sequence[Jump] = ()) -> None:
        self._jumps = jumps
        self._seed = seed
        self._first_day = first_day
        self._walks: dict[str, list[float]] = {}
        self._random: dict[str, random.Random] = {}

    def units(self, code: str, day: date) -> float:
        """Return what one dollar costs in a currency on a day; before the first day, the same as on it."""
        if code == PIVOT:
            return 1.0
        if code not in self._walks:
            self._random[code] = random.Random(f"{self._seed} {code}")  # noqa: S311  the same for each seed
            level = _LEVELS.get(code) or 2.0 + 48.0 * self._random[code].random()
            self._walks[code] = [level]
        walk, place = self._walks[code], max(0, (day - self._first_day).days)
        while len(walk) <= place:
            walk.append(walk[-1] * (1 + self._random[code].uniform(-_LARGEST_STEP, _LARGEST_STEP)))
        return walk[place] * prod(jump.factor for jump in self._jumps if jump.day <= place)

    def rate(self, base: str, quote: str, day: date) -> float:
        """Return what one unit of the base costs in the quote currency on a day."""
        return self.units(quote, day) / self.units(base, day)
