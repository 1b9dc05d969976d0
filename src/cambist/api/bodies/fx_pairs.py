"""Pairs of currencies and their current quotes, for the endpoints of the fx group."""

from __future__ import annotations

from dataclasses import dataclass

from cambist.api.answer.request_context import RequestContext
from cambist.errors import UnknownFxPair
from cambist.pricing.cross_rates import pair_quote
from cambist.pricing.currency_pairs import find_fx_pair
from cambist.pricing.freshness import FIXING_MAX_AGE, falls_back_on_fixing, is_tradable, oldest_fixing
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Quote
from cambist.pricing.trading_hours import is_open
from cambist.pricing.unavailable import too_old
from cambist.reference.assets import AssetKind

_HINT = "the pairs are found at /fx/pairs"


def parse_fx_pair(context: RequestContext, name: str) -> Pair:
    """Return the pair of a name, `EURUSD` or `EUR/USD`. Errors: UnknownFxPair."""
    pair = find_fx_pair(context.book, name)
    if pair is None:
        raise UnknownFxPair(name, "", _HINT)
    return pair


@dataclass(frozen=True, slots=True)
class CurrentQuote:
    """A quote, and the oldest daily fixing that it was crossed from; None if it is made of traded prices alone."""

    quote: Quote
    fixing: Quote | None = None


def current_quote(context: RequestContext, pair: Pair) -> CurrentQuote:
    """Return bid and ask of a pair: as quoted if that is fresh, otherwise crossed.

    Errors: RateUnavailable if a traded side has no fresh price while its market is open, or if a fixing in the quote is
    older than `FIXING_MAX_AGE`.
    """
    quote = pair_quote(context.book, pair, lambda one: context.is_fresh(one, AssetKind.CURRENCY))
    if not quote.origin.legs:
        return CurrentQuote(quote)
    if is_open(pair, context.now):
        for code in (pair.base, pair.quote):
            _check_trades(context, code)
    fixing = oldest_fixing(context.book, pair)
    if fixing is not None and not context.is_within(fixing.as_of, FIXING_MAX_AGE):
        why = f"a fixing older than {FIXING_MAX_AGE.days} days, so without bid and ask; /fetch-one has its midpoint"
        raise too_old(pair, fixing, why)
    return CurrentQuote(quote, fixing)


def _check_trades(context: RequestContext, code: str) -> None:
    """Refuse a traded currency whose price is a fixing or older than allowed: nobody trades at that price."""
    if code == PIVOT:
        return
    leg = context.book.leg(code)
    if not is_tradable(context.book, code, context.is_fresh):
        why = (
            "a fixing, because it is not traded now"
            if falls_back_on_fixing(context.book, code, leg)
            else "older than allowed"
        )
        raise too_old(code, leg, why)
