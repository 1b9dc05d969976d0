"""Rates of now, of a day and of a period, and the names of the currencies."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, time

from cambist.api.answer.request_context import RequestContext
from cambist.api.faces.dialects.dialect import DialectAnswer, DialectRequest
from cambist.api.faces.dialects.open_exchange_rates.writing import is_on, written
from cambist.api.faces.dialects.rates import daily_rates, latest_rates, priced_currencies, rates_on
from cambist.api.faces.dialects.reading import known_codes
from cambist.api.questions.parameter_types import read_day
from cambist.api.questions.symbol_parameters import ANY_ASSET, MONEY_AND_METALS, read_code
from cambist.errors import BadParameter, NoRate, RateUnavailable
from cambist.pricing.pair import PIVOT
from cambist.reference.assets import COINS, METALS, MetalKind
from cambist.reference.currency_tables import CURRENCIES

_PRECIOUS = tuple(code for code, metal in METALS.items() if metal.kind is MetalKind.PRECIOUS)
_END_OF_DAY = time(23, 59, 59, tzinfo=UTC)
MAX_DAYS = 366
"""The most days of a time series in one answer."""


def latest(request: DialectRequest) -> DialectAnswer:
    """Answer `/api/latest.json`; with `show_alternative` it has coins too."""
    context, base = request.context, _base(request)
    codes = known_codes(request.query.get("symbols", ""), ANY_ASSET)
    if codes:
        rates = _available(context, base, codes)
    else:
        coins = COINS if is_on(request, "show_alternative") else ()
        rates = latest_rates(context, base) | _available(context, base, (*_PRECIOUS, *coins))
    body = {"timestamp": int(context.book.as_of.timestamp()), "base": base, "rates": dict(sorted(rates.items()))}
    return written(request, body)


def _base(request: DialectRequest) -> str:
    return read_code(request.query.get("base", PIVOT), "source", MONEY_AND_METALS)


def _available(context: RequestContext, base: str, codes: Iterable[str]) -> dict[str, float]:
    """Return the rates of those codes that have a fresh one; others are left out, as the original does."""
    rates: dict[str, float] = {}
    for code in codes:
        try:
            rates |= latest_rates(context, base, [code])
        except (RateUnavailable, BadParameter):  # no fresh price, or a coin in a metal
            continue
    return rates


def historical(request: DialectRequest) -> DialectAnswer:
    """Answer `/api/historical/{day}.json`."""
    context, base = request.context, _base(request)
    day = read_day("date", request.path["file"].removesuffix(".json"), context.today)
    codes = known_codes(request.query.get("symbols", "")) or None
    request.check_history(day)
    rates = dict(sorted(rates_on(context, base, codes, day).items()))
    if codes is None:
        rates = dict(sorted((rates | _metals_on(context, base, day)).items()))
    moment = min(datetime.combine(day, _END_OF_DAY), context.now)
    body = {"timestamp": int(moment.timestamp()), "base": base, "rates": rates}
    return written(request, body, earliest_day=day)


def _metals_on(context: RequestContext, base: str, day: date) -> dict[str, float]:
    try:
        return rates_on(context, base, _PRECIOUS, day)
    except NoRate:
        return {}


def time_series(request: DialectRequest) -> DialectAnswer:
    """Answer `/api/time-series.json`: rates of each day from `start` to `end`."""
    context, base, query = request.context, _base(request), request.query
    for name in ("start", "end"):
        if not query.get(name):
            raise BadParameter(f"Missing parameter: [{name}], a day such as 2024-02-29")
    start, end = (read_day(name, query[name], context.today) for name in ("start", "end"))
    if not 0 <= (end - start).days < MAX_DAYS:
        raise BadParameter(f"Invalid period: from [{start}] to [{end}], it takes at most {MAX_DAYS} days in order")
    request.check_history(start)
    codes = known_codes(query.get("symbols", "")) or list(priced_currencies(context, end))
    rates = daily_rates(context, base, codes, start, end)
    body = {"start_date": start, "end_date": end, "base": base, "rates": rates}
    return written(request, body, cost=len(codes), earliest_day=start)


def currencies(request: DialectRequest) -> DialectAnswer:
    """Answer `/api/currencies.json`: names by code, free with a key too, as in the original."""
    names = {code: _name(code) for code in (*priced_currencies(request.context), *_PRECIOUS)}
    if is_on(request, "show_inactive"):
        names |= {code: currency.name for code, currency in CURRENCIES.items()}
    if is_on(request, "show_alternative"):
        names |= {code: coin.name for code, coin in COINS.items()}
    return written(request, dict(sorted(names.items())), cost=0, has_notes=False)


def _name(code: str) -> str:
    return CURRENCIES[code].name if code in CURRENCIES else METALS[code].name
