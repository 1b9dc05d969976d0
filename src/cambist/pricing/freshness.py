"""Freshness: which prices may still be used, decided alike for every face of the service."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta

from cambist.pricing.consensus import FRESH_FOR
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Quote
from cambist.pricing.rate_book import RateBook
from cambist.pricing.source_kind import Pace
from cambist.pricing.trading_hours import trading_age
from cambist.reference.assets import AssetKind, kind_of

MaxAges = Mapping[AssetKind, timedelta]
"""How old a price that trades may be, by what it is of; whatever is not named may be however old."""


IsFresh = Callable[[Quote, AssetKind], bool]
"""Says whether a price of a kind may still be used."""

FIXING_MAX_AGE = timedelta(days=14)
"""For how long a daily fixing may be part of a quote with bid and ask: as long as history carries one forward."""

_FIXED = (Pace.DAILY, Pace.MONTHLY)

CARRIED_FOR = timedelta(days=7)
"""For how long a pair that nobody deals any more is still the last word on it: longer than any market is closed."""


def recently_traded(pairs: Mapping[Pair, Quote], now: datetime) -> dict[Pair, Quote]:
    """Give the pairs that were dealt in the last days: in closed hours, and over a restart, nobody says them again."""
    return {pair: quote for pair, quote in pairs.items() if now - quote.as_of <= CARRIED_FOR}


def is_fresh(quote: Quote, kind: AssetKind, ages: MaxAges, now: datetime) -> bool:
    """Say whether a price of that kind may still be used: its age counts up to its market's last moment of trade.

    A price that trades may be as old as `ages` say, one that is given several times a day as old as its class, a fixing
    however old. Money that a coin is dealt in falls back on its fixing, and makes no coin old.
    """
    return fresh_for(quote, kind, ages, now) >= timedelta()


def fresh_for(quote: Quote, kind: AssetKind, ages: MaxAges, now: datetime) -> timedelta:
    """Give for how long a price may still be used while its market is open; less than nothing where it may not."""
    limit, pace = ages.get(kind, timedelta.max), quote.origin.pace
    if pace is not Pace.REALTIME:
        limit = max(limit, FRESH_FOR.get(pace, timedelta.max))
    return limit - trading_age(quote.pair, quote.own_as_of, now)


def first_stale_code(book: RateBook, codes: Iterable[str], is_fresh: IsFresh) -> str | None:
    """Give the first of some codes whose price should trade and may not be used, or that of a coin it is crossed by.

    A currency falls back on its fixing by itself; a coin on nothing, and what is crossed by it is no younger.
    """
    asked = list(codes)
    for code in asked:
        kind, quote = kind_of(code), book.quotes.get(code)
        if kind in (None, AssetKind.CURRENCY) or quote is None:
            continue
        if not is_fresh(quote, kind):
            return code
        asked += [coin for coin in _coins_behind(quote) if coin not in asked]
    return None


def _coins_behind(quote: Quote) -> list[str]:
    sides = {side for leg in quote.origin.legs for side in (leg.base, leg.quote)}
    return [side for side in sides if kind_of(side) is AssetKind.COIN]


def is_tradable(book: RateBook, code: str, is_fresh: IsFresh) -> bool:
    """Say whether a currency has a price to deal at while its market is open: one that trades is dealt at no fixing."""
    leg = book.quotes.get(code)
    return leg is not None and not falls_back_on_fixing(book, code, leg) and is_fresh(leg, AssetKind.CURRENCY)


def falls_back_on_fixing(book: RateBook, code: str, quote: Quote) -> bool:
    """Say whether a currency that trades shows its fixing: while its market is open, that is no price to deal at."""
    return code in book.traded and quote.origin.pace in _FIXED


def oldest_fixing(book: RateBook, pair: Pair) -> Quote | None:
    """Return the oldest daily fixing that a cross rate of `pair` is made of; None where both its legs trade.

    Errors: RateUnavailable when a leg is missing.
    """
    legs = [book.leg(code) for code in (pair.base, pair.quote) if code != PIVOT]
    fixings = [leg for leg in legs if leg.origin.pace in _FIXED]
    return min(fixings, key=lambda leg: leg.as_of, default=None)
