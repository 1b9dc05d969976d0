"""Volatility classes: how much a price moves, and how wide its spread is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class VolatilityClass(StrEnum):
    """The kind of market that a code is in."""

    MAJOR = "major"
    MINOR = "minor"
    EXOTIC = "exotic"
    MEMBER = "member"
    MANAGED = "managed"
    SUCCESSOR = "successor"
    METAL = "metal"
    COIN = "coin"
    STABLE = "stable"


@dataclass(frozen=True, slots=True)
class MarketProfile:
    """`volatility` is annual, in logarithms; the spread lies between `least` and `most` hundredths of a per cent."""

    volatility: float
    least: float
    most: float


PROFILES = {
    VolatilityClass.MAJOR: MarketProfile(0.08, 1, 1),
    VolatilityClass.MINOR: MarketProfile(0.11, 5, 10),
    VolatilityClass.EXOTIC: MarketProfile(0.16, 10, 20),
    VolatilityClass.MEMBER: MarketProfile(0.04, 5, 10),
    VolatilityClass.MANAGED: MarketProfile(0.005, 5, 10),
    VolatilityClass.SUCCESSOR: MarketProfile(0, 10, 20),
    VolatilityClass.METAL: MarketProfile(0.20, 3, 10),
    VolatilityClass.COIN: MarketProfile(0.80, 2, 20),
    VolatilityClass.STABLE: MarketProfile(0.003, 2, 4),
}
"""A member moves around the currency that it follows or joins. A code of the class successor moves exactly
as its successor does."""

IN_DOLLARS = frozenset({VolatilityClass.METAL, VolatilityClass.COIN, VolatilityClass.STABLE})
"""The classes that are priced in dollars. All others are priced in units for a dollar."""
