"""What coins closed at, for the endpoints that look at a past day."""

from __future__ import annotations

from datetime import date

from cambist.api.request_context import RequestContext
from cambist.errors import NoRate
from cambist.history.fixing import ReceivedFixing
from cambist.pricing.pair import Pair
from cambist.reference.assets import AssetKind, kind_of


def read_closes(context: RequestContext, pair: Pair, on: date) -> dict[str, ReceivedFixing]:
    """Give the closes of a pair's coins on a day. Errors: NoRate for one without."""
    return {code: _close(context, code, on) for code in (pair.base, pair.quote) if kind_of(code) is AssetKind.COIN}


def _close(context: RequestContext, coin: str, on: date) -> ReceivedFixing:
    found = context.closes(coin, on)
    if found is None:
        when = " yet: closes are archived when their day ends, at midnight UTC" if on == context.today else ""
        raise NoRate(f"No close of [{coin}] was archived for [{on}]{when}")
    return found
