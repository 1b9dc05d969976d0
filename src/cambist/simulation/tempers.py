"""Tempers: how wildly a price moves, and what dealing at it costs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Temper(StrEnum):
    """What sort of market a code is in."""

    MAJOR = "major"
    MINOR = "minor"
    EXOTIC = "exotic"
    MEMBER = "member"
    MANAGED = "managed"
    HEIR = "heir"
    METAL = "metal"
    COIN = "coin"
    STABLE = "stable"


@dataclass(frozen=True, slots=True)
class Conduct:
    """`volatility` is annual, in logarithms; the spread lies between `least` and `most` hundredths of a per cent."""

    volatility: float
    least: float
    most: float


CONDUCT = {
    Temper.MAJOR: Conduct(0.08, 1, 1),
    Temper.MINOR: Conduct(0.11, 5, 10),
    Temper.EXOTIC: Conduct(0.16, 10, 20),
    Temper.MEMBER: Conduct(0.04, 5, 10),
    Temper.MANAGED: Conduct(0.005, 5, 10),
    Temper.HEIR: Conduct(0, 10, 20),
    Temper.METAL: Conduct(0.20, 3, 10),
    Temper.COIN: Conduct(0.80, 2, 20),
    Temper.STABLE: Conduct(0.003, 2, 4),
}
"""A member moves about the currency that it follows or joins, an heir moves as its successor does and not by itself."""

IN_DOLLARS = frozenset({Temper.METAL, Temper.COIN, Temper.STABLE})
"""The tempers of what is priced in dollars; all others are so many units a dollar."""
