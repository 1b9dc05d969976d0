"""Published fixings: those that a rate of a day was made from, as their source published them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from cambist.history.fixing import ReceivedFixing
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.pair import PIVOT

FixingLookup = Callable[[str, str, date], Sequence[ReceivedFixing]]
"""Return the last fixing up to a day of each pair of a source that contains a code or the pivot.

Errors: RateUnavailable if the archive cannot be read now.
"""


def fixings_for(code: str, fixings: Iterable[ReceivedFixing]) -> list[ReceivedFixing]:
    """Return the fixings that a code's rate was made from: its own in the pivot, else its own and its anchor's.

    The result is empty if they are not among the `fixings`.
    """
    by_pair = {frozenset((each.fixing.pair.base, each.fixing.pair.quote)): each for each in fixings}
    direct = by_pair.get(frozenset((code, PIVOT)))
    if direct is not None:
        return [direct]
    for pair, own in by_pair.items():
        anchor = by_pair.get(frozenset({PIVOT} | (pair - {code}))) if code in pair else None
        if anchor is not None:
            return [own, anchor]
    return []


def market_time(matrix: RateMatrix, source: str, received: ReceivedFixing) -> datetime:
    """Return the market time of a fixing. It is never after the delivery, even if the fixing is for a later day."""
    zone, hour = matrix.fixed_at[matrix.sources.index(source)]
    moment = datetime.combine(received.fixing.day, time.fromisoformat(hour), ZoneInfo(zone))
    return min(moment.astimezone(UTC), received.received_at)
