"""Whether a quote is recent enough for its source's pace."""

from __future__ import annotations

from datetime import datetime

from cambist.pricing.consensus import FRESH_FOR
from cambist.pricing.quote import Quote
from cambist.pricing.trading_hours import trading_age


def is_recent(quote: Quote, now: datetime) -> bool:
    """Return whether a quote is recent for its pace. In closed hours the last quote before the close stays recent."""
    return trading_age(quote.pair, quote.as_of, now) <= FRESH_FOR[quote.origin.pace]
