"""Levels: about what each currency, metal and coin is worth, roughly and on purpose.

A row of levels.csv is a code's level on a day, as it was quoted on that day: units a dollar for currencies, dollars for
metals (an ounce or a tonne) and coins. A code with several rows goes evenly from one to the next in logarithms, one
without a day has the same level always, one without a level is at that of the code that it follows or is tied to.
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

_HEADER = ["code", "temper", "follows", "day", "level"]
_COINS, _CURRENCIES = (1e-4, 500.0), (0.5, 5000.0)
"""Between what a level lies that is derived from a code: dollars a coin, units a dollar."""


@dataclass(frozen=True, slots=True)
class Level:
    """A code's temper, the code whose movements it shares, and its known levels.

    `knots` are seconds since 1970 and the logarithm of units a dollar, in the order of time.
    """

    volatility_class: VolatilityClass
    follows: str | None
    knots: tuple[tuple[float, float], ...]


def midnight(day: date) -> float:
    """Give when a day begins (UTC), in seconds since 1970."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()


def derived_level(code: str, volatility_class: VolatilityClass) -> Level:
    """Give a code that has no row a level all the same, always the same one."""
    least, most = (log(bound) for bound in (_COINS if volatility_class in IN_DOLLARS else _CURRENCIES))
    height = least + share(code) * (most - least)
    return Level(volatility_class, None, ((0.0, -height if volatility_class in IN_DOLLARS else height),))


def share(code: str) -> float:
    """Give a number from 0 to 1 that belongs to the code."""
    return int.from_bytes(blake2b(code.encode(), digest_size=6).digest(), "big") / 2**48


def read_levels(text: str) -> Mapping[str, Level]:
    """Read the table. Errors: ValueError naming the line that is not a row of it."""
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
    code, volatility_class, follows = row["code"], VolatilityClass(row["temper"]), row["follows"] or None
    before = levels.get(code, Level(volatility_class, follows, ()))
    if (before.volatility_class, before.follows) != (volatility_class, follows):
        raise ValueError(f"{code} has another temper or follows another code above")
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
"""The metals that are quoted."""
