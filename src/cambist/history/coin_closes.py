"""Closes: the prices of coins at the end of a UTC day, stored in the archive under a source key of their own (ADR 16).

A close is never carried forward to another day, and the rate matrix contains none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from fractions import Fraction

import numpy as np

from cambist.history.as_of import DayRates, rates_on
from cambist.history.explanation import ExplainedLeg, explain_day
from cambist.history.fixing import ReceivedFixing
from cambist.history.pair_series import PairSeries
from cambist.history.published_fixings import FixingLookup
from cambist.history.rate_matrix import FIRST_DAY, RateMatrix
from cambist.history.series import Series, read_series
from cambist.history.typed_series import CLOSES
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation, Origin

ReadCoinSeries = Callable[[str, date, date], PairSeries | None]
"""Reads the closes of a coin from one day to another; None if there are none. Errors: RateUnavailable, StoreBusy."""

_CROSSED = "crossed from "
_BETWEEN = ", "


def written_origin(origin: Origin) -> str:
    """Return the origin of a close as its delivery has it: `okx`, or `crossed from kraken, okx`."""
    sources = _BETWEEN.join(origin.sources)
    return sources if origin.made is Derivation.PUBLISHED else _CROSSED + sources


def find_close(revisions: Iterable[ReceivedFixing]) -> ReceivedFixing | None:
    """Return the last received close among all fixings of a coin's pair and day; None if there is none."""
    closes = [received for received in revisions if received.fixing.source == CLOSES]
    return closes[-1] if closes else None


def cross_on_day(matrix: RateMatrix, pair: Pair, day: date, closes: Mapping[str, ReceivedFixing]) -> DayRates:
    """Return the rate of a pair on a day, crossed from the `closes` of coins and the rate matrix's rates of currencies.

    Errors: NoRate if the day has no rate for a currency.
    """
    if not closes:
        return rates_on(matrix, day, pair.base, [pair.quote])
    rate = _worth(matrix, pair.base, day, closes) / _worth(matrix, pair.quote, day, closes)
    return DayRates((pair.quote,), [float(rate)])


def _worth(matrix: RateMatrix, code: str, day: date, closes: Mapping[str, ReceivedFixing]) -> Fraction:
    if code in closes:
        return closes[code].fixing.rate
    return Fraction(rates_on(matrix, day, code, [PIVOT]).values[0])


def cross_series(matrix: RateMatrix, pair: Pair, start: date, end: date, closes: PairSeries) -> Series:
    """Return the closes of a coin in a currency, each crossed with the currency's rate of the same day.

    A day without a close has no rate. Errors: NoRate if the currency has no rate on any day.
    """
    worth = read_series(matrix, Pair(pair.quote, PIVOT), start, end)
    values = np.full(len(worth.values), np.nan)
    places = closes.rows - (worth.first_day - FIRST_DAY).days
    is_inside = (places >= 0) & (places < len(values))
    values[places[is_inside]] = closes.rates[is_inside]
    return Series(pair, worth.first_day, values / worth.values)


def explain_coin_day(
    matrix: RateMatrix, pair: Pair, day: date, closes: Mapping[str, ReceivedFixing], lookup: FixingLookup | None = None
) -> list[ExplainedLeg]:
    """Return the legs of a pair's rate on a day: a coin's leg is its close, a currency's as in `explain_day`."""
    if not closes:
        return explain_day(matrix, pair, day, lookup)
    found = {leg.base + leg.quote: leg for leg in _legs(matrix, pair, day, closes, lookup)}
    return list(found.values())


def _legs(
    matrix: RateMatrix, pair: Pair, day: date, closes: Mapping[str, ReceivedFixing], lookup: FixingLookup | None
) -> Iterator[ExplainedLeg]:
    for code in (pair.base, pair.quote):
        if code in closes:
            yield close_leg(closes[code])
        else:
            yield from explain_day(matrix, Pair(code, PIVOT), day, lookup)


def close_leg(close: ReceivedFixing) -> ExplainedLeg:
    """Return a close as a leg of a rate, with the sources that it is from."""
    return ExplainedLeg(
        base=close.fixing.pair.base,
        quote=close.fixing.pair.quote,
        rate=close.fixing.rate,
        made=Derivation.CROSSED if close.origin.startswith(_CROSSED) else Derivation.PUBLISHED,
        sources=tuple(close.origin.removeprefix(_CROSSED).split(_BETWEEN)),
        fixed_on=close.fixing.day,
        received_at=close.received_at,
    )
