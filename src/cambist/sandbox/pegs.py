"""Ties: when a currency ceases to float because law fixes what it is worth, and what it is worth then.

A currency that floats until a day on which it is pegged, converted to the euro or given a new unit has to arrive
there, or its series would jump that day.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from itertools import pairwise

from cambist.pricing.pair import PIVOT
from cambist.pricing.parity import CHANGE_DAYS, parities_on
from cambist.reference.tables import CURRENCIES


@dataclass(frozen=True, slots=True)
class FuturePeg:
    """From `day` on the code is tied: one unit of `root`, which floats that day, is `factor` of it."""

    day: date
    root: str
    factor: float


@cache
def future_pegs() -> Mapping[str, FuturePeg]:
    """Give the last tie of every currency that is tied in the end; where it floats at all, it floats before it."""
    found: dict[str, FuturePeg] = {}
    for before, day in pairwise(CHANGE_DAYS):
        for code in pegged_on(day) - pegged_on(before):
            found[code] = _tie(code, day)
        for code in (pegged_on(before) - pegged_on(day)) & floating_on(
            day
        ):  # a peg given up: it floats at its own level
            found.pop(code, None)
    return found


def _tie(code: str, day: date) -> FuturePeg:
    held = {parity.code: parity for parity in parities_on(day)}
    root, factor = code, 1.0
    while root in held:
        factor *= float(held[root].factor)
        root = held[root].anchor
    return FuturePeg(day, root, factor)


@lru_cache(maxsize=4096)
def pegged_on(day: date) -> frozenset[str]:
    """Give the currencies whose worth law fixes on a day."""
    return frozenset(parity.code for parity in parities_on(day))


@lru_cache(maxsize=64)
def floating_on(day: date) -> frozenset[str]:
    """Give the currencies that a market quotes on a day: those that live and are not tied; not the pivot."""
    tied = pegged_on(day)
    return frozenset(
        code for code, currency in CURRENCIES.items() if currency.lives_on(day) and code not in tied and code != PIVOT
    )
