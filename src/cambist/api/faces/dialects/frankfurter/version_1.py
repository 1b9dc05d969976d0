"""Version 1: rates of business days, as an object of code to rate.

In a weekend the newest rates are those of Friday, under Friday's date; a period has business days only.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import date
from decimal import Decimal

from cambist.api.answer.request_context import RequestContext
from cambist.api.faces.dialects.dialect import DialectAnswer, DialectRequest
from cambist.api.faces.dialects.plain_json import encode_plainly
from cambist.api.faces.dialects.rates import DatedRates, daily_rates, latest_rates, priced_currencies, rates_on
from cambist.api.faces.dialects.reading import business_day, first_of, known_codes, times
from cambist.api.questions.amounts import read_amount
from cambist.api.questions.parameter_types import read_day, read_last_day
from cambist.api.questions.symbol_parameters import MONEY, read_code
from cambist.errors import BadParameter, NoRate, shorten
from cambist.history.as_of import CARRY_DAYS
from cambist.reference.currency_tables import CURRENCIES
from cambist.reference.minor_units import CURRENCY_CODES

BASE = "EUR"
MAX_RATES = 200_000
"""The most rates in one answer: ten currencies since 1970, or all of them for three years."""

_ONE = Decimal(1)


def root(_request: DialectRequest) -> DialectAnswer:
    """Answer `/v1`: what there is."""
    return _json({"version": 1, "paths": ["/v1/latest", "/v1/{day}", "/v1/{start}..{end}", "/v1/currencies"]})


def currencies(request: DialectRequest) -> DialectAnswer:
    """Answer `/v1/currencies`: names by code."""
    priced = money(priced_currencies(request.context))
    return _json({code: CURRENCIES[code].name for code in priced})


def rates(request: DialectRequest) -> DialectAnswer:
    """Answer `/v1/latest`, `/v1/{day}`, and `/v1/{start}..{end}`, whose end may be left out."""
    period, today = request.path.get("period", "latest"), request.context.today
    base = read_code(first_of(request.query, ("from", "base"), BASE), "source", MONEY)
    quotes = _targets(request, base)
    amount = read_amount("amount", request.query.get("amount") or "1")
    start, dots, end = period.partition("..")
    if dots:
        first = read_day("start", start, today)
        return _of_period(request, base, quotes, amount, (first, read_last_day("end", end or str(today), today)))
    if period == "latest":
        return _latest(request.context, base, quotes, amount)
    day = business_day(read_day("date", period, today))
    request.check_history(day)
    return _on_day(request.context, base, quotes, amount, day)


def _targets(request: DialectRequest, base: str) -> list[str] | None:
    """Return the known ones of the targets that the request names; None for all.

    Errors: NoRate if all are unknown, BadParameter.
    """
    text = first_of(request.query, ("to", "symbols", "symbol"))  # beanprice writes it so
    found = known_codes("symbols", text, MONEY)
    if found is None:
        return None
    if not found:
        raise NoRate(f"No rate from [{base}] to [{shorten(text)}]")
    quotes = [quote for quote in found if quote != base]
    if not quotes:
        raise BadParameter(f"bad currency pair: [{base}] to itself")
    return quotes


def _latest(context: RequestContext, base: str, quotes: list[str] | None, amount: Decimal) -> DialectAnswer:
    """Answer with Friday's rates in a weekend; with the newest ones if there are none, as without sources."""
    day = business_day(context.today)
    is_fixed = (day - context.matrix.last_fixing).days <= CARRY_DAYS  # else only what the law fixes has a rate
    if day != context.today and is_fixed:
        with suppress(NoRate):
            return _on_day(context, base, quotes, amount, day, is_live=True)
    return _of_day(base, amount, latest_rates(context, base, quotes))


def _on_day(
    context: RequestContext, base: str, quotes: list[str] | None, amount: Decimal, day: date, *, is_live: bool = False
) -> DialectAnswer:
    found = rates_on(context, base, quotes, day)
    return _of_day(base, amount, found, earliest_day=None if is_live else day)


def _of_day(base: str, amount: Decimal, found: DatedRates, earliest_day: date | None = None) -> DialectAnswer:
    listed = {code: rate for code, rate in found.values.items() if code in CURRENCY_CODES and code != base}
    body = {"amount": amount, "base": base, "date": found.day(listed), "rates": _of_amount(listed, amount)}
    return _json(body, earliest_day=earliest_day)


def _of_period(
    request: DialectRequest, base: str, quotes: list[str] | None, amount: Decimal, period: tuple[date, date]
) -> DialectAnswer:
    start, end = period
    if start > end:
        raise BadParameter(f"Invalid start: [{start}] is after end [{end}]")
    request.check_history(start)
    targets = [code for code in quotes or money(priced_currencies(request.context, end)) if code != base]
    check_size(len(targets), period)
    found = daily_rates(request.context, base, targets, start, end, only_fixed=True)
    days = {day: _of_amount(rates, amount) for day, rates in found.items() if business_day(day) == day}
    body = {
        "amount": amount,
        "base": base,
        "start_date": min(days, default=start),
        "end_date": max(days, default=end),
        "rates": days,
    }
    return _json(body, cost=len(targets), earliest_day=start)


def check_size(targets: int, period: tuple[date, date]) -> None:
    """Refuse a period that would be too long an answer. Errors: BadParameter."""
    start, end = period
    count = targets * ((end - start).days + 1)
    if count > MAX_RATES:
        raise BadParameter(f"Too many rates: [{count}] in one answer, at most [{MAX_RATES}]: name fewer currencies")


def money(codes: Collection[str]) -> list[str]:
    """Return those codes that are currencies, in their order."""
    return [code for code in codes if code in CURRENCY_CODES]


def _of_amount(found: dict[str, float], amount: Decimal) -> Mapping[str, float | Decimal]:
    return found if amount == _ONE else {code: times(amount, rate) for code, rate in found.items()}


def _json(body: object, cost: int = 1, earliest_day: date | None = None) -> DialectAnswer:
    return DialectAnswer(encode_plainly(body), cost=cost, earliest_day=earliest_day)
