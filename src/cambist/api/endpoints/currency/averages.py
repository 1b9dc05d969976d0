"""`GET /averages`: what rates were over weeks, months, quarters and years."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Annotated

import numpy as np
from msgspec import UNSET, Raw, Struct, UnsetType

from cambist.api.answer.answer_table import COUNT, DATE, NUMBER, AnswerTable, Cell, Column
from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.long_answers import MOST_RATES_AT_ONCE
from cambist.api.answer.rendering import Number
from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.partial import ListParameters, Unavailable, answer_each
from cambist.api.bodies.publisher_rates import Booked, PublisherRates, RateChoice, Source, booked, choice_of
from cambist.api.questions.parameter_types import EARLIEST_DAY, choice, day, not_after_today
from cambist.api.questions.parameters import Param
from cambist.api.questions.publisher_parameters import Booking, PublisherKey
from cambist.api.questions.symbol_parameters import MONEY_AND_METALS, Codes, code, codes
from cambist.errors import BadParameter, NoRate, shorten
from cambist.history.averages import Average, AveragePeriod, Span, average, periods
from cambist.history.day_rules import MEANS, DayRule, MeanOf
from cambist.history.known_state import Scope
from cambist.history.published_days import PublishedDays, day_number
from cambist.history.series import read_series
from cambist.pricing.number_format import plain, plain_float
from cambist.pricing.pair import PIVOT, Pair

_MAX_TARGETS = 10
_METHODS = ("published", "calendar")
_YEAR_START = re.compile(r"(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])")


def _parse_year_start(name: str, text: str) -> tuple[int, int]:
    found = _YEAR_START.fullmatch(text)
    if found is None:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes a month and a day up to the 28th, as 04-06")
    return int(found[1]), int(found[2])


class AveragesParams(ListParameters, frozen=True, kw_only=True):
    """A source, up to ten targets, and the periods."""

    quotes: Annotated[
        Codes, codes("to", "target", max_count=_MAX_TARGETS, description="Targets, up to ten.", example="USD,GBP")
    ]
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
    by: Annotated[
        str, choice("by", list(Span), default=Span.MONTH, description="How long each period is.", example="month")
    ]
    start: Annotated[date, day("start", description="A day in the first period.", example="2024-01-01")]
    end: Annotated[date | None, day("end", default=None, description="A day in the last period, today if left out.")]
    method: Annotated[
        str,
        choice(
            "method",
            _METHODS,
            default=_METHODS[0],
            description="Of the days on which rates were published, or of all calendar days, carried forward.",
        ),
    ]
    year_start: Annotated[
        tuple[int, int] | None,
        Param(
            "year_start",
            _parse_year_start,
            default=None,
            description="The month and day on which a year begins, such as 04-06; 01-01 if left out.",
            schema={"type": "string", "examples": ["04-06"]},
        ),
    ]
    source: PublisherKey = None
    booking: Booking = None


class PeriodRecord(Struct, frozen=True):
    """What a rate was in a period, which is `complete` when it has ended.

    `open` and `close` are the first and the last rate of it, of the days `opened` and `closed`. `days` counts those
    that the mean is of, and `missing` the Mondays to Fridays without a publication.
    """

    start: date
    end: date
    mean: Number
    open: Number
    high: Number
    low: Number
    close: Number
    opened: date
    closed: date
    days: int
    missing: int
    complete: bool


class AveragesResponse(Struct, frozen=True):
    """The periods of each target that have a rate, in ascending order."""

    base: str
    by: str
    method: str
    results: dict[str, list[PeriodRecord]]
    source: Source = UNSET
    booking: Booked = UNSET
    unavailable: Unavailable = UNSET


@dataclass(frozen=True, slots=True)
class _Found:
    """An average, and its mean as it is written."""

    average: Average
    mean: str


def answer(context: RequestContext, params: AveragesParams) -> AveragesResponse:
    """Return mean, first, highest, lowest and last rate of each period, and how many days it is made of.

    With `source` they are of what one source published. With `booking` the mean is the one that the authority wants,
    which rounds it; the periods are then its months or years.
    """
    found, unavailable = _read(context, params)
    chosen = choice_of(params)
    return AveragesResponse(
        base=params.base,
        by=params.by,
        method=params.method,
        results={quote: [_record(each, context.today) for each in averages] for quote, averages in found.items()},
        source=UNSET if chosen is None else PublisherRates(context, chosen, ()).source or UNSET,
        booking=UNSET if chosen is None else booked(chosen),
        unavailable=unavailable,
    )


def _read(context: RequestContext, params: AveragesParams) -> tuple[dict[str, list[_Found]], list[str] | UnsetType]:
    return context.once(_compute, params)


def _compute(context: RequestContext, params: AveragesParams) -> tuple[dict[str, list[_Found]], list[str] | UnsetType]:
    asked, chosen = _periods(context, params), choice_of(params)
    if chosen is not None and chosen.booking is not None:
        _check_booking(chosen, params)
    rates = None if chosen is None else PublisherRates(context, chosen, (params.base, *params.quotes))

    def read(quote: str) -> list[_Found]:
        pair = Pair(params.base, quote)
        days = _days(context, params, pair, asked, rates)
        found = [each for period in asked if (each := average(days, period, context.today)) is not None]
        if not found:
            raise NoRate(f"No rate from [{pair.base}] to [{quote}] between [{asked[0].first}] and [{asked[-1].last}]")
        if rates is None or rates.choice.booking is None:
            return [_Found(each, plain_float(each.mean)) for each in found]
        ended = [each for each in found if each.period.last <= context.today]
        if not ended:
            raise NoRate(f"No mean from [{pair.base}] to [{quote}] yet: the period ends on [{found[0].period.last}]")
        return [_Found(each, _mean_of(rates, pair, each.period)) for each in ended]

    return answer_each(params.quotes, read, partial=params.partial, unknown=params.quotes.unknown)


def _mean_of(rates: PublisherRates, pair: Pair, period: AveragePeriod) -> str:
    is_of_month_ends = rates.choice.rule is DayRule.MEAN_OF_MONTH_ENDS
    return plain(rates.counted(pair, MeanOf(period.first, period.last, is_of_month_ends)).rate)


def _check_booking(chosen: RateChoice, params: AveragesParams) -> None:
    if chosen.rule not in MEANS:
        raise BadParameter(f"[booking] {params.booking} counts the rate of one day, and no mean: ask /historical")
    span = Span.MONTH if chosen.rule is DayRule.MONTH_MEAN else Span.YEAR
    if params.by != span or params.method != _METHODS[0] or params.year_start is not None:
        raise BadParameter(f"[booking] {params.booking} is a mean of published days: it takes by={span} alone")


def _days(
    context: RequestContext,
    params: AveragesParams,
    pair: Pair,
    asked: list[AveragePeriod],
    rates: PublisherRates | None,
) -> PublishedDays:
    """Return the days that count: of publications, or with `calendar` all that have a rate."""
    first, last = asked[0].first, min(asked[-1].last, context.today)
    if rates is not None:
        return rates.days(pair, first, last)
    if params.method == _METHODS[0]:
        return PublisherRates(context, RateChoice(None, DayRule.DAY), ()).days(pair, first, last)
    series = read_series(context.matrix, pair, first, last)
    known = ~np.isnan(series.values)
    return PublishedDays(pair, day_number(series.first_day) + np.flatnonzero(known), series.values[known])


def _periods(context: RequestContext, params: AveragesParams) -> list[AveragePeriod]:
    start = not_after_today("start", params.start, context.today)
    end = min(params.end or context.today, context.today)
    if start > end:
        raise BadParameter(f"Invalid start: [{start}] is after end [{end}]")
    if params.source is not None and params.method != _METHODS[0]:
        raise BadParameter("[method] calendar carries rates forward: with [source] only published days count")
    return list(periods(start, end, Span(params.by), params.year_start or (1, 1)))


def _record(found: _Found, today: date) -> PeriodRecord:
    each = found.average
    numbers = (plain_float(value) for value in (each.first, each.high, each.low, each.last))
    opening, high, low, close = map(Raw, numbers)
    return PeriodRecord(
        start=each.period.first,
        end=each.period.last,
        mean=Raw(found.mean),
        open=opening,
        high=high,
        low=low,
        close=close,
        opened=each.first_day,
        closed=each.last_day,
        days=each.days,
        missing=each.missing,
        complete=each.period.last < today,
    )


def cost(context: RequestContext, params: AveragesParams) -> int:
    """One call for each target in the answer."""
    return len(_read(context, params)[0]) if params.partial else len(params.quotes)


def is_long(context: RequestContext, params: AveragesParams) -> bool:
    """Whether all days together are too many."""
    asked = _periods(context, params)
    return len(params.quotes) * ((asked[-1].last - asked[0].first).days + 1) > MOST_RATES_AT_ONCE


def earliest_day(context: RequestContext, params: AveragesParams) -> date:
    """The first day of the first period."""
    return max(_periods(context, params)[0].first, EARLIEST_DAY)


def scope(context: RequestContext, params: AveragesParams) -> Scope:
    """Return the period and the pairs."""
    asked = _periods(context, params)
    return Scope(asked[0].first, asked[-1].last, tuple(Pair(params.base, quote) for quote in params.quotes))


_COLUMNS = (
    Column("start", DATE),
    Column("end", DATE),
    Column("base"),
    Column("quote"),
    *(Column(name, NUMBER) for name in ("mean", "open", "high", "low", "close")),
    *(Column(name, DATE) for name in ("opened", "closed")),
    *(Column(name, COUNT) for name in ("days", "missing")),
)


def table(context: RequestContext, params: AveragesParams) -> AnswerTable:
    """Return a row for each period of each target."""
    found, unavailable = _read(context, params)
    return AnswerTable(_COLUMNS, _rows(params.base, found), () if unavailable is UNSET else tuple(unavailable))


def _rows(base: str, found: dict[str, list[_Found]]) -> Iterator[tuple[Cell, ...]]:
    for quote, averages in found.items():
        for one in averages:
            each = one.average
            numbers = (plain_float(value) for value in (each.first, each.high, each.low, each.last))
            days = (str(each.first_day), str(each.last_day))
            period = (str(each.period.first), str(each.period.last))
            yield *period, base, quote, one.mean, *numbers, *days, each.days, each.missing


endpoint: Endpoint[AveragesParams, AveragesResponse] = Endpoint(
    path="/averages",
    tag="currency",
    summary="Averages of weeks, months, quarters and years",
    params=AveragesParams,
    body=AveragesResponse,
    answer=answer,
    table=table,
    cost=cost,
    earliest_day=earliest_day,
    is_long=is_long,
    scope=scope,
)
