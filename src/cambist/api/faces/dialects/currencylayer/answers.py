"""Rates of now, of a day and of a period, conversions, changes, and the names of the currencies."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from cambist.api.faces.dialects.currencylayer.refusals import called
from cambist.api.faces.dialects.dialect import DialectAnswer, DialectRequest
from cambist.api.faces.dialects.plain_answers import answer_with, change_between, found_on
from cambist.api.faces.dialects.rates import DatedRates, daily_rates, latest_rates, priced_currencies, rates_on
from cambist.api.faces.dialects.reading import converted, read_codes
from cambist.api.questions.amounts import read_amount
from cambist.api.questions.parameter_types import read_day, read_last_day
from cambist.api.questions.symbol_parameters import ANY_ASSET, MONEY_AND_METALS, read_code
from cambist.errors import BadParameter
from cambist.reference.currency_tables import CURRENCIES

SOURCE = "USD"
MAX_DAYS = 366
"""The most days of a period in one answer."""


def live(request: DialectRequest) -> DialectAnswer:
    """Answer `/live`: rates of now."""
    source, found = _source(request), latest_rates(request.context, _source(request), _currencies(request))
    return answer_with(_head(request) | _dated(request, found, source) | {"quotes": _quotes(source, found.values)})


def historical(request: DialectRequest) -> DialectAnswer:
    """Answer `/historical`: rates of `date`."""
    day = _day(request, "date", (301, "no_date_supplied"), (302, "invalid_date"))
    source, currencies = _source(request), _currencies(request)
    request.check_history(day)
    found = found_on(request, source, currencies, day)
    body = _head(request) | {"historical": True, "date": found.day()} | _dated(request, found, source)
    return answer_with(body | {"quotes": _quotes(source, found.values)}, earliest_day=day)


def convert(request: DialectRequest) -> DialectAnswer:
    """Answer `/convert`: `amount` of `from` in `to`, on `date` if it is given.

    `info` has the rate as `quote`, and as `rate` for programs made for the interface before this one.
    """
    query, context = request.query, request.context
    with called(302, "invalid_date"):
        day = read_day("date", query["date"], context.today) if query.get("date") else None
    kinds = ANY_ASSET if day is None else MONEY_AND_METALS
    with called(401, "invalid_from_currency"):
        base = read_code(_given(query, "from"), "source", kinds)
    with called(402, "invalid_to_currency"):
        quote = read_code(_given(query, "to"), "target", kinds)
    with called(403, "invalid_conversion_amount"):
        amount = read_amount("amount", query.get("amount") or "1")
    if day is not None:
        request.check_history(day)
    found = latest_rates(context, base, [quote]) if day is None else found_on(request, base, [quote], day)
    rate = found.values[quote]
    body = _head(request) | {
        "query": {"from": base, "to": quote, "amount": amount},
        "info": {"timestamp": found.timestamp(context.book.as_of), "quote": rate, "rate": rate},
    }
    if day is not None:
        body |= {"historical": True, "date": found.day()}
    return answer_with(body | {"result": converted(amount, rate)}, earliest_day=day)


def timeframe(request: DialectRequest) -> DialectAnswer:
    """Answer `/timeframe`: rates of each day from `start_date` to `end_date`."""
    source, (start, end) = _source(request), _period(request)
    currencies = _currencies(request)
    request.check_history(start)
    codes = currencies or list(priced_currencies(request.context, end))
    by_day = daily_rates(request.context, source, codes, start, end)
    body = _head(request) | {
        "timeframe": True,
        "timeseries": True,
        "start_date": start,
        "end_date": end,
        "source": source,
        "quotes": {day: _quotes(source, values) for day, values in by_day.items()},
    }
    return answer_with(body, cost=len(codes), earliest_day=start)


def change(request: DialectRequest) -> DialectAnswer:
    """Answer `/change`: how rates changed from one day to another, from yesterday to now if there is none."""
    context, source = request.context, _source(request)
    currencies = _currencies(request)
    if request.query.get("start_date") or request.query.get("end_date"):
        start, end = _period(request)
        request.check_history(start)
        last: DatedRates = rates_on(context, source, currencies, end)
    else:
        start, end = context.today - timedelta(days=1), context.today
        request.check_history(start)
        last = latest_rates(context, source, currencies)
    first = rates_on(context, source, currencies, start)
    quotes = {
        f"{source}{code}": change_between(value, last.values[code])
        for code, value in first.values.items()
        if code in last.values
    }
    body = _head(request) | {"change": True, "start_date": start, "end_date": end, "source": source, "quotes": quotes}
    return answer_with(body, cost=2, earliest_day=start)


def names(request: DialectRequest) -> DialectAnswer:
    """Answer `/list`: names by code."""
    found = {code: CURRENCIES[code].name for code in priced_currencies(request.context)}
    return answer_with(_head(request) | {"currencies": found})


def _head(request: DialectRequest) -> dict[str, Any]:
    """Return what every answer begins with; the terms are those of the sources that the service names."""
    return {"success": True, "terms": f"{request.address}/sources", "privacy": f"{request.address}/docs"}


def _dated(request: DialectRequest, found: DatedRates, source: str) -> dict[str, Any]:
    return {"timestamp": found.timestamp(request.context.book.as_of), "source": source}


def _quotes(source: str, values: Mapping[str, float]) -> dict[str, float]:
    return {f"{source}{code}": value for code, value in values.items()}


def _source(request: DialectRequest) -> str:
    """Return the source, USD if it is left out. Errors: UnknownSymbol."""
    return read_code(request.query.get("source") or SOURCE)


def _currencies(request: DialectRequest) -> list[str] | None:
    """Return the named targets; None for all. Errors: UnknownSymbol."""
    return read_codes("currencies", request.query.get("currencies", ""))


def _given(query: Mapping[str, str], name: str) -> str:
    if not query.get(name):
        raise BadParameter(f"Missing parameter: [{name}]")
    return query[name]


def _day(request: DialectRequest, name: str, missing: tuple[int, str], invalid: tuple[int, str]) -> date:
    with called(*missing):
        text = _given(request.query, name)
    with called(*invalid):
        return read_day(name, text, request.context.today)


def _period(request: DialectRequest) -> tuple[date, date]:
    start = _day(request, "start_date", (501, "no_timeframe_supplied"), (502, "invalid_start_date"))
    with called(501, "no_timeframe_supplied"):
        text = _given(request.query, "end_date")
    with called(503, "invalid_end_date"):
        end = read_last_day("end_date", text, request.context.today)
    with called(504, "invalid_time_frame"):
        if end < start:
            raise BadParameter(f"Invalid period: [{start}] is after [{end}]")
    with called(505, "time_frame_too_long"):
        if (end - start).days >= MAX_DAYS:
            raise BadParameter(f"Invalid period: from [{start}] to [{end}], it takes at most {MAX_DAYS} days")
    return start, end
