"""Freshness: which prices may still be used, decided alike for every face of the service."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from cambist.market.book import Book
from cambist.market.consensus import FRESH_FOR
from cambist.market.hours import age_when_traded
from cambist.market.pair import Pair
from cambist.market.quote import Quote
from cambist.market.standing import Pace
from cambist.reference.assets import AssetKind, kind_of

Ages = Mapping[AssetKind, timedelta]
"""How old a price that trades may be, by what it is of; whatever is not named may be however old."""


CARRIED_FOR = timedelta(days=7)
"""For how long a pair that nobody deals any more is still the last word on it: longer than any market is closed."""


def carried(pairs: Mapping[Pair, Quote], now: datetime) -> dict[Pair, Quote]:
    """Give the pairs that were dealt in the last days: in closed hours, and over a restart, nobody says them again."""
    return {pair: quote for pair, quote in pairs.items() if now - quote.as_of <= CARRIED_FOR}


def is_fresh(quote: Quote, kind: AssetKind, ages: Ages, now: datetime) -> bool:
    """Say whether a price of that kind may still be used: its age counts up to its market's last moment of trade.

    A price that trades may be as old as `ages` say, one that is given several times a day as old as its class, a fixing
    however old. Money that a coin is dealt in falls back on its fixing, and makes no coin old.
    """
    limit, pace = ages.get(kind, timedelta.max), quote.origin.pace
    if pace is not Pace.REALTIME:
        limit = max(limit, FRESH_FOR.get(pace, timedelta.max))
    return age_when_traded(quote.pair, quote.dealt_at, now) <= limit


def coins_behind(quote: Quote) -> list[str]:
    """Give the coins among the legs of a price: a coin falls back on nothing, and what is crossed is no younger."""
    sides = {side for leg in quote.origin.legs for side in (leg.base, leg.quote)}
    return [side for side in sides if kind_of(side) is AssetKind.COIN]


def has_fallen_back(book: Book, code: str, quote: Quote) -> bool:
    """Say whether a currency that trades shows its fixing: while its market is open, that is no price to deal at."""
    return code in book.traded and quote.origin.pace in (Pace.DAILY, Pace.MONTHLY)
