"""A tick: one quote as it arrived."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from cambist.pricing.pair import Pair


@dataclass(frozen=True, slots=True)
class Tick:
    """One quote as a source sent it: its digits, its direction.

    `as_of` is the market's time where the source tells it (UTC), else None. `sequence` is the source's own count of
    the pair's quotes where it keeps one, else 0; a lower one than before comes too late.
    """

    source: str
    pair: Pair
    bid: Decimal
    ask: Decimal
    as_of: datetime | None = None
    sequence: int = 0
