"""A tick: a source's current quote as it arrived."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from msgspec import Struct

from cambist.pricing.pair import Pair


class Tick(Struct, frozen=True):
    """One quote as a source sent it, with its digits and its direction.

    `as_of` is the market time (UTC) if the source sends it, else None. `sequence` is the number of the quote if the
    source numbers the quotes of a pair, else 0; a tick with a lower number than the last one is late.
    """

    source: str
    pair: Pair
    bid: Decimal
    ask: Decimal
    as_of: datetime | None = None
    sequence: int = 0
