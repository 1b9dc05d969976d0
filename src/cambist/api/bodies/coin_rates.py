"""Rates of coins on past days: the closes that this service has archived, in currencies."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct, UnsetType

from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.closes import read_closes, since
from cambist.api.bodies.partial import answer_each
from cambist.api.questions.symbol_parameters import Codes
from cambist.errors import BadParameter, NoRate
from cambist.history.as_of import listed_rates
from cambist.history.coin_closes import close_leg, cross_on_day, cross_series
from cambist.history.fixing import ReceivedFixing
from cambist.history.fixing_age import fixing_ages, fixing_days
from cambist.history.published_days import PublishedDays, day_number
from cambist.history.series import Series
from cambist.history.typed_series import CLOSES
from cambist.pricing.number_format import trimmed
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation
from cambist.reference.assets import AssetKind, kind_of

CLOSE = "close"
"""Which price of a day a coin has."""

PriceName = Annotated[
    str | UnsetType, Meta(description="Of a coin: `close`, its price at midnight UTC; then `source` is `closes`.")
]


class CloseRecord(Struct, frozen=True):
    """The close of a coin in dollars, the exchanges that it is from, and whether it was crossed between them."""

    value: str
    quote: str
    sources: list[str]
    crossed: bool
    received_at: datetime


CloseOfDay = Annotated[CloseRecord | UnsetType, Meta(description="Of a coin: what was archived.")]


def is_of_coin(params: Struct) -> bool:
    """Return whether a past rate is asked from a coin. Errors: BadParameter for what no close has."""
    base: str = getattr(params, "base", "")
    if kind_of(base) is not AssetKind.COIN:
        return False
    for name in ("rate_type", "min_sources", "source", "rule", "booking"):
        if getattr(params, name, None) is not None:
            raise BadParameter(f"[{name}] is of fixings: coins such as [{base}] have the closes of this service alone")
    return True


def names_of_coin(params: Struct) -> dict[str, str]:
    """Return what an answer says of all rates of a coin; nothing if they are of something else."""
    return {"price": CLOSE, "source": CLOSES} if is_of_coin(params) else {}


@dataclass(frozen=True, slots=True)
class CoinRates:
    """The rates of a coin on a day, by target; of each the day of the older of its close and the currency's fixing."""

    rates: dict[str, float]
    fixed_on: dict[str, date | None]
    unavailable: list[str] | UnsetType
    close: CloseRecord


def coin_rates_on(context: RequestContext, coin: str, quotes: Codes | None, day: date, *, partial: bool) -> CoinRates:
    """Return the close of a coin in currencies, in all that the day lists if there are no `quotes`. Errors: NoRate."""
    matrix, closes = context.matrix, read_closes(context, Pair(coin, PIVOT), day)
    targets = Codes(listed_rates(matrix, day, PIVOT).codes) if quotes is None else quotes
    rates, unavailable = answer_each(
        targets,
        lambda quote: cross_on_day(matrix, Pair(coin, quote), day, closes).values[0],
        partial=partial,
        unknown=targets.unknown,
    )
    fixed = fixing_days(matrix, day, PIVOT, rates)
    return CoinRates(rates, {quote: fixed[quote] or day for quote in rates}, unavailable, _record(closes[coin]))


def _record(close: ReceivedFixing) -> CloseRecord:
    leg = close_leg(close)
    is_crossed = leg.made is Derivation.CROSSED
    return CloseRecord(trimmed(close.fixing.value), leg.quote, list(leg.sources), is_crossed, close.received_at)


def coin_series(context: RequestContext, pair: Pair, first: date, last: date) -> Series:
    """Return the closes of a coin in a currency, from one day to another. Errors: NoRate, BadParameter with a mark."""
    if context.mark is not None:
        raise BadParameter(f"Invalid as_of: closes of [{pair.base}] are known day by day, ask /historical for each")
    closes = context.state.readers.coin_series(pair.base, first, last)
    if closes is None:
        begun = since(context, pair.base)
        raise NoRate(f"No close of [{pair.base}] was archived between [{first}] and [{last}]{begun}")
    found = cross_series(context.matrix, pair, first, last, closes)
    if np.isnan(found.values).all():
        raise NoRate(f"No rate from [{pair.base}] to [{pair.quote}] between [{first}] and [{last}]")
    return found


def coin_days(context: RequestContext, pair: Pair, first: date, last: date) -> PublishedDays:
    """Return the days that have a close, and its rate in a currency. Errors: NoRate."""
    series = coin_series(context, pair, first, last)
    known = ~np.isnan(series.values)
    return PublishedDays(pair, day_number(series.first_day) + np.flatnonzero(known), series.values[known])


def currency_ages(context: RequestContext, series: Series) -> list[int | None]:
    """Return how old the currency's fixing is in each rate of a coin, in days: closes are never carried forward."""
    of_currency = Series(Pair(PIVOT, series.pair.quote), series.first_day, series.values)
    return [age or 0 for age in fixing_ages(context.matrix, of_currency)]
