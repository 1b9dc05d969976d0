"""Mass: exact conversion between units."""

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
    """Return all units, with a tael and a baht of so many grams, because these differ between trades.

    The names of the tael and the baht contain their grams.
    """
    chosen = {"tael": tael, "baht": baht}
    named = {handle: f"{UNITS[handle].name} ({grams:f} g)" for handle, grams in chosen.items()}
    return dict(UNITS) | {
        handle: replace(UNITS[handle], grams=grams, name=named[handle], authority="the settings")
        for handle, grams in chosen.items()
    }


STANDARD = units_with(UNITS["tael"].grams, UNITS["baht"].grams)
"""The units, with the tael and the baht of the bullion trade."""


def grams(unit: Unit) -> Fraction:
    """Return the weight of a unit in grams."""
    return Fraction(unit.grams)


@lru_cache(maxsize=256)
def ratio(unit: Unit, other: Unit) -> Fraction:
    """Return how many of the `other` unit one unit is."""
    return grams(unit) / grams(other)
