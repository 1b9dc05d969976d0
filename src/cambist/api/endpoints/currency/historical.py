"""`GET /historical`: rates of a past day."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from cambist.api.answer.answer_table import AnswerTable, Cell
from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.rendering import Rates, rates
from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.agreement import Agreed, Agreements, agreed_on
from cambist.api.bodies.coin_rates import CLOSE, CloseOfDay, PriceName, coin_rates_on, is_of_coin
from cambist.api.bodies.partial import ListParameters, Unavailable, answer_each
from cambist.api.bodies.publisher_rates import (
    Booked,
    Published,
    PublisherRates,
    RateChoice,
    RuleName,
    Source,
    booked,
    choice_of,
    earliest_counted,
)
from cambist.api.bodies.rate_columns import DAY_COLUMNS
from cambist.api.bodies.typed_rates import TypedRates
from cambist.api.bodies.weights import WeightName, weight_factor, weight_names
from cambist.api.questions.agreement_parameters import MinSources, RateTypeName
from cambist.api.questions.known_parameters import AsOf, Assume, Assumed
from cambist.api.questions.parameter_types import day, flag, not_after_today
from cambist.api.questions.publisher_parameters import Booking, PublisherKey, Rule
from cambist.api.questions.symbol_parameters import Codes, asset, codes
from cambist.api.questions.weight_parameters import Fineness, WeightUnit
from cambist.errors import BadParameter
from cambist.history.as_of import DayRates, listed_rates, rates_on
from cambist.history.fixing_age import fixing_days, is_immutable, oldest_fixing_day
from cambist.history.known_state import Scope
from cambist.history.rate_matrix_excerpt import columns, rows
from cambist.history.typed_series import CLOSES
from cambist.pricing.number_format import plain_float
from cambist.pricing.pair import PIVOT, Pair


class HistoricalParams(ListParameters, frozen=True, kw_only=True):
    """A day, a source, and a list of targets or all of them."""

    day: Annotated[date, day("date", description="The day, UTC.", example="2024-02-29")]
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
    quotes: Annotated[
        Codes | None,
        codes("to", "target", default=None, description="Targets, all if left out.", example="USD,JPY"),
    ]
    as_of: AsOf = None
    assume: Assume = None
    verbose: Annotated[bool, flag("verbose", description="Add `fixings`: true, 1, yes or y.")]
    min_sources: MinSources = None
    rate_type: RateTypeName = None
    source: PublisherKey = None
    rule: Rule = None
    booking: Booking = None
    unit: WeightUnit = None
    purity: Fineness = None

    def __post_init__(self) -> None:
        """Refuse unknown targets, and of a coin what no close has. Errors: UnknownSymbol, BadParameter."""
        ListParameters.__post_init__(self)
        is_of_coin(self)


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
    unit: WeightName = UNSET
    purity: WeightName = UNSET
    fixings: dict[str, date | None] | UnsetType = UNSET
    source: Source = UNSET
    rule: RuleName = UNSET
    published: Published = UNSET
    booking: Booked = UNSET
    agreement: Agreed = UNSET
    unavailable: Unavailable = UNSET
    assumed: Assumed = UNSET
    price: PriceName = UNSET
    close: CloseOfDay = UNSET


def is_answer_immutable(context: RequestContext, params: HistoricalParams) -> bool:
    """An answer is immutable when the day is immutable for the requested currencies."""
    if params.min_sources is not None or params.rate_type is not None or choice_of(params) is not None:
        return False  # it also depends on fixings that are not in the rate matrix
    if is_of_coin(params):
        return False  # closes are not in it either
    codes = None if params.quotes is None else (params.base, *params.quotes)
    return is_immutable(context.matrix, params.day, context.today, codes)


def earliest_day(_context: RequestContext, params: HistoricalParams) -> date:
    """The day of the request, or an earlier one that counts for it."""
    return earliest_counted(params, params.day)


def scope(_context: RequestContext, params: HistoricalParams) -> Scope:
    """Return the day and the pairs."""
    pairs = tuple(Pair(params.base, quote) for quote in params.quotes or (PIVOT,))
    return Scope(params.day, params.day, pairs)


def etag_data(context: RequestContext, params: HistoricalParams) -> Iterable[bytes]:
    """It is read from the day's cells."""
    if params.quotes is None:
        return rows(context.matrix, params.day)
    return columns(context.matrix, (params.base, *params.quotes), params.day, params.day)


@dataclass(frozen=True, slots=True)
class _FoundRates:
    """The rates of a day, the targets without one, and for rates of a type the day of each fixing."""

    rates: DayRates
    unavailable: list[str]
    agreement: Agreements | UnsetType = UNSET
    typed_days: dict[str, date | None] | None = None
    source: Source = UNSET
    rule: RuleName = UNSET
    published: Published = UNSET
    booking: Booked = UNSET
    close: CloseOfDay = UNSET


def answer(context: RequestContext, params: HistoricalParams) -> HistoricalResponse:
    """Return the rates of a past day.

    On a day without a fixing, such as a weekend or a holiday, the last one before it is used, at most 14 days back.
    With `rate_type` the rates are made of fixings of that type, with `source` of what one source published; `rule` says
    which day of publication counts, and `booking` names an authority's rule for both. The rates of a metal are by its
    own unit, or by `unit` and `purity`. A coin has its price at midnight UTC, since this service runs, and it is never
    carried forward.
    """
    day = not_after_today("date", params.day, context.today)
    found = _read_rates(context, day, params)
    unit, purity = weight_names(params)
    codes = found.rates.codes
    if found.typed_days is None:
        fixed_on = oldest_fixing_day(context.matrix, day, params.base, codes)
    else:
        fixed_on = min(filter(None, found.typed_days.values()))
    return HistoricalResponse(
        day=day,
        base=params.base,
        results=rates(codes, found.rates.values),
        fixed_on=fixed_on,
        carried_days=None if fixed_on is None else max((day - fixed_on).days, 0),
        unit=unit,
        purity=purity,
        fixings=_days(context, day, params.base, found) if params.verbose else UNSET,
        source=found.source,
        rule=found.rule,
        published=found.published,
        booking=found.booking,
        agreement=found.agreement,
        unavailable=found.unavailable if params.partial else UNSET,
        assumed=context.assumed,
        price=UNSET if found.close is UNSET else CLOSE,
        close=found.close,
    )


def _read_rates(context: RequestContext, day: date, params: HistoricalParams) -> _FoundRates:
    """Return the rates of the day, and the targets without one. Errors: NoRate for those, except with `partial`."""
    weight = weight_factor(context, params)
    found = _read_own(context, day, params)
    if weight == 1.0:
        return found
    return replace(found, rates=DayRates(found.rates.codes, [rate * weight for rate in found.rates.values]))


def _read_own(context: RequestContext, day: date, params: HistoricalParams) -> _FoundRates:
    """Return the rates by the own unit of a metal."""
    if is_of_coin(params):
        return _read_close(context, day, params)
    if params.quotes is None:
        for name in ("rate_type", "min_sources", "source", "rule", "booking"):
            if getattr(params, name) is not None:
                raise BadParameter(f"[{name}] needs the targets in [to]: it is not possible for all of them at once")
        return _FoundRates(listed_rates(context.matrix, day, params.base), [])
    if (choice := choice_of(params)) is not None:
        return _read_published(context, day, choice, params, params.quotes)
    if params.rate_type is not None:
        return _read_typed(context, day, params.rate_type, params, params.quotes)
    found = rates_on(context.matrix, day, params.base, params.quotes)
    missing = [quote for quote in params.quotes if quote not in found.codes]
    if missing and not params.partial:
        rates_on(context.matrix, day, params.base, missing[:1])
    agreement = agreed_on(context, (params.base, *found.codes), day, params.min_sources)
    return _FoundRates(found, [*missing, *(error.symbol for error in params.quotes.unknown)], agreement)


def _read_typed(
    context: RequestContext, day: date, rate_type: str, params: HistoricalParams, quotes: Codes
) -> _FoundRates:
    base = params.base
    typed = TypedRates(context, rate_type, (base, *quotes), (day, day))
    found, unavailable = answer_each(
        quotes, lambda quote: typed.rate(base, quote), partial=params.partial, unknown=quotes.unknown
    )
    return _FoundRates(
        DayRates(tuple(found), [*found.values()]),
        [] if unavailable is UNSET else unavailable,
        typed.agreements((base, *found), params.min_sources),
        {quote: typed.fixed_on(base, quote) for quote in found},
    )


def _read_published(
    context: RequestContext, day: date, choice: RateChoice, params: HistoricalParams, quotes: Codes
) -> _FoundRates:
    of_choice = PublisherRates(context, choice, (params.base, *quotes))
    found, unavailable = answer_each(
        quotes,
        lambda quote: of_choice.rate(Pair(params.base, quote), day),
        partial=params.partial,
        unknown=quotes.unknown,
    )
    return _FoundRates(
        DayRates(tuple(found), [float(each.rate) for each in found.values()]),
        [] if unavailable is UNSET else unavailable,
        typed_days={quote: each.day for quote, each in found.items()},
        source=of_choice.source or UNSET,
        rule=choice.rule,
        published=of_choice.published(found) if of_choice.source else UNSET,
        booking=booked(choice),
    )


def _read_close(context: RequestContext, day: date, params: HistoricalParams) -> _FoundRates:
    found = coin_rates_on(context, params.base, params.quotes, day, partial=params.partial)
    return _FoundRates(
        DayRates(tuple(found.rates), [*found.rates.values()]),
        [] if found.unavailable is UNSET else found.unavailable,
        typed_days=found.fixed_on,
        source=CLOSES,
        close=found.close,
    )


def _days(context: RequestContext, day: date, base: str, found: _FoundRates) -> dict[str, date | None]:
    return found.typed_days or fixing_days(context.matrix, day, base, found.rates.codes)


def table(context: RequestContext, params: HistoricalParams) -> AnswerTable:
    """Return a row for each rate, with the day of its fixing."""
    day = not_after_today("date", params.day, context.today)
    found = _read_rates(context, day, params)
    fixed = _days(context, day, params.base, found)
    rows: list[tuple[Cell, ...]] = [
        (str(day), params.base, code, plain_float(rate), str(fixed[code]) if fixed[code] else None)
        for code, rate in zip(found.rates.codes, found.rates.values, strict=True)
    ]
    return AnswerTable(DAY_COLUMNS, rows, tuple(found.unavailable))


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
    scope=scope,
)
