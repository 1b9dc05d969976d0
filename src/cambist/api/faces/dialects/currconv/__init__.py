"""The dialect `currconv`: the interface of The Free Currency Converter API, version 7.

Known from its document and from techwithtim's and posadskiy's clients: `compact=ultra` has the numbers alone.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import msgspec

from cambist.api.faces.dialects.dialect import Dialect, DialectAnswer, DialectRequest, DialectRoute
from cambist.api.faces.dialects.plain_answers import answer_with, found_on
from cambist.api.faces.dialects.rates import daily_rates, latest_rates
from cambist.api.questions.parameter_types import read_day
from cambist.api.questions.symbol_parameters import read_code, split_list
from cambist.errors import BadParameter, CambistError, NoRate, shorten
from cambist.reference.currency_tables import CURRENCIES

_MOST_PAIRS = 10
_LONGEST = timedelta(days=366)
_COMPACT = ("ultra", "y", "")


def convert(request: DialectRequest) -> DialectAnswer:
    """Answer `/api/v7/convert`: pairs written as USD_EUR, now, on a `date`, or up to an `endDate`."""
    pairs, query, context = _pairs(request.query.get("q", "")), request.query, request.context
    compact = query.get("compact", "")
    if compact not in _COMPACT:
        raise BadParameter(f"Invalid compact: [{shorten(compact)}], it takes ultra or y")
    first = read_day("date", query["date"], context.today) if query.get("date") else None
    last = read_day("endDate", query["endDate"], context.today) if query.get("endDate") else first
    if first is None:
        if last is not None:
            raise BadParameter("Missing parameter: [date], the first day")
        live = [(pair, latest_rates(context, base, [quote]).values[quote]) for pair, base, quote in pairs]
        return answer_with(_body(pairs, dict(live), compact), cost=len(pairs))
    if last is None or not first <= last or last - first > _LONGEST:
        raise BadParameter(f"Invalid endDate: [{last}], it takes up to a year from [{first}]")
    request.check_history(first)
    found = {pair: _days(request, base, quote, first, last) for pair, base, quote in pairs}
    return answer_with(_body(pairs, found, compact, first), cost=len(pairs), earliest_day=first)


def currencies(_request: DialectRequest) -> DialectAnswer:
    """Answer `/api/v7/currencies`."""
    known = {code: each for code, each in CURRENCIES.items() if not each.last_day}
    results = {code: {"id": code, "currencyName": each.name} for code, each in known.items()}
    return answer_with({"results": results}, cost=0)


def _days(request: DialectRequest, base: str, quote: str, first: date, last: date) -> dict[str, float]:
    if first == last:
        return {str(first): found_on(request, base, [quote], first).values[quote]}
    found = daily_rates(request.context, base, [quote], first, last)
    if not found:
        raise NoRate(f"No rate from [{base}] to [{quote}] between [{first}] and [{last}]")
    return {str(day): rates[quote] for day, rates in found.items()}


def _pairs(text: str) -> list[tuple[str, str, str]]:
    items = list(dict.fromkeys(item.upper() for item in split_list(text)))
    if not 1 <= len(items) <= _MOST_PAIRS:
        raise BadParameter(f"Missing parameter: [q], from 1 to {_MOST_PAIRS} pairs such as USD_EUR")
    found = []
    for item in items:
        base, dash, quote = item.partition("_")
        if not dash or not base or not quote or "_" in quote:
            raise BadParameter(f"Invalid q: [{shorten(item)}], a pair is written as USD_EUR")
        codes = read_code(base, "source"), read_code(quote, "target")
        found.append(("_".join(codes), *codes))
    return found


def _body(
    pairs: list[tuple[str, str, str]], found: dict[str, Any], compact: str, day: date | None = None
) -> dict[str, Any]:
    if compact == "ultra":
        return found
    if compact == "y":
        return {pair: {"val": value} for pair, value in found.items()}
    results = {pair: {"id": pair, "val": found[pair], "to": quote, "fr": base} for pair, base, quote in pairs}
    dated = {} if day is None else {"date": str(day)}
    return {"query": {"count": len(pairs)}, **dated, "results": results}


def write_error(status: int, code: str, sentence: str, _error: CambistError | None) -> tuple[int, bytes]:
    """Return an error as the original's: a status and a sentence."""
    return status, msgspec.json.encode({"status": status, "error": sentence, "code": code})


dialect = Dialect(
    name="currconv",
    title="The Free Currency Converter API",
    guide="dialects-of-prices.md",
    routes=(
        DialectRoute("/api/v7/convert", convert, ("q", "compact", "date", "endDate"), live_with=("q", "compact")),
        DialectRoute("/api/v7/currencies", currencies),
    ),
    write_error=write_error,
    key_parameters=("apiKey",),
)
