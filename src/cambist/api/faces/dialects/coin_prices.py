"""What dialects of coins share: a price now, and on a past day by the coin's close."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.closes import read_closes
from cambist.api.bodies.coin_rates import coin_days
from cambist.api.faces.dialects.rates import daily_rates, latest_rates, rates_on, shown
from cambist.errors import BadParameter, NoRate, RateUnavailable
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.unix_time import EPOCH
from cambist.reference.assets import AssetKind, kind_of


def price_now(context: RequestContext, base: str, quote: str) -> float:
    """Return the price of now. Errors: BadParameter, RateUnavailable."""
    return 1.0 if base == quote else latest_rates(context, base, [quote]).values[quote]


def prices_now(context: RequestContext, base: str, quotes: Iterable[str]) -> dict[str, float]:
    """Return the prices of now of those that have one. Errors: BadParameter; RateUnavailable if there is none."""
    found, refused = dict[str, float](), None
    for quote in quotes:
        try:
            found[quote] = price_now(context, base, quote)
        except RateUnavailable as error:
            refused = error
    if not found and refused is not None:
        raise refused
    return found


def price_on(context: RequestContext, base: str, quote: str, day: date) -> float:
    """Return the price of a past day, of a coin by its close in US dollars. Errors: NoRate, RateUnavailable."""
    if base == quote:
        return 1.0
    return shown(_worth(context, base, day) / _worth(context, quote, day))


def closes_between(context: RequestContext, pair: Pair, first: date, last: date) -> list[tuple[date, float]]:
    """Return the closes of a coin in a currency, or the daily rates of a currency or metal.

    Errors: NoRate, BadParameter for prices in a coin.
    """
    if kind_of(pair.quote) is AssetKind.COIN:
        raise BadParameter(f"Invalid currency: [{pair.quote}] is a coin, closes are told in currencies")
    if kind_of(pair.base) is AssetKind.COIN:
        found = coin_days(context, pair, first, last)
        days = [EPOCH.date() + timedelta(days=int(day)) for day in found.days]
        return [(day, shown(rate)) for day, rate in zip(days, found.rates.tolist(), strict=True)]
    by_day = daily_rates(context, pair.base, [pair.quote], first, last)
    return [(day, rates[pair.quote]) for day, rates in by_day.items()]


def _worth(context: RequestContext, code: str, day: date) -> float:
    if code == PIVOT:
        return 1.0
    if kind_of(code) is AssetKind.COIN:
        return float(read_closes(context, Pair(code, PIVOT), day)[code].fixing.rate)
    found = rates_on(context, code, [PIVOT], day).values.get(PIVOT)
    if found is None:
        raise NoRate(f"No rate from [{code}] to [{PIVOT}] on [{day}]")
    return found
