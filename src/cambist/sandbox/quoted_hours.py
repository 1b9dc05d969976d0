"""Quoted hours: the days and the hours in which a pair of two currencies has simulated prices."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.trading_hours import Hours, last_trading_moment
from cambist.reference.currency_tables import CURRENCIES
from cambist.sandbox.fixing_days import floating_days
from cambist.sandbox.pairs import CROSSES, against_pivot

FIRST_DAY = date(1970, 1, 1)
_DAYS = (date(2100, 1, 1) - FIRST_DAY).days
_DAY = 86_400
_HOUR = 3600
_PAIRS = (*(against_pivot(code, in_dollars=False) for code in CURRENCIES if code != PIVOT), *CROSSES)
_HALF_AN_HOUR = timedelta(minutes=30)


def currency_pairs() -> Iterator[Pair]:
    """Yield the pairs of two currencies that are quoted at some time."""
    yield from (pair for pair in _PAIRS if quoted_days(pair).any())


def is_quoted(pair: Pair) -> bool:
    """Return whether a pair of two currencies is quoted at some time."""
    return pair in _PAIRS and bool(quoted_days(pair).any())


@lru_cache(maxsize=16)
def quoted_days(pair: Pair) -> NDArray[np.bool_]:
    """Return for each day since 1970 whether a pair of two currencies is quoted on it."""
    quoted = np.ones(_DAYS, np.bool_)
    for code in (pair.base, pair.quote):
        if code != PIVOT:
            quoted &= _floats(code)
    return quoted


def _floats(code: str) -> NDArray[np.bool_]:
    return np.unpackbits(_packed(code), count=_DAYS).view(np.bool_)


@cache
def _packed(code: str) -> NDArray[np.uint8]:
    """Return a bit for each day: less than 2 MB for all currencies."""
    return np.packbits(floating_days(code, FIRST_DAY, _DAYS))


@lru_cache(maxsize=8192)
def open_hours(row: int) -> tuple[int, ...]:
    """Return the starts of the hours of a day in which currencies trade, in seconds since 1970.

    The day is the number of days since 1970. Currencies open and close on the hour, so an hour is open from its start
    to its end or not at all.
    """
    return tuple(start for start in range(row * _DAY, (row + 1) * _DAY, _HOUR) if _is_open(start))


def _is_open(start: int) -> bool:
    moment = datetime.fromtimestamp(start, UTC) + _HALF_AN_HOUR
    return last_trading_moment(Hours.CURRENCIES, moment).as_of == moment
