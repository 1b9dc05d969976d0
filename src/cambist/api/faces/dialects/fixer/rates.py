"""Rates of now and of a day, and the names of the currencies."""

from __future__ import annotations

from cambist.api.faces.dialects.dialect import DialectAnswer, DialectRequest
from cambist.api.faces.dialects.plain_answers import answer_with, found_on
from cambist.api.faces.dialects.rates import latest_rates, priced_currencies
from cambist.api.faces.dialects.reading import read_codes
from cambist.api.questions.parameter_types import read_day
from cambist.api.questions.symbol_parameters import read_code
from cambist.reference.currency_tables import CURRENCIES

BASE = "EUR"


def latest(request: DialectRequest) -> DialectAnswer:
    """Answer `/latest`: rates of now."""
    context, base = request.context, base_of(request)
    found = latest_rates(context, base, targets_of(request))
    body = {
        "success": True,
        "timestamp": found.timestamp(context.book.as_of),
        "base": base,
        "date": found.day(),
        "rates": found.values,
    }
    return answer_with(body)


def historical(request: DialectRequest) -> DialectAnswer:
    """Answer `/{day}`: rates of that day."""
    context, base = request.context, base_of(request)
    day = read_day("date", request.path["period"], context.today)
    targets = targets_of(request)
    request.check_history(day)
    found = found_on(request, base, targets, day)
    body = {
        "success": True,
        "timestamp": found.timestamp(context.now),
        "historical": True,
        "base": base,
        "date": found.day(),
        "rates": found.values,
    }
    return answer_with(body, earliest_day=day)


def symbols(request: DialectRequest) -> DialectAnswer:
    """Answer `/symbols`: names by code."""
    names = {code: CURRENCIES[code].name for code in priced_currencies(request.context)}
    return answer_with({"success": True, "symbols": names})


def base_of(request: DialectRequest) -> str:
    """Return the base, EUR if it is left out. Errors: UnknownSymbol."""
    return read_code(request.query.get("base", BASE))


def targets_of(request: DialectRequest) -> list[str] | None:
    """Return the named targets; None for all. Errors: UnknownSymbol."""
    return read_codes("symbols", request.query.get("symbols", ""))
