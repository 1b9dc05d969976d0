"""Rates of a period, and how they changed over it."""

from __future__ import annotations

from datetime import date

from cambist.api.faces.dialects.dialect import DialectAnswer, DialectRequest
from cambist.api.faces.dialects.fixer.rates import base_of, targets_of
from cambist.api.faces.dialects.plain_answers import answer_with, change_between
from cambist.api.faces.dialects.rates import daily_rates, priced_currencies, rates_on
from cambist.api.questions.parameter_types import read_day, read_last_day
from cambist.errors import BadParameter

MAX_DAYS = 366
"""The most days of a period in one answer."""


def time_series(request: DialectRequest) -> DialectAnswer:
    """Answer `/timeseries`: rates of each day from `start_date` to `end_date`."""
    base, (start, end) = base_of(request), _period(request)
    targets = targets_of(request)
    request.check_history(start)
    codes = targets or list(priced_currencies(request.context, end))
    body = {
        "success": True,
        "timeseries": True,
        "start_date": start,
        "end_date": end,
        "base": base,
        "rates": daily_rates(request.context, base, codes, start, end),
    }
    return answer_with(body, cost=len(codes), earliest_day=start)


def fluctuation(request: DialectRequest) -> DialectAnswer:
    """Answer `/fluctuation`: the rates of the first and the last day, and the change between them."""
    context, base, (start, end) = request.context, base_of(request), _period(request)
    codes = targets_of(request)
    request.check_history(start)
    first, last = (rates_on(context, base, codes, day).values for day in (start, end))
    rates = {code: change_between(first[code], last[code]) for code in first if code in last}
    body = {
        "success": True,
        "fluctuation": True,
        "start_date": start,
        "end_date": end,
        "base": base,
        "rates": rates,
    }
    return answer_with(body, cost=2, earliest_day=start)


def _period(request: DialectRequest) -> tuple[date, date]:
    query, today = request.query, request.context.today
    for name in ("start_date", "end_date"):
        if not query.get(name):
            raise BadParameter(f"Missing parameter: [{name}], a day such as 2024-02-29")
    start = read_day("start_date", query["start_date"], today)
    end = read_last_day("end_date", query["end_date"], today)
    if not 0 <= (end - start).days < MAX_DAYS:
        raise BadParameter(f"Invalid period: from [{start}] to [{end}], it takes at most {MAX_DAYS} days in order")
    return start, end
