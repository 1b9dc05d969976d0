"""`GET /convert`: an amount in another currency."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.rendering import Number, Numbers, conversion, number
from cambist.api.answer.request_context import RequestContext, Updated, written
from cambist.api.bodies.agreement import Agreed, Agreements, agreed_now, agreed_on
from cambist.api.bodies.closes import read_closes
from cambist.api.bodies.publisher_rates import (
    Booked,
    Published,
    PublisherRates,
    RuleName,
    Source,
    booked,
    choice_of,
    earliest_counted,
)
from cambist.api.bodies.rate_locks import Locked, LockRecord, check_alone, held_rate, lock_record
from cambist.api.bodies.typed_rates import TypedRates
from cambist.api.questions.agreement_parameters import MinSources, RateTypeName
from cambist.api.questions.amounts import MIN_AMOUNT, SmallAmount, amount, decimal_places
from cambist.api.questions.freshness_parameters import FreshnessParameters
from cambist.api.questions.known_parameters import AsOf, Assume, Assumed, scope_of_day
from cambist.api.questions.lock_parameters import Lock
from cambist.api.questions.parameter_types import day, not_after_today
from cambist.api.questions.publisher_parameters import Booking, PublisherKey, Rule
from cambist.api.questions.symbol_parameters import asset
from cambist.errors import BadParameter, shorten
from cambist.history.coin_closes import cross_on_day
from cambist.history.fixing_age import fixing_days
from cambist.history.known_state import Scope
from cambist.pricing.amounts import decimals_of
from cambist.pricing.cross_rates import check_crossable, midpoint
from cambist.pricing.exact_midpoints import exact_midpoint
from cambist.pricing.number_format import half_up, plain_float
from cambist.pricing.pair import PIVOT, Pair

_NEVER = datetime.min.replace(tzinfo=UTC)
_SAFE_DIGITS = 15
"""The digits that a float64 represents exactly. Later digits are noise, which would show in large amounts."""


class ConvertParams(FreshnessParameters, frozen=True, kw_only=True):
    """An amount in one currency, and the other currency."""

    base: Annotated[
        str,
        asset(
            "from",
            "source",
            default=PIVOT,
            description="Source, USD if left out: a currency, a coin or a metal.",
            example="EUR",
        ),
    ]
    quote: Annotated[str, asset("to", "target", description="Target: a currency, a coin or a metal.", example="USD")]
    amount: Annotated[
        Decimal,
        amount("amount", description="From 0.01 up, with precision=currency any; any number of digits.", example="100"),
    ]
    day: Annotated[date | None, day("date", default=None, description="At the rate of this day, UTC; now if left out.")]
    as_of: AsOf = None
    assume: Assume = None
    precision: Annotated[
        int | None,
        decimal_places(
            "precision",
            default=2,
            description="Decimals of the result; `currency`: as the target has them, a coin six digits or more.",
            example="2",
        ),
    ]
    min_sources: MinSources = None
    rate_type: RateTypeName = None
    source: PublisherKey = None
    rule: Rule = None
    booking: Booking = None
    lock: Lock = None

    def __post_init__(self) -> None:
        """Refuse an amount below a hundredth, which two decimals could not show. Errors: BadParameter."""
        if self.lock is not None:
            check_alone(self)
        if self.precision is not None and isinstance(self.amount, SmallAmount):
            raise BadParameter(
                f"Invalid amount: [{shorten(self.amount.text)}], it takes a decimal from {MIN_AMOUNT} up, such as "
                "1234.56 or 1.5E7; with precision=currency any amount"
            )


class AnyAmountParams(ConvertParams, frozen=True, kw_only=True):
    """A conversion at the faces that take any amount, and round as the target does unless they are told otherwise."""

    amount: Annotated[
        Decimal, amount("amount", description="Any amount, negative too, with any number of digits.", example="100")
    ]
    precision: Annotated[
        int | None,
        decimal_places(
            "precision",
            default=None,
            description="Decimals of the result; if left out as the target has them, a coin six digits or more.",
            example="2",
        ),
    ]

    def __post_init__(self) -> None:
        """Take any amount. Errors: BadParameter for a lock beside what chooses another rate."""
        if self.lock is not None:
            check_alone(self)


class ConvertResponse(Struct, frozen=True, rename={"day": "date"}):
    """The amount, and in `result` the converted amount and then the `rate`.

    A current rate has `updated`. A rate of a past day has `date` and, for currencies and metals, `fixed_on`: the day of
    the oldest fixing in it, null if the law alone decides.
    """

    base: str
    amount: Number
    result: Numbers
    updated: Updated | UnsetType = UNSET
    day: date | UnsetType = UNSET
    fixed_on: date | UnsetType | None = UNSET
    source: Source = UNSET
    rule: RuleName = UNSET
    published: Published = UNSET
    booking: Booked = UNSET
    lock: Locked = UNSET
    agreement: Agreed = UNSET
    assumed: Assumed = UNSET


@dataclass(frozen=True, slots=True)
class Conversion:
    """A converted amount with its decimals, the rate, and of when that is, as in a `ConvertResponse`.

    `published` reads what a publisher said: a file of amounts does not show it. `held` is the rate that a lock holds,
    and `as_of` of when it is.
    """

    amount: str
    rate: float
    updated: str | int | UnsetType = UNSET
    day: date | UnsetType = UNSET
    fixed_on: date | UnsetType | None = UNSET
    agreement: Agreements | UnsetType = UNSET
    source: Source = UNSET
    rule: RuleName = UNSET
    published: Callable[[], Published] | None = None
    booking: Booked = UNSET
    held: str = ""
    as_of: datetime = _NEVER


def answer(context: RequestContext, params: ConvertParams) -> ConvertResponse:
    """Convert an amount at the exact rate. The result and the `rate` are each rounded once, half up.

    With `date` the rate of that day is used, the same as at `/historical`; for a coin its price at midnight UTC. With
    `rate_type` it is a fixing of that type, with `source` what one source published; `rule` says which day of
    publication counts, and `booking` names an authority's rule for both. With `lock` the rate has 15 digits, and is
    the same until the lock ends.
    """
    found = convert_amount(context, params)
    return ConvertResponse(
        base=params.base,
        amount=number(params.amount),
        result=conversion(params.quote, found.amount, found.rate),
        updated=found.updated,
        day=found.day,
        fixed_on=found.fixed_on,
        source=found.source,
        rule=found.rule,
        published=UNSET if found.published is None else found.published(),
        booking=found.booking,
        lock=UNSET if params.lock is None else _lock(context, params, params.lock, found),
        agreement=found.agreement,
        assumed=context.assumed,
    )


def _lock(context: RequestContext, params: ConvertParams, lock: timedelta | str, found: Conversion) -> LockRecord:
    return lock_record(context, lock, {Pair(params.base, params.quote): found.held}, found.as_of)


def convert_amount(context: RequestContext, params: ConvertParams) -> Conversion:
    """Convert an amount, now or on a day. Errors: RequestRefused."""
    pair = Pair(params.base, params.quote)
    check_crossable(pair.base, pair.quote)
    if isinstance(params.lock, str):
        return _of_lock(context, pair, params, params.lock)
    if params.source or params.rule or params.booking:
        return _of_choice(context, pair, params)
    if params.rate_type is not None:
        return _of_type(context, pair, params.rate_type, params)
    return _now(context, pair, params) if params.day is None else _on_day(context, pair, params)


def _now(context: RequestContext, pair: Pair, params: ConvertParams) -> Conversion:
    context.check_fresh((pair.base, pair.quote), params.max_age)
    agreed = agreed_now(context, (pair.base, pair.quote), params.min_sources)
    rate = midpoint(context.book, pair)
    updated = context.updated(rate.as_of, params.max_age)
    if params.lock is not None:
        held = f"{rate.value:.{_SAFE_DIGITS}g}"
        converted = _converted(params, *Decimal(held).as_integer_ratio())
        return Conversion(converted, float(held), updated=updated, agreement=agreed, held=held, as_of=rate.as_of)
    converted = _converted(params, *exact_midpoint(context.book, pair))
    return Conversion(converted, rate.value, updated=updated, agreement=agreed)


def _of_lock(context: RequestContext, pair: Pair, params: ConvertParams, token: str) -> Conversion:
    held, as_of = held_rate(context, token, pair, lambda: plain_float(midpoint(context.book, pair).value))
    converted = _converted(params, *Decimal(held).as_integer_ratio())
    return Conversion(converted, float(held), updated=written(as_of, context.form), held=held, as_of=as_of)


def _on_day(context: RequestContext, pair: Pair, params: ConvertParams) -> Conversion:
    day = not_after_today("date", params.day or context.today, context.today)
    closes = read_closes(context, pair, day)
    found = cross_on_day(context.matrix, pair, day, closes).values[0]
    fixed_on = UNSET if closes else fixing_days(context.matrix, day, pair.base, [pair.quote])[pair.quote]
    agreed = agreed_on(context, (pair.base, pair.quote), day, params.min_sources)
    return Conversion(_converted_by(params, found), found, day=day, fixed_on=fixed_on, agreement=agreed)


def _of_type(context: RequestContext, pair: Pair, rate_type: str, params: ConvertParams) -> Conversion:
    codes, day = (pair.base, pair.quote), params.day and not_after_today("date", params.day, context.today)
    typed = TypedRates(context, rate_type, codes, None if day is None else (day, day))
    rate = typed.rate(*codes)
    converted, agreed = _converted_by(params, rate), typed.agreements(codes, params.min_sources)
    if day is None:
        updated = context.updated(typed.as_of(*codes), params.max_age)
        return Conversion(converted, rate, updated=updated, agreement=agreed)
    return Conversion(converted, rate, day=day, fixed_on=typed.fixed_on(*codes), agreement=agreed)


def _of_choice(context: RequestContext, pair: Pair, params: ConvertParams) -> Conversion:
    choice = choice_of(params)
    if choice is None:
        raise TypeError("nothing is chosen")
    day = not_after_today("date", params.day or context.today, context.today)
    rates = PublisherRates(context, choice, (pair.base, pair.quote))
    found = context.remembered((choice, pair, choice.counting(day)), lambda: rates.rate(pair, day))
    return Conversion(
        _converted(params, *found.rate.as_integer_ratio()),
        float(found.rate),
        day=day,
        fixed_on=found.day,
        source=rates.source or UNSET,
        rule=choice.rule,
        published=(lambda: rates.published({pair.quote: found})) if rates.source else None,
        booking=booked(choice),
    )


def _converted_by(params: ConvertParams, rate: float) -> str:
    return _converted(params, *Decimal(f"{rate:.{_SAFE_DIGITS}g}").as_integer_ratio())


def _converted(params: ConvertParams, numerator: int, denominator: int) -> str:
    """Return the amount at a rate that is a ratio. Integers are exact and, unlike fractions, fast."""
    amount, scale = params.amount.as_integer_ratio()
    numerator, denominator = amount * numerator, scale * denominator
    decimals = decimals_of(params.quote, numerator, denominator) if params.precision is None else params.precision
    return half_up(numerator, denominator, decimals)


def earliest_day(_context: RequestContext, params: ConvertParams) -> date | None:
    """The day of the request, if it has one, or an earlier one that counts for it."""
    return None if params.day is None else earliest_counted(params, params.day)


def scope(_context: RequestContext, params: ConvertParams) -> Scope:
    """Return the day and the pair. Errors: BadParameter without a day."""
    return scope_of_day(params.day, Pair(params.base, params.quote))


endpoint: Endpoint[ConvertParams, ConvertResponse] = Endpoint(
    path="/convert",
    tag="currency",
    summary="Convert an amount",
    params=ConvertParams,
    body=ConvertResponse,
    answer=answer,
    earliest_day=earliest_day,
    is_long=lambda _context, params: params.lock is not None,  # a signature is made or checked
    scope=scope,
)
