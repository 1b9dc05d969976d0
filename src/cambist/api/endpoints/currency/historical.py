"""`GET /historical`: rates of a past day."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from cambist.api.endpoint import Endpoint
from cambist.api.parameter_types import day, flag, not_after_today
from cambist.api.partial import ListParameters, Unavailable
from cambist.api.rendering import Rates, rates
from cambist.api.request_context import RequestContext
from cambist.api.symbol_parameters import MONEY_AND_METALS, Codes, code, codes
from cambist.api.table import DATE, AnswerTable, Cell, Column
from cambist.api.tables.rates import DAY_COLUMNS
from cambist.history.as_of import DayRates, listed_rates, rates_on
from cambist.history.fixing_age import fixing_days, is_immutable, oldest_fixing_day
from cambist.history.rate_matrix_excerpt import columns, rows
from cambist.pricing.number_format import plain_float
from cambist.pricing.pair import PIVOT


class HistoricalParams(ListParameters, frozen=True, kw_only=True):
    """A day, a source, and a list of targets or all of them."""

    day: Annotated[date, day("date", description="The day, UTC.", example="2024-02-29")]
    base: Annotated[
        str,
        code(
            "from",
            "source",
            MONEY_AND_METALS,
            default=PIVOT,
            description="Source, USD if left out: a currency, or a metal by the ounce or the tonne.",
            example="EUR",
        ),
    ]
    quotes: Annotated[
        Codes | None,
        codes("to", "target", default=None, description="Targets, all if left out.", example="USD,JPY"),
    ]
    verbose: Annotated[bool, flag("verbose", description="Add `fixings`: true, 1, yes or y.")]


class HistoricalResponse(Struct, frozen=True, rename={"day": "date"}):
    """The rates of the day, carried forward over weekends and holidays.

    `fixed_on` is the day of the oldest fixing among them, and `carried_days` the days between it and the requested day;
    both are null if the law alone decides. `fixings`, only with `verbose`, has the day of the fixing of each target.
    """

    day: date
    base: str
    results: Rates
    fixed_on: date | None
    carried_days: int | None
    fixings: dict[str, date | None] | UnsetType = UNSET
    unavailable: Unavailable = UNSET


def is_answer_immutable(context: RequestContext, params: HistoricalParams) -> bool:
    """An answer is immutable when the day is immutable for the requested currencies."""
    codes = None if params.quotes is None else (params.base, *params.quotes)
    return is_immutable(context.matrix, params.day, context.today, codes)


def earliest_day(_context: RequestContext, params: HistoricalParams) -> date:
    """The day of the request."""
    return params.day


def etag_data(context: RequestContext, params: HistoricalParams) -> Iterable[bytes]:
    """It is read from the day's cells."""
    if params.quotes is None:
        return rows(context.matrix, params.day)
    return columns(context.matrix, (params.base, *params.quotes), params.day, params.day)


def answer(context: RequestContext, params: HistoricalParams) -> HistoricalResponse:
    """Return the rates of a past day.

    On a day without a fixing, such as a weekend or a holiday, the last one before it is used, at most 14 days back.
    """
    day = not_after_today("date", params.day, context.today)
    found, unavailable = _read_rates(context, day, params)
    fixed_on = oldest_fixing_day(context.matrix, day, params.base, found.codes)
    return HistoricalResponse(
        day=day,
        base=params.base,
        results=rates(found.codes, found.values),
        fixed_on=fixed_on,
        carried_days=None if fixed_on is None else (day - fixed_on).days,
        fixings=fixing_days(context.matrix, day, params.base, found.codes) if params.verbose else UNSET,
        unavailable=unavailable if params.partial else UNSET,
    )


def _read_rates(context: RequestContext, day: date, params: HistoricalParams) -> tuple[DayRates, list[str]]:
    """Return the rates of the day, and the targets without one. Errors: NoRate for those, except with `partial`."""
    if params.quotes is None:
        return listed_rates(context.matrix, day, params.base), []
    found = rates_on(context.matrix, day, params.base, params.quotes)
    missing = [quote for quote in params.quotes if quote not in found.codes]
    if missing and not params.partial:
        rates_on(context.matrix, day, params.base, missing[:1])
    return found, [*missing, *(error.symbol for error in params.quotes.unknown)]


def table(context: RequestContext, params: HistoricalParams) -> AnswerTable:
    """Return a row for each rate; with `verbose` the day of its fixing, too."""
    day = not_after_today("date", params.day, context.today)
    found, unavailable = _read_rates(context, day, params)
    fixed = fixing_days(context.matrix, day, params.base, found.codes) if params.verbose else None
    rates_by_code = zip(found.codes, map(plain_float, found.values), strict=True)
    rows: list[tuple[Cell, ...]] = [(str(day), params.base, code, rate) for code, rate in rates_by_code]
    if fixed is None:
        return AnswerTable(DAY_COLUMNS, rows, tuple(unavailable))
    days = [None if fixed_on is None else str(fixed_on) for fixed_on in fixed.values()]
    with_days = [(*row, fixed_on) for row, fixed_on in zip(rows, days, strict=True)]
    return AnswerTable((*DAY_COLUMNS, Column("fixed_on", DATE)), with_days, tuple(unavailable))


endpoint: Endpoint[HistoricalParams, HistoricalResponse] = Endpoint(
    path="/historical",
    tag="currency",
    summary="Rates of a past day",
    params=HistoricalParams,
    body=HistoricalResponse,
    answer=answer,
    table=table,
    is_immutable=is_answer_immutable,
    etag_data=etag_data,
    earliest_day=earliest_day,
)
