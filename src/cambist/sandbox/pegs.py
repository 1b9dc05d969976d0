"""Future pegs: when a currency ceases to float because its rate is fixed by law, and at which rate.

A currency that floats until it is pegged, converted to the euro or redenominated has to arrive at that rate, or its
series would jump that day.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from itertools import pairwise

from cambist.pricing.pair import PIVOT
from cambist.pricing.parity import CHANGE_DAYS, parities_on
from cambist.reference.currency_tables import CURRENCIES


@dataclass(frozen=True, slots=True)
class FuturePeg:
    """From `day` on the code is fixed: one unit of `root`, which floats that day, is `factor` units of it."""

    day: date
    root: str
    factor: float


@cache
def future_pegs() -> Mapping[str, FuturePeg]:
    """Return the last peg or conversion of every currency that ends up fixed."""
    found: dict[str, FuturePeg] = {}
    for before, day in pairwise(CHANGE_DAYS):
        for code in pegged_on(day) - pegged_on(before):
            found[code] = _future_peg(code, day)
        abandoned = pegged_on(before) - pegged_on(day)
        for code in abandoned & floating_on(day):  # it floats at its own level from then on
            found.pop(code, None)
    return found


def _future_peg(code: str, day: date) -> FuturePeg:
    parities = {parity.code: parity for parity in parities_on(day)}
    root, factor = code, 1.0
    while root in parities:
        factor *= float(parities[root].factor)
        root = parities[root].anchor
    return FuturePeg(day, root, factor)


@lru_cache(maxsize=4096)
def pegged_on(day: date) -> frozenset[str]:
    """Return the currencies whose rate is fixed by law on a day."""
    return frozenset(parity.code for parity in parities_on(day) if parity.code in CURRENCIES)


@lru_cache(maxsize=64)
def floating_on(day: date) -> frozenset[str]:
    """Return the currencies that float on a day: those that exist and are not fixed by law, without the pivot."""
    pegged = pegged_on(day)
    return frozenset(
        code for code, currency in CURRENCIES.items() if currency.lives_on(day) and code not in pegged and code != PIVOT
    )
