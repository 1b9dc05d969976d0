"""Base metals: the official cash price, adjusted by how the three-month price has moved since."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from cambist.ingest.quote_age import is_recent
from cambist.pricing.forward_adjusted import FORWARD, forward_adjusted
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Quote
from cambist.reference.assets import METALS


def forward_adjusted_metals(
    fixings: Mapping[str, Quote], pairs: Mapping[Pair, Quote], now: datetime
) -> dict[str, Quote]:
    """Return the adjusted prices of the metals whose cash price and three-month price are both available."""
    adjusted = ((code, _adjusted(code, fixings, pairs, now)) for code in METALS)
    return {code: quote for code, quote in adjusted if quote is not None}


def _adjusted(code: str, fixings: Mapping[str, Quote], pairs: Mapping[Pair, Quote], now: datetime) -> Quote | None:
    cash, forward_fixing = fixings.get(code), fixings.get(code + FORWARD)
    forward = pairs.get(Pair(code + FORWARD, PIVOT))
    if cash is None or forward_fixing is None or forward is None:
        return None
    is_later = forward.as_of > cash.as_of == forward_fixing.as_of
    # A three-month price that has stopped in open hours adjusts nothing; one that stopped at the close still does.
    return forward_adjusted(cash, forward_fixing, forward) if is_later and is_recent(forward, now) else None
