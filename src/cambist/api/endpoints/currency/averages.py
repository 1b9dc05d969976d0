"""`GET /averages`: what rates were over weeks, months, quarters and years."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated

import numpy as np
from msgspec import UNSET, Struct, UnsetType

from cambist.api.answer.answer_table import AnswerTable
from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.long_answers import MOST_RATES_AT_ONCE
from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.coin_rates import PriceName, coin_days, is_of_coin, names_of_coin
from cambist.api.bodies.partial import ListParameters, Unavailable, answer_each
from cambist.api.bodies.period_records import PERIOD_COLUMNS, FoundAverage, PeriodRecord, period_record, period_rows
from cambist.api.bodies.publisher_rates import Booked, PublisherRates, RateChoice, Source, booked, choice_of
from cambist.api.bodies.weights import WeightName, weight_factor, weight_names
from cambist.api.questions.parameter_types import EARLIEST_DAY, choice, day, not_after_today
from cambist.api.questions.parameters import Param
from cambist.api.questions.publisher_parameters import Booking, PublisherKey
from cambist.api.questions.symbol_parameters import Codes, asset, codes
from cambist.api.questions.weight_parameters import Fineness, WeightUnit
from cambist.errors import BadParameter, NoRate, shorten
from cambist.history.averages import (
    Average,
    AveragePeriod,
    PublishedMean,
    Span,
    average,
    periods,
    published_mean,
)
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
        asset(
            "from",
            "source",
            default=PIVOT,
            description="Source, USD if left out: a currency, a coin, or a metal by the ounce or the tonne.",
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
    unit: WeightUnit = None
    purity: Fineness = None

    def __post_init__(self) -> None:
        """Refuse unknown targets, and of a coin what no close has. Errors: UnknownSymbol, BadParameter."""
        ListParameters.__post_init__(self)
        is_of_coin(self)


class AveragesResponse(Struct, frozen=True):
    """The periods of each target that have a rate, in ascending order."""

    base: str
    by: str
    method: str
    results: dict[str, list[PeriodRecord]]
    unit: WeightName = UNSET
    purity: WeightName = UNSET
    price: PriceName = UNSET
    source: Source = UNSET
    booking: Booked = UNSET
    unavailable: Unavailable = UNSET


def answer(context: RequestContext, params: AveragesParams) -> AveragesResponse:
    """Return mean, first, highest, lowest and last rate of each period, and how many days it is made of.

    With `source` they are of what one source published. With `booking` the mean is the one that the authority wants,
    which rounds it; the periods are then its months or years. Those of a coin are of its closes.
    """
    found, unavailable = _read(context, params)
    chosen, (unit, purity) = choice_of(params), weight_names(params)
    return AveragesResponse(
        base=params.base,
        by=params.by,
        method=params.method,
        results={quote: [period_record(each, context.today) for each in averages] for quote, averages in found.items()},
        unit=unit,
        purity=purity,
        booking=UNSET if chosen is None else booked(chosen),
        unavailable=unavailable,
        **({"source": _source_of(context, chosen)} | names_of_coin(params)),
    )


def _source_of(context: RequestContext, chosen: RateChoice | None) -> Source:
    return UNSET if chosen is None else PublisherRates(context, chosen, ()).source or UNSET


def _read(
    context: RequestContext, params: AveragesParams
) -> tuple[dict[str, list[FoundAverage]], list[str] | UnsetType]:
    return context.once(_compute, params)


def _compute(
    context: RequestContext, params: AveragesParams
) -> tuple[dict[str, list[FoundAverage]], list[str] | UnsetType]:
    asked, chosen = _periods(context, params), choice_of(params)
    if chosen is not None and chosen.booking is not None:
        _check_booking(chosen, params)
    rates = None if chosen is None else PublisherRates(context, chosen, (params.base, *params.quotes))

    def read(quote: str) -> list[FoundAverage]:
        pair = Pair(params.base, quote)
        found = _averages(context, params, pair, asked, rates)
        if not found:
            raise NoRate(f"No rate from [{pair.base}] to [{quote}] between [{asked[0].first}] and [{asked[-1].last}]")
        if rates is None or rates.choice.booking is None:
            return [FoundAverage(each, plain_float(each.mean)) for each in found]
        ended = [each for each in found if each.period.last <= context.today]
        if not ended:
            raise NoRate(f"No mean from [{pair.base}] to [{quote}] yet: the period ends on [{found[0].period.last}]")
        return [FoundAverage(each, _mean_of(rates, pair, each.period)) for each in ended]

    return answer_each(params.quotes, read, partial=params.partial, unknown=params.quotes.unknown)


def _averages(
    context: RequestContext,
    params: AveragesParams,
    pair: Pair,
    asked: list[AveragePeriod],
    rates: PublisherRates | None,
) -> list[Average | PublishedMean]:
    """Return the averages of days; of periods without a day those that were published, unless a source is asked for."""
    weight = weight_factor(context, params)
    try:
        days = _days(context, params, pair, asked, rates)
        days = PublishedDays(pair, days.days, days.rates * weight)
    except NoRate:
        if rates is not None or is_of_coin(params):
            raise
        days = PublishedDays(pair, np.array([], np.int64), np.array([]))
    found: list[Average | PublishedMean] = []
    for period in asked:
        each = average(days, period, context.today) or (published_mean(pair, period, weight) if rates is None else None)
        if each is not None:
            found.append(each)
    return found


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
    if is_of_coin(params):
        if params.method != _METHODS[0]:
            raise BadParameter("[method] calendar carries rates forward: closes of coins are never carried")
        return coin_days(context, pair, first, last)
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


def table(context: RequestContext, params: AveragesParams) -> AnswerTable:
    """Return a row for each period of each target."""
    found, unavailable = _read(context, params)
    return AnswerTable(
        PERIOD_COLUMNS,
        period_rows(params.base, found, context.today),
        () if unavailable is UNSET else tuple(unavailable),
    )


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
