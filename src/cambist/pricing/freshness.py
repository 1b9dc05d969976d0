"""Freshness: which prices may still be used. The API, the stream and the rate book all apply these rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta

from cambist.pricing.consensus import FRESH_FOR
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Quote
from cambist.pricing.rate_book import PairPrice, RateBook
from cambist.pricing.source_kind import Pace
from cambist.pricing.trading_hours import trading_age
from cambist.reference.assets import AssetKind, kind_of

MaxAges = Mapping[AssetKind, timedelta]
"""How old a traded price may be, by what it prices. A kind that is not in the mapping has no limit."""

IsFresh = Callable[[Quote, AssetKind], bool]
"""Return whether a price of a kind may still be used."""

FIXING_MAX_AGE = timedelta(days=14)
"""How old a daily fixing in a quote with bid and ask may be: as long as the history carries one forward."""

_FIXED = (Pace.DAILY, Pace.MONTHLY)

PAIRS_KEPT_FOR = timedelta(days=7)
"""How long the last quote of a pair stays in the rate book: longer than any market is closed."""


def recently_traded(pairs: Mapping[Pair, Quote], now: datetime) -> dict[Pair, Quote]:
    """Return the pairs quoted in the last days. While a market is closed sources do not repeat their quotes."""
    return {pair: quote for pair, quote in pairs.items() if now - quote.as_of <= PAIRS_KEPT_FOR}


def is_fresh(quote: Quote, kind: AssetKind, ages: MaxAges, now: datetime) -> bool:
    """Return whether a price of that kind may still be used. Its age grows only while its market is open.

    `ages` limits traded prices; a price published several times a day may be as old as its pace allows, and a daily
    fixing has no limit. For a coin quoted in a currency only the age of the coin's own price counts, because the
    currency may fall back on its fixing.
    """
    return fresh_for(quote, kind, ages, now) >= timedelta()


def fresh_for(price: Quote | PairPrice, kind: AssetKind, ages: MaxAges, now: datetime) -> timedelta:
    """Return how much longer a price may be used while its market is open; negative if it may not be used."""
    return age_limit(price, kind, ages) - trading_age(price.pair, price.own_as_of, now)


def age_limit(price: Quote | PairPrice, kind: AssetKind, ages: MaxAges) -> timedelta:
    """Return how old a price may be while its market is open.

    Coins are traded at all hours: what is published of one once a day is no price of now.
    """
    limit = ages.get(kind, timedelta.max)
    if price.pace is not Pace.REALTIME and kind is not AssetKind.COIN:
        limit = max(limit, FRESH_FOR.get(price.pace, timedelta.max))
    return limit


def metal_fresh_for(price: Quote, ages: MaxAges, now: datetime) -> timedelta:
    """Return how much longer a metal's price may be shown as bid and ask: a daily fixing like that of a currency."""
    left = fresh_for(price, AssetKind.METAL, ages, now)
    return min(left, FIXING_MAX_AGE - (now - price.as_of)) if price.pace is Pace.DAILY else left


def first_stale_code(book: RateBook, codes: Iterable[str], is_fresh: IsFresh) -> str | None:
    """Return the first code, or coin behind a code, whose price is too old; None if all are fresh.

    Currencies are never too old, because they fall back on their fixings. Coins have nothing to fall back on.
    """
    checked = list(codes)
    for code in checked:
        kind, quote = kind_of(code), book.quotes.get(code)
        if kind in (None, AssetKind.CURRENCY) or quote is None:
            continue
        if not is_fresh(quote, kind):
            return code
        checked += [coin for coin in _coins_behind(quote) if coin not in checked]
    return None


def _coins_behind(quote: Quote) -> list[str]:
    sides = {side for leg in quote.origin.legs for side in (leg.base, leg.quote)}
    return [side for side in sides if kind_of(side) is AssetKind.COIN]


def is_tradable(book: RateBook, code: str, is_fresh: IsFresh) -> bool:
    """Return whether a currency has a price with which it can be traded now. For a traded currency a fixing is none."""
    leg = book.quotes.get(code)
    return leg is not None and not falls_back_on_fixing(book, code, leg) and is_fresh(leg, AssetKind.CURRENCY)


def falls_back_on_fixing(book: RateBook, code: str, quote: Quote) -> bool:
    """Return whether a traded currency has only its fixing in the book: its live price is missing or too old."""
    return code in book.traded and quote.origin.pace in _FIXED


def oldest_fixing(book: RateBook, pair: Pair) -> Quote | None:
    """Return the oldest daily fixing that a cross rate of `pair` is made of; None where both its legs trade.

    Errors: RateUnavailable when a leg is missing.
    """
    legs = [book.leg(code) for code in (pair.base, pair.quote) if code != PIVOT]
    fixings = [leg for leg in legs if leg.origin.pace in _FIXED]
    return min(fixings, key=lambda leg: leg.as_of, default=None)
