"""Version 2: rates of every calendar day, as a list of objects or as CSV."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from statistics import fmean

import msgspec

from cambist.api.faces.dialects.dialect import DialectAnswer, DialectRequest
from cambist.api.faces.dialects.frankfurter.providers import provided_between, provided_on, provider_rates
from cambist.api.faces.dialects.frankfurter.version_1 import BASE, check_size, money
from cambist.api.faces.dialects.plain_json import encode_plainly, plain_rate
from cambist.api.faces.dialects.rates import daily_rates, latest_rates, priced_currencies, rates_on, shown
from cambist.api.faces.dialects.reading import known_codes
from cambist.api.questions.parameter_types import read_day, read_last_day
from cambist.api.questions.symbol_parameters import MONEY, read_code
from cambist.errors import BadParameter, NoRate, UnknownSymbol, shorten
from cambist.pricing.number_format import plain_float
from cambist.reference.assets import name_of
from cambist.reference.code_aliases import SIGNS

_BEGINS: dict[str, Callable[[date], date]] = {
    "week": lambda day: day - timedelta(days=day.weekday()),
    "month": lambda day: day.replace(day=1),
}
"""The first day of the week, a Monday, or of the month that a day is in, by the values of `group`."""


_encoder = msgspec.json.Encoder()


class RateRow(msgspec.Struct, frozen=True):
    """One rate."""

    date: date
    base: str
    quote: str
    rate: float


class _Found(msgspec.Struct, frozen=True):
    rows: list[RateRow]
    cost: int
    earliest_day: date | None


def root(_request: DialectRequest) -> DialectAnswer:
    """Answer `/v2`: what there is."""
    paths = [
        "/v2/rates",
        "/v2/rates.csv",
        "/v2/rate/{base}/{quote}",
        "/v2/currencies",
        "/v2/currency/{code}",
        "/v2/providers",
    ]
    return DialectAnswer(encode_plainly({"version": 2, "paths": paths}))


def rates(request: DialectRequest) -> DialectAnswer:
    """Answer `/v2/rates`, as NDJSON or CSV if the client asks for that."""
    if "application/x-ndjson" in request.accept:
        found = _find(request)
        lines = _encoder.encode_lines([_plain(row) for row in found.rows])
        return DialectAnswer(lines, "application/x-ndjson", found.cost, found.earliest_day)
    if "text/csv" in request.accept:
        return rates_as_csv(request)
    found = _find(request)
    content = _encoder.encode([_plain(row) for row in found.rows])
    return DialectAnswer(content, cost=found.cost, earliest_day=found.earliest_day)


def rates_as_csv(request: DialectRequest) -> DialectAnswer:
    """Answer `/v2/rates.csv`."""
    found = _find(request)
    lines = [f"{row.date},{row.base},{row.quote},{plain_float(row.rate)}" for row in found.rows]
    content = "\n".join(["date,base,quote,rate", *lines, ""])
    return DialectAnswer(content.encode(), "text/csv; charset=utf-8", found.cost, found.earliest_day)


def rate(request: DialectRequest) -> DialectAnswer:
    """Answer `/v2/rate/{base}/{quote}`: one rate, now or of a day."""
    quote = read_code(request.path["quote"], "target", MONEY)
    found = _of_day(request, read_code(request.path["base"], "source", MONEY), [quote])
    return DialectAnswer(_encoder.encode(_plain(found.rows[0])), earliest_day=found.earliest_day)


def currencies(request: DialectRequest) -> DialectAnswer:
    """Answer `/v2/currencies`: those that have a rate now."""
    context = request.context
    return DialectAnswer(msgspec.json.encode([_described(request, c) for c in money(priced_currencies(context))]))


def currency(request: DialectRequest) -> DialectAnswer:
    """Answer `/v2/currency/{code}`."""
    return DialectAnswer(msgspec.json.encode(_described(request, read_code(request.path["code"], "", MONEY))))


def _plain(row: RateRow) -> RateRow:
    """Return a row whose rate is encoded without an exponent."""
    rate = plain_rate(row.rate)
    return row if rate is row.rate else RateRow(row.date, row.base, row.quote, rate)


def _described(request: DialectRequest, code: str) -> dict[str, object]:
    span = request.context.matrix.span(code)
    return {
        "iso_code": code,
        "name": name_of(code),
        "symbol": SIGNS.get(code, code),
        "start_date": span[0] if span else None,
        "end_date": span[1] if span else None,
    }


def _find(request: DialectRequest) -> _Found:
    query = request.query
    base = _base(query.get("base", BASE))
    quotes = known_codes("quotes", query.get("quotes", ""), MONEY)
    if quotes == []:
        raise NoRate(f"No rate from [{base}] to [{shorten(query['quotes'])}]")
    if query.get("from"):
        if query.get("date"):
            raise BadParameter("Invalid date: a request is about one day, or about a period from [from]")
        return _of_period(request, base, quotes)
    if query.get("to"):
        raise BadParameter("Missing parameter: [from], the first day of a period that ends with [to]")
    if query.get("group"):
        raise BadParameter("Missing parameter: [from], the first day of a period, without which [group] says nothing")
    return _of_day(request, base, quotes)


def _base(text: str) -> str:
    """Return the base. Errors: BadParameter, as the original calls an unknown one here."""
    try:
        return read_code(text, "source", MONEY)
    except UnknownSymbol as error:
        raise BadParameter(str(error)) from error


def _of_day(request: DialectRequest, base: str, quotes: list[str] | None) -> _Found:
    context, text = request.context, request.query.get("date", "")
    day = context.today
    if text:
        day = read_day("date", text, day)
        request.check_history(day)
    if request.query.get("providers"):
        asked = quotes or money(priced_currencies(context, day))
        found = provided_on(provider_rates(request, (base, *asked)), base, asked, day, is_named=bool(quotes))
    else:
        found = rates_on(context, base, quotes, day) if text else latest_rates(context, base, quotes)
    targets = quotes or [code for code in money(found.values) if code != base]
    missing = [code for code in targets if code not in found.values]
    if missing:
        raise NoRate(f"No rate from [{base}] to [{missing[0]}] on [{day}]")
    return _Found(
        [RateRow(found.days[code], base, code, found.values[code]) for code in targets], 1, day if text else None
    )


def _of_period(request: DialectRequest, base: str, quotes: list[str] | None) -> _Found:
    context, query = request.context, request.query
    today = context.today
    start = read_day("from", query["from"], today)
    end = read_last_day("to", query["to"], today) if query.get("to") else today
    if start > end:
        raise BadParameter(f"Invalid from: [{start}] is after to [{end}]")
    request.check_history(start)
    targets = [code for code in quotes or money(priced_currencies(context, end)) if code != base]
    check_size(len(targets), (start, end))
    if query.get("providers"):
        found = provided_between(provider_rates(request, (base, *targets)), base, targets, start, end)
    else:
        found = daily_rates(context, base, targets, start, end, only_fixed=True)
    if query.get("group"):
        found = _grouped(found, query["group"])
    rows = [RateRow(day, base, code, value) for day, rates in found.items() for code, value in rates.items()]
    return _Found(rows, len(targets), start)


def _grouped(found: dict[date, dict[str, float]], text: str) -> dict[date, dict[str, float]]:
    """Return the mean of the days with a fixing in each week or month, under its first day."""
    begin = _BEGINS.get(text.lower())
    if begin is None:
        raise BadParameter(f"Invalid group: [{shorten(text)}]. Options are [{', '.join(_BEGINS)}]")
    values: dict[date, dict[str, list[float]]] = {}
    for day, rates in found.items():
        for code, value in rates.items():
            values.setdefault(begin(day), {}).setdefault(code, []).append(value)
    return {
        first: {code: shown(fmean(of_code)) for code, of_code in by_code.items()} for first, by_code in values.items()
    }
