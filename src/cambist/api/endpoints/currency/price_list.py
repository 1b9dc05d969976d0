"""`GET /price-list`: one amount in many currencies, marked up and rounded as shops do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from cambist.api.answer.answer_table import DATE, NUMBER, AnswerTable, Cell, Column
from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.rendering import Number, number
from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.partial import Unavailable, answer_each
from cambist.api.bodies.rate_locks import Locked, check_alone, lock_record
from cambist.api.endpoints.currency import convert
from cambist.api.endpoints.currency.convert import AnyAmountParams, Conversion, convert_amount
from cambist.api.questions.amounts import amount
from cambist.api.questions.freshness_parameters import FreshnessParameters
from cambist.api.questions.known_parameters import scope_of_day
from cambist.api.questions.lock_parameters import Lock
from cambist.api.questions.parameter_types import day, flag
from cambist.api.questions.parameters import Param
from cambist.api.questions.publisher_parameters import Booking, PublisherKey, Rule
from cambist.api.questions.symbol_parameters import MONEY_AND_METALS, Codes, code, codes
from cambist.errors import BadParameter, shorten
from cambist.history.known_state import Scope
from cambist.pricing.number_format import plain_float, trimmed
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.price_rounding import PriceRounding, RoundingKind, parse_rounding

_MARKUP = re.compile(r"(-?[0-9]{1,4}(\.[0-9]{1,8})?) ?%")
EXACT_PLACES = 20
_MAX_TARGETS = 200


def parse_markup(name: str, text: str) -> Decimal:
    """Return a percentage. Errors: BadParameter."""
    found = _MARKUP.fullmatch(text.strip())
    percent = Decimal(found[1]) if found else Decimal(-100)
    if percent <= -100:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes a percentage above -100, such as 2.5%")
    return percent


class PriceListParams(FreshnessParameters, frozen=True, kw_only=True):
    """An amount, the targets, and how prices are made of it."""

    base: Annotated[
        str, code("from", "source", MONEY_AND_METALS, default=PIVOT, description="Of the amount.", example="EUR")
    ]
    quotes: Annotated[
        Codes, codes("to", "target", max_count=_MAX_TARGETS, description="Targets: currencies.", example="USD,GBP")
    ]
    amount: Annotated[Decimal, amount("amount", description="What is priced, such as 12.50.", example="12.50")]
    markup: Annotated[
        Decimal,
        Param(
            "markup",
            parse_markup,
            default=Decimal(0),
            description="A percentage that is added, such as 2.5%; below zero it is a discount.",
            schema={"type": "string", "examples": ["2.5%"]},
        ),
    ]
    rounding: Annotated[
        PriceRounding | None,
        Param(
            "rounding",
            parse_rounding,
            default=None,
            description="currency (minor units, if left out), cash (coins that there are), up, step:0.05, charm:0.99.",
            schema={"type": "string", "examples": ["charm:0.99"]},
        ),
    ]
    partial: Annotated[bool, flag("partial", description="Name targets without a rate in `unavailable`.")]
    day: Annotated[date | None, day("date", default=None, description="At the rate of this day; now if left out.")]
    source: PublisherKey = None
    rule: Rule = None
    booking: Booking = None
    lock: Lock = None

    def __post_init__(self) -> None:
        """Refuse unknown targets, except with `partial`. Errors: UnknownSymbol, BadParameter."""
        if self.lock is not None:
            check_alone(self)
        if self.quotes.unknown and not self.partial:
            raise self.quotes.unknown[0]
        if self.amount <= 0:
            raise BadParameter(f"Invalid amount: [{self.amount}], a price is above zero")


class PriceRecord(Struct, frozen=True):
    """A price: `cost` is the amount at the `rate`, to which `markup` and then `rounding` were added.

    `below_cost` warns of a price that is lower than its cost. `date` is the day of the fixing of a past rate.
    """

    price: Number
    cost: Number
    markup: Number
    rounding: Number
    rate: Number
    below_cost: bool
    updated: str | int | UnsetType = UNSET
    fixed_on: date | UnsetType | None = UNSET


class PriceListResponse(Struct, frozen=True):
    """The prices by target, in the order of the request."""

    base: str
    amount: Number
    prices: dict[str, PriceRecord]
    lock: Locked = UNSET
    unavailable: Unavailable = UNSET


@dataclass(frozen=True, slots=True)
class Price:
    """A price with all its parts, exact."""

    price: Decimal
    cost: Decimal
    markup: Decimal
    found: Conversion

    @property
    def rounding(self) -> Decimal:
        """What the rounding added."""
        return self.price - self.cost - self.markup


def answer(context: RequestContext, params: PriceListParams) -> PriceListResponse:
    """Return the amount in each target, marked up and rounded; cost, mark-up and rounding are shown apart."""
    found, unavailable = _read(context, params)
    return PriceListResponse(
        base=params.base,
        amount=number(params.amount),
        prices={quote: _record(each) for quote, each in found.items()},
        lock=_lock(context, params, found),
        unavailable=unavailable,
    )


def _lock(context: RequestContext, params: PriceListParams, found: dict[str, Price]) -> Locked:
    if not found or params.lock is None:
        return UNSET
    rates = {Pair(params.base, quote): each.found.held for quote, each in found.items()}
    return lock_record(context, params.lock, rates, min(each.found.as_of for each in found.values()))


def _read(context: RequestContext, params: PriceListParams) -> tuple[dict[str, Price], list[str] | UnsetType]:
    return context.once(_compute, params)


def _compute(context: RequestContext, params: PriceListParams) -> tuple[dict[str, Price], list[str] | UnsetType]:
    return answer_each(
        params.quotes,
        lambda quote: _price(context, params, quote),
        partial=params.partial,
        unknown=params.quotes.unknown,
    )


def _price(context: RequestContext, params: PriceListParams, quote: str) -> Price:
    return price_of(context, _asked(params, quote), params.markup, params.rounding)


def price_of(context: RequestContext, asked: AnyAmountParams, markup: Decimal, rounding: PriceRounding | None) -> Price:
    """Return an amount converted, marked up by a percentage and rounded. Errors: RequestRefused."""
    found = convert_amount(context, asked)
    with localcontext(prec=400, rounding=ROUND_HALF_UP):
        exact = Decimal(found.amount)
        with_markup = exact * (100 + markup) / 100
        price = (rounding or PriceRounding(RoundingKind.CURRENCY)).round(Fraction(with_markup), asked.quote)
        places = Decimal(1).scaleb(-_shown_places(price))
        return Price(price, exact.quantize(places), (with_markup - exact).quantize(places), found)


def _shown_places(price: Decimal) -> int:
    """Return the decimals of the parts of a price: four more than the price has."""
    exponent = price.as_tuple().exponent
    return 4 - (exponent if isinstance(exponent, int) else 0)


def _asked(params: PriceListParams, quote: str) -> AnyAmountParams:
    return AnyAmountParams(
        base=params.base,
        quote=quote,
        amount=params.amount,
        day=params.day,
        precision=EXACT_PLACES,
        max_age=params.max_age,
        source=params.source,
        rule=params.rule,
        booking=params.booking,
        lock=params.lock,
    )


def _record(each: Price) -> PriceRecord:
    return PriceRecord(
        price=number(each.price),
        cost=number(each.cost),
        markup=number(each.markup),
        rounding=number(each.rounding),
        rate=_rate(each.found),
        below_cost=each.price < each.cost,
        updated=each.found.updated,
        fixed_on=each.found.fixed_on,
    )


def _rate(found: Conversion) -> Number:
    return number(Decimal(plain_float(found.rate)))


def cost(context: RequestContext, params: PriceListParams) -> int:
    """One call for each target in the answer."""
    return len(_read(context, params)[0]) if params.partial else len(params.quotes)


def earliest_day(context: RequestContext, params: PriceListParams) -> date | None:
    """The day of the request, if it has one, or an earlier one that counts for it."""
    return convert.earliest_day(context, _asked(params, params.base))


def scope(_context: RequestContext, params: PriceListParams) -> Scope:
    """Return the day and the pairs. Errors: BadParameter without a day."""
    return scope_of_day(params.day, *(Pair(params.base, quote) for quote in params.quotes))


_COLUMNS = (
    Column("base"),
    Column("quote"),
    *(Column(name, NUMBER) for name in ("amount", "price", "cost", "markup", "rounding", "rate")),
    Column("below_cost"),
    Column("fixed_on", DATE),
)


def table(context: RequestContext, params: PriceListParams) -> AnswerTable:
    """Return a row for each price."""
    found, unavailable = _read(context, params)
    return AnswerTable(_COLUMNS, _rows(params, found), () if unavailable is UNSET else tuple(unavailable))


def _rows(params: PriceListParams, found: dict[str, Price]) -> Iterator[tuple[Cell, ...]]:
    for quote, each in found.items():
        parts = (params.amount, each.price, each.cost, each.markup, each.rounding)
        fixed_on = each.found.fixed_on
        texts = (*map(trimmed, parts), plain_float(each.found.rate))
        below = "yes" if each.price < each.cost else "no"
        yield params.base, quote, *texts, below, str(fixed_on) if isinstance(fixed_on, date) else None


endpoint: Endpoint[PriceListParams, PriceListResponse] = Endpoint(
    path="/price-list",
    tag="currency",
    summary="A price in many currencies",
    params=PriceListParams,
    body=PriceListResponse,
    answer=answer,
    table=table,
    cost=cost,
    earliest_day=earliest_day,
    is_long=lambda _context, params: params.lock is not None,  # a signature is made or checked
    scope=scope,
)
