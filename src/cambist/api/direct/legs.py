"""The legs of all cross rates of one rate book, looked up by the bytes of their code."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from functools import lru_cache
from math import inf

from cambist.api.direct.declined import Declined
from cambist.api.state.worker_state import Choices, WorkerState
from cambist.pricing.book_columns import PRESENT
from cambist.pricing.freshness import MaxAges, age_limit, fresh_for
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Quote
from cambist.pricing.rate_book import PairPrice, RateBook
from cambist.pricing.unix_time import from_unix_us
from cambist.reference.assets import COINS, METALS, AssetKind, kind_of
from cambist.reference.currency_tables import CURRENCIES

CURRENCY, METAL, COIN = 0, 1, 2
METAL_AND_COIN = METAL + COIN
"""No market trades them for each other. No other two kinds have this sum."""

NO_TIME = 1 << 62
"""The market time of the pivot: later than that of any quote."""

MARGIN = 0.001
"""How many seconds before its end the freshness of a price is no longer certain: floats are compared, not moments."""

CODES = {code.encode(): code for code in (*CURRENCIES, *METALS, *COINS)}
"""All codes that can be asked for, by their bytes."""

PIVOT_CODE = PIVOT.encode()

Leg = tuple[float, int, float, int]
"""The midpoint in the pivot, its market time in microseconds since 1970, until when it may be used for certain in
seconds since 1970, and the kind of asset."""


class Legs(dict[bytes, Leg]):
    """The legs by code; each is found when it is first asked for. Errors: KeyError for a code without a price.

    The price of a currency may always be used, unless the operator limits the age of all rates: it falls back on its
    fixing. That of a coin ages with the clock. How long a metal may be used depends on its trading hours, and is worked
    out when it is asked for (`renew`).
    """

    def __init__(self, state: WorkerState, book: RateBook) -> None:
        super().__init__()
        self._choices = state.choices
        self._book = book
        longest_age = self._choices.longest_age
        self.longest_age = inf if longest_age is None else longest_age.total_seconds() - MARGIN
        coin_age = self._choices.ages.get(AssetKind.COIN)
        self._coin_age = inf if coin_age is None else coin_age.total_seconds() - MARGIN

    def __missing__(self, key: bytes) -> Leg:
        code = CODES[key]
        if code == PIVOT:
            leg: Leg = (1.0, NO_TIME, inf, CURRENCY)
        else:
            found = self._book.mid_and_time(code)
            if found is None:
                raise KeyError(key)
            mid, time = found
            kind = CURRENCY if code in CURRENCIES else METAL if code in METALS else COIN
            leg = (mid, time, 0.0 if kind == METAL else time / 1e6 + self.longest_age, kind)
            if kind == COIN and self._coin_age != inf:
                leg = (mid, time, min(leg[2], self._coin_until(code)), kind)
        self[key] = leg
        return leg

    def _coin_until(self, code: str) -> float:
        """Return until when the price of a coin may be used, and those of the coins that it was crossed through."""
        columns, checked, oldest = self._book.columns, [code], NO_TIME
        for one in checked:
            slot = columns.names.codes.get(one)
            if slot is not None and columns.flags[slot] & PRESENT:
                oldest = min(oldest, columns.own_as_of[slot])
                checked += [coin for coin in _coins_of(columns.origins.legs[columns.legs[slot]]) if coin not in checked]
        return oldest / 1e6 + self._coin_age

    def renew(self, keys: Iterable[bytes], now: float) -> None:
        """Work out until when legs may be used. Errors: Declined if one may not be used now for certain."""
        for key in keys:
            mid, time, until, kind = self[key]
            if now >= until and kind == METAL:
                left = time_left(self._choices, self._book, CODES[key], now)
                until = min(now + left - MARGIN, time / 1e6 + self.longest_age)
                self[key] = (mid, time, until, kind)
            if now >= until:
                raise Declined


@lru_cache(maxsize=4096)
def _coins_of(legs: tuple[Pair, ...]) -> frozenset[str]:
    return frozenset(side for leg in legs for side in (leg.base, leg.quote) if side in COINS)


def certain_until(price: Quote | PairPrice, kind: AssetKind, ages: MaxAges, now: float) -> float:
    """Return until when a price may be used for certain, in seconds since 1970.

    No price ages faster than the clock, so that few need a look at the trading hours.
    """
    limit = age_limit(price, kind, ages)
    if limit == timedelta.max:
        return inf
    until = price.own_as_of.timestamp() + limit.total_seconds() - MARGIN
    if now < until:
        return until
    return now + fresh_for(price, kind, ages, from_unix_us(int(now * 1e6))).total_seconds() - MARGIN


def time_left(choices: Choices, book: RateBook, code: str, now: float) -> float:
    """Return for how many seconds the price of a metal may be used; below 0 if it is too old.

    While its market is open, a price ages as fast as the clock, otherwise not: it may be used at least for so long.
    Coins that it was crossed through count too, as in `pricing.freshness.first_stale_code`.
    """
    shortest, moment, checked = timedelta.max, from_unix_us(int(now * 1e6)), [code]
    for one in checked:
        kind, price = kind_of(one), book.code_price(one)
        if kind is None or kind is AssetKind.CURRENCY or price is None:
            continue
        shortest = min(shortest, fresh_for(price, kind, choices.ages, moment))
        sides = {side for leg in book.legs_of(one) for side in (leg.base, leg.quote)}
        checked += [side for side in sides if side in COINS and side not in checked]
    return shortest.total_seconds()
