"""Mass: what an amount of one unit is in another, exactly."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from msgspec.structs import replace

from cambist.reference.weights import UNITS, Unit

Units = Mapping[str, Unit]
"""Units of mass by handle."""


def units_with(tael: Decimal, baht: Decimal) -> Units:
    """Give all units, with a tael and a baht of so many grams: which ones are meant differs from trade to trade.

    Both say in their names how many grams they are.
    """
    chosen = {"tael": tael, "baht": baht}
    named = {handle: f"{UNITS[handle].name} ({grams:f} g)" for handle, grams in chosen.items()}
    return dict(UNITS) | {
        handle: replace(UNITS[handle], grams=grams, name=named[handle], authority="the settings")
        for handle, grams in chosen.items()
    }


STANDARD = units_with(UNITS["tael"].grams, UNITS["baht"].grams)
"""The units with the bullion trade's tael and baht."""


def grams(unit: Unit) -> Fraction:
    """Give what a unit weighs, in grams."""
    return Fraction(unit.grams)


@lru_cache(maxsize=256)
def ratio(unit: Unit, other: Unit) -> Fraction:
    """Give how many of the `other` one unit is."""
    return grams(unit) / grams(other)
