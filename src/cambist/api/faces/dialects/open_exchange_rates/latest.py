"""Rates of now, of a day and of a period, and the names of the currencies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from cambist.api.answer.request_context import RequestContext
from cambist.api.faces.dialects.dialect import DialectAnswer, DialectRequest
from cambist.api.faces.dialects.open_exchange_rates.writing import is_on, written
from cambist.api.faces.dialects.rates import DatedRates, daily_rates, joined, latest_rates, priced_currencies, rates_on
from cambist.api.faces.dialects.reading import known_codes
from cambist.api.questions.parameter_types import read_day, read_last_day
from cambist.api.questions.symbol_parameters import ANY_ASSET, MONEY_AND_METALS, read_code
from cambist.errors import BadParameter, NoRate, RateUnavailable
from cambist.pricing.pair import PIVOT
from cambist.reference.assets import COINS, METALS, MetalKind
from cambist.reference.currency_tables import CURRENCIES

_PRECIOUS = tuple(code for code, metal in METALS.items() if metal.kind is MetalKind.PRECIOUS)
MAX_DAYS = 366
"""The most days of a time series in one answer."""


def latest(request: DialectRequest) -> DialectAnswer:
    """Answer `/api/latest.json`; with `show_alternative` it has coins too."""
    context, base = request.context, _base(request)
    codes = known_codes("symbols", request.query.get("symbols", ""), ANY_ASSET)
    if codes is None:
        coins = COINS if is_on(request, "show_alternative") else ()
        found = [latest_rates(context, base), *_available(context, base, (*_PRECIOUS, *coins))]
    else:
        found = list(_available(context, base, codes))
    return _of_one_time(request, base, found, context.book.as_of)


def _of_one_time(request: DialectRequest, base: str, found: Iterable[DatedRates], newest: datetime) -> DialectAnswer:
    """Write rates under one timestamp. If no code is known or has a rate, there are none."""
    rates = joined(found)
    timestamp = rates.timestamp(newest) if rates.values else int(newest.timestamp())
    return written(request, {"timestamp": timestamp, "base": base, "rates": dict(sorted(rates.values.items()))})


def _base(request: DialectRequest) -> str:
    return read_code(request.query.get("base", PIVOT), "source", MONEY_AND_METALS)


def _available(context: RequestContext, base: str, codes: Iterable[str]) -> Iterator[DatedRates]:
    """Yield the rates of those codes that have a fresh one; others are left out, as the original does."""
    for code in codes:
        with suppress(RateUnavailable, BadParameter):  # no fresh price, or a coin in a metal
            yield latest_rates(context, base, [code])


def historical(request: DialectRequest) -> DialectAnswer:
    """Answer `/api/historical/{day}.json`."""
    context, base = request.context, _base(request)
    day = read_day("date", request.path["file"].removesuffix(".json"), context.today)
    codes = known_codes("symbols", request.query.get("symbols", ""))
    request.check_history(day)
    found = [] if codes == [] else [rates_on(context, base, codes, day)]
    if codes is None:
        with suppress(NoRate):
            found.append(rates_on(context, base, _PRECIOUS, day))
    return replace(_of_one_time(request, base, found, context.now), earliest_day=day)


def time_series(request: DialectRequest) -> DialectAnswer:
    """Answer `/api/time-series.json`: rates of each day from `start` to `end`."""
    context, base, query = request.context, _base(request), request.query
    for name in ("start", "end"):
        if not query.get(name):
            raise BadParameter(f"Missing parameter: [{name}], a day such as 2024-02-29")
    start = read_day("start", query["start"], context.today)
    end = read_last_day("end", query["end"], context.today)
    if not 0 <= (end - start).days < MAX_DAYS:
        raise BadParameter(f"Invalid period: from [{start}] to [{end}], it takes at most {MAX_DAYS} days in order")
    request.check_history(start)
    codes = known_codes("symbols", query.get("symbols", ""))
    if codes is None:
        codes = list(priced_currencies(context, end))
    rates = daily_rates(context, base, codes, start, end)
    body = {"start_date": start, "end_date": end, "base": base, "rates": rates}
    return written(request, body, cost=max(len(codes), 1), earliest_day=start)


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
