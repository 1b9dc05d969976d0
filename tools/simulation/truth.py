"""The truth of a simulated market: what one US dollar costs in each currency on each day, by a seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date

from tools.simulation.scenario import Jump

from cambist.pricing.pair import PIVOT

_LEVELS = {
    "GBP": 0.41, "CAD": 1.01, "NOK": 5.8, "SEK": 4.4, "AUD": 0.71, "JPY": 272.0, "CHF": 3.2, "DKK": 6.1, "HKD": 5.1,
    "ZAR": 0.67, "ANG": 1.79,
}  # fmt: skip
"""What a dollar costs on the first day, about as in the 1970s; another currency costs something between 2 and 50."""

FREE_CODES = ("GBP", "CAD", "NOK", "SEK", "AUD", "JPY", "CHF")
"""Currencies of the 1970s whose rate no law fixes: few, so that several sources have each."""

PEGGED_CODES = ("ANG",)
"""Currencies of the 1970s that a law ties to the dollar at their level above."""

_LARGEST_STEP = 0.002
_MIDNIGHT = 24.0


class Truth:
    """The true rates of a seed. From one day to the next a currency moves by 0.2 % at most, but for its jumps."""

    def __init__(self, seed: int, first_day: date, jumps: Sequence[Jump] = ()) -> None:
        self._seed = seed
        self._first_day = first_day
        self._jumps = jumps
        self._walks: dict[str, list[float]] = {}
        self._random: dict[str, random.Random] = {}

    def units(self, code: str, day: date, hour: float = _MIDNIGHT) -> float:
        """Return what one dollar costs in a currency on a day at an hour (UTC); before the first day, as on it."""
        if code == PIVOT:
            return 1.0
        if code not in self._walks:
            self._random[code] = random.Random(f"{self._seed} {code}")  # noqa: S311  the same for each seed
            level = _LEVELS.get(code) or 2.0 + 48.0 * self._random[code].random()
            self._walks[code] = [level]
        walk, place = self._walks[code], max(0, (day - self._first_day).days)
        step = 0.0 if code in PEGGED_CODES else _LARGEST_STEP
        while len(walk) <= place:
            walk.append(walk[-1] * (1 + self._random[code].uniform(-step, step)))
        units = walk[place]
        for jump in self._jumps:
            if jump.code == code and (jump.day, jump.hour) <= ((day - self._first_day).days, hour):
                units *= jump.factor
        return units

    def rate(self, base: str, quote: str, day: date, hour: float = _MIDNIGHT) -> float:
        """Return what one unit of the base costs in the quote currency on a day at an hour."""
        return self.units(quote, day, hour) / self.units(base, day, hour)
