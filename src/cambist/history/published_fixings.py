"""The words behind a rate of a day: the fixings that it was made of, as their source published them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from cambist.history.fixing import ReceivedFixing
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.pair import PIVOT

FixingLookup = Callable[[str, str, date], Sequence[ReceivedFixing]]
"""Gives the last fixings of a source up to a day, of each of its pairs with a code or with the pivot in it.

Errors: RateUnavailable where the archive cannot be asked now.
"""


def fixings_for(code: str, given: Iterable[ReceivedFixing]) -> list[ReceivedFixing]:
    """Choose what a code's rate against the pivot was made of: its fixing in the pivot, else its own and its anchor's.

    Empty where that is not among what is given.
    """
    by_pair = {frozenset((known.fixing.pair.base, known.fixing.pair.quote)): known for known in given}
    direct = by_pair.get(frozenset((code, PIVOT)))
    if direct is not None:
        return [direct]
    for pair, own in by_pair.items():
        anchor = by_pair.get(frozenset({PIVOT} | (pair - {code}))) if code in pair else None
        if anchor is not None:
            return [own, anchor]
    return []


def market_time(matrix: RateMatrix, source: str, known: ReceivedFixing) -> datetime:
    """Give the moment of the market that a fixing shows; one set for a day to come shows what was before we had it."""
    zone, hour = matrix.fixed_at[matrix.sources.index(source)]
    moment = datetime.combine(known.fixing.day, time.fromisoformat(hour), ZoneInfo(zone))
    return min(moment.astimezone(UTC), known.received_at)
