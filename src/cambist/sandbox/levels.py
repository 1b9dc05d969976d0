"""Levels: the approximate price of each currency, metal and coin.

A row of levels.csv is a code's level on a day, as it was quoted on that day: units for a dollar for currencies, dollars
for metals (per ounce or tonne) and coins. Between its rows the logarithm of a code's level changes linearly. A code
without a day has the same level always. A code without a level has the level of the code that it follows or is pegged
to.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import blake2b
from importlib import resources
from itertools import pairwise
from math import log
from types import MappingProxyType

from cambist.sandbox.volatility import IN_DOLLARS, VolatilityClass

_HEADER = ["code", "volatility_class", "follows", "day", "level"]
_COINS, _CURRENCIES = (1e-4, 500.0), (0.5, 5000.0)
"""The limits of a level that is derived from a code: dollars for a coin, units for a dollar."""


@dataclass(frozen=True, slots=True)
class Level:
    """A code's volatility class, the code whose movements it shares, and its levels.

    `knots` are pairs of seconds since 1970 and the logarithm of units for a dollar, in the order of time.
    """

    volatility_class: VolatilityClass
    follows: str | None
    knots: tuple[tuple[float, float], ...]


def midnight(day: date) -> float:
    """Return the start of a day (UTC), in seconds since 1970."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()


def derived_level(code: str, volatility_class: VolatilityClass) -> Level:
    """Return the level of a code that has no row. It is derived from the code, so it is always the same."""
    least, most = (log(bound) for bound in (_COINS if volatility_class in IN_DOLLARS else _CURRENCIES))
    height = least + share(code) * (most - least)
    return Level(volatility_class, None, ((0.0, -height if volatility_class in IN_DOLLARS else height),))


def share(code: str) -> float:
    """Return a number from 0 to 1 that is derived from the code."""
    return int.from_bytes(blake2b(code.encode(), digest_size=6).digest(), "big") / 2**48


def read_levels(text: str) -> Mapping[str, Level]:
    """Parse the table. Errors: ValueError with the number of the invalid line."""
    reader = csv.DictReader(text.splitlines())
    if reader.fieldnames != _HEADER:
        raise ValueError(f"levels.csv, line 1: it must be {','.join(_HEADER)}")
    levels: dict[str, Level] = {}
    for row in reader:
        try:
            _add(levels, row)
        except (TypeError, ValueError) as error:
            raise ValueError(f"levels.csv, line {reader.line_num}: {error}") from error
    return MappingProxyType(levels)


def _add(levels: dict[str, Level], row: Mapping[str, str]) -> None:
    code, volatility_class, follows = row["code"], VolatilityClass(row["volatility_class"]), row["follows"] or None
    before = levels.get(code, Level(volatility_class, follows, ()))
    if (before.volatility_class, before.follows) != (volatility_class, follows):
        raise ValueError(f"{code} has another volatility_class or follows another code above")
    knots = (*before.knots, *_knot(row, volatility_class))
    if any(earlier >= later for (earlier, _), (later, _) in pairwise(knots)):
        raise ValueError(f"{code} has a later level above")
    levels[code] = Level(volatility_class, follows, knots)


def _knot(row: Mapping[str, str], volatility_class: VolatilityClass) -> tuple[tuple[float, float], ...]:
    if not row["level"]:
        return ()
    height = log(float(row["level"]))
    seconds = midnight(date.fromisoformat(row["day"])) if row["day"] else 0.0
    return ((seconds, -height if volatility_class in IN_DOLLARS else height),)


LEVELS = read_levels(resources.files(__package__).joinpath("levels.csv").read_text(encoding="utf-8"))
METALS = tuple(code for code, level in LEVELS.items() if level.volatility_class is VolatilityClass.METAL)
"""The metals that the sandbox quotes."""
