"""The closes of coins, for the endpoints that answer about a past day."""

from __future__ import annotations

from datetime import date, timedelta

from cambist.api.answer.request_context import RequestContext
from cambist.errors import NoRate
from cambist.history.fixing import ReceivedFixing
from cambist.history.rate_matrix import FIRST_DAY
from cambist.pricing.pair import Pair
from cambist.reference.assets import AssetKind, kind_of


def read_closes(context: RequestContext, pair: Pair, on: date) -> dict[str, ReceivedFixing]:
    """Return the closes of the coins of a pair on a day, by code. Errors: NoRate if a coin has none."""
    return {code: _read_close(context, code, on) for code in (pair.base, pair.quote) if kind_of(code) is AssetKind.COIN}


def _read_close(context: RequestContext, coin: str, on: date) -> ReceivedFixing:
    close = context.closes(coin, on)
    if close is None:
        reason = " yet: closes are archived when their day ends, at midnight UTC" if on == context.today else ""
        raise NoRate(f"No close of [{coin}] was archived for [{on}]{reason or since(context, coin)}")
    return close


def since(context: RequestContext, coin: str) -> str:
    """Return the part of a sentence that says since when a coin has closes; of a past state nothing."""
    found = None if context.mark is not None else context.state.readers.coin_series(coin, FIRST_DAY, context.today)
    return "" if found is None else f"; its first is of [{FIRST_DAY + timedelta(days=int(found.rows[0]))}]"
