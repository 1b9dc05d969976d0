"""`POST /value`: what positions in currencies, metals and coins are worth in one currency."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from msgspec import UNSET, Struct, UnsetType

from cambist.api.answer.answer_table import NUMBER, AnswerTable, Cell, Column, cell_of
from cambist.api.answer.posted_endpoint import PostedEndpoint
from cambist.api.answer.rendering import Number, number
from cambist.api.answer.request_context import RequestContext
from cambist.api.endpoints.currency.convert import AnyAmountParams, Conversion, convert_amount
from cambist.api.questions.parameter_types import not_after_today
from cambist.api.questions.symbol_parameters import ANY_ASSET, MONEY_AND_METALS, read_code
from cambist.errors import BadParameter, CambistError, NoRate, RateUnavailable, RequestRefused
from cambist.pricing.number_format import plain_float
from cambist.pricing.pair import PIVOT

MOST_POSITIONS = 500


class PositionQuestion(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An amount of a currency, a metal (in its own unit, the ounce or the tonne) or a coin; below zero it is owed.

    `cost` is what was paid for it in the currency of the answer; without it, its worth on the day on which it was
    `bought`.
    """

    asset: str
    amount: Decimal
    cost: Decimal | None = None
    bought: date | None = None
    name: str | None = None


class ValueQuestion(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"day": "date"}):
    """Up to 500 positions, and the currency and day of their worth; now if no day is given.

    With `since` the worth on that earlier day is told too, and the change.
    """

    positions: list[PositionQuestion]
    currency: str = PIVOT
    day: date | None = None
    since: date | None = None


class PositionRecord(Struct, frozen=True, kw_only=True):
    """What a position is worth, at the `rate` of one unit, which `explain` explains.

    `gain` is the worth less the `cost`, and `before` the worth on the earlier day. A rate of now has `updated`, one of
    a day `fixed_on`. A position without a rate has `error` instead.
    """

    name: str | UnsetType = UNSET
    asset: str
    amount: Number
    rate: Number | UnsetType = UNSET
    worth: Number | UnsetType = UNSET
    updated: str | int | UnsetType = UNSET
    fixed_on: date | UnsetType | None = UNSET
    cost: Number | UnsetType = UNSET
    gain: Number | UnsetType = UNSET
    before: Number | UnsetType = UNSET
    change: Number | UnsetType = UNSET
    explain: str | UnsetType = UNSET
    error: str | UnsetType = UNSET


class WorthTotals(Struct, frozen=True, kw_only=True):
    """The sums over the positions that have a rate; of gains over those that have a cost."""

    worth: Number
    gain: Number | UnsetType = UNSET
    before: Number | UnsetType = UNSET
    change: Number | UnsetType = UNSET
    missing: int


class ValueResponse(Struct, frozen=True, kw_only=True, rename={"day": "date"}):
    """The positions in the order of the request, and their sums; `missing` counts those without a rate."""

    currency: str
    day: date | None = None
    since: date | None = None
    positions: list[PositionRecord]
    totals: WorthTotals


class _Worth(NamedTuple):
    """A position in an asset, its rate, its worth now and before, and its cost; the error if it has no rate."""

    asked: PositionQuestion
    asset: str
    found: Conversion | None
    worth: Decimal
    before: Decimal | None
    cost: Decimal | None
    error: RequestRefused | None = None


def answer(context: RequestContext, question: ValueQuestion) -> ValueResponse:
    """Return what positions are worth in a currency, now or on a day. Nothing is stored.

    Each is converted as at `/convert`, with the decimals of the currency; sums are of the rounded amounts. Positions
    without a rate are named, and cost nothing; if none has one, the request is refused.
    """
    found = _computed(context, question)
    known = [each for each in found if each.found is not None]
    if not known and found[0].error is not None:
        raise found[0].error
    gains = [each.worth - each.cost for each in known if each.cost is not None]
    before = [each.before for each in known if each.before is not None]
    compared = [each.worth - each.before for each in known if each.before is not None]
    return ValueResponse(
        currency=_currency(question),
        day=question.day,
        since=question.since,
        positions=[_record(each, question) for each in found],
        totals=WorthTotals(
            worth=number(sum((each.worth for each in known), Decimal(0))),
            gain=number(sum(gains, Decimal(0))) if gains else UNSET,
            before=number(sum(before, Decimal(0))) if question.since else UNSET,
            change=number(sum(compared, Decimal(0))) if question.since else UNSET,
            missing=len(found) - len(known),
        ),
    )


def _computed(context: RequestContext, question: ValueQuestion) -> list[_Worth]:
    return context.remembered("worth", lambda: list(_compute(context, question)))


def _compute(context: RequestContext, question: ValueQuestion) -> Iterator[_Worth]:
    if not 1 <= len(question.positions) <= MOST_POSITIONS:
        count = len(question.positions)
        raise BadParameter(f"Invalid positions: there are [{count}], it takes from 1 to {MOST_POSITIONS}")
    currency = _currency(question)
    _check_days(context, question)
    for place, asked in enumerate(question.positions, 1):
        asset = _asset(asked, place, question.day, context.today)
        try:
            found = _converted(context, asset, asked.amount, currency, question.day)
        except (NoRate, RateUnavailable) as error:
            yield _Worth(asked, asset, None, Decimal(0), None, None, error)
            continue
        before = _worth_on(context, asset, asked.amount, currency, question.since)
        cost = asked.cost
        if cost is None:
            cost = _worth_on(context, asset, asked.amount, currency, asked.bought)
        yield _Worth(asked, asset, found, Decimal(found.amount), before, cost)


def _worth_on(context: RequestContext, asset: str, amount: Decimal, currency: str, day: date | None) -> Decimal | None:
    """Return what an amount was worth on an earlier day; None without a day, and without a price then."""
    if day is None:
        return None
    try:
        return Decimal(_converted(context, asset, amount, currency, day).amount)
    except NoRate:
        return None


def _check_days(context: RequestContext, question: ValueQuestion) -> None:
    day = question.day and not_after_today("date", question.day, context.today)
    if question.since is not None and not_after_today("since", question.since, context.today) >= (day or context.today):
        raise BadParameter(f"Invalid since: [{question.since}], it takes a day before the other")


def _asset(asked: PositionQuestion, place: int, day: date | None, today: date) -> str:
    """Return the code of a position. Errors: BadParameter, which names it by its number."""
    try:
        asset = read_code(asked.asset, "", ANY_ASSET)
    except CambistError as error:
        raise BadParameter(f"Position {place}: {error}") from error
    for name, value in (("amount", asked.amount), ("cost", asked.cost)):
        if value is not None and (not value.is_finite() or abs(value.adjusted()) > 20):
            raise BadParameter(f"Position {place}: Invalid {name}, it takes a number")
    if asked.bought is not None and asked.bought > (day or today):
        raise BadParameter(f"Position {place}: Invalid bought: [{asked.bought}] is later than the day of the answer")
    return asset


def _converted(context: RequestContext, asset: str, amount: Decimal, currency: str, day: date | None) -> Conversion:
    params = AnyAmountParams(base=asset, quote=currency, amount=amount, day=day, precision=None, max_age=None)
    return context.remembered(params, lambda: convert_amount(context, params))


def _currency(question: ValueQuestion) -> str:
    return read_code(question.currency, "target", MONEY_AND_METALS)


def _record(each: _Worth, question: ValueQuestion) -> PositionRecord:
    asked, found = each.asked, each.found
    name = UNSET if asked.name is None else asked.name
    if found is None:
        return PositionRecord(name=name, asset=each.asset, amount=number(asked.amount), error=str(each.error))
    day = f"&date={question.day}" if question.day else ""
    before = UNSET if each.before is None else number(each.before)
    return PositionRecord(
        name=name,
        asset=each.asset,
        amount=number(asked.amount),
        rate=number(Decimal(plain_float(found.rate))),
        worth=number(each.worth),
        updated=found.updated,
        fixed_on=found.fixed_on,
        cost=UNSET if each.cost is None else number(each.cost),
        gain=UNSET if each.cost is None else number(each.worth - each.cost),
        before=before,
        change=UNSET if each.before is None else number(each.worth - each.before),
        explain=f"/explain?from={each.asset}&to={_currency(question)}{day}",
    )


_NUMBERS = ("amount", "rate", "worth", "cost", "gain", "before", "change")
_COLUMNS = (
    Column("name"),
    Column("asset"),
    *(Column(name, NUMBER) for name in _NUMBERS),
    Column("currency"),
    Column("as_of"),
    Column("error"),
)


def table(found: ValueResponse) -> AnswerTable:
    """Return a row for each position."""
    return AnswerTable(_COLUMNS, (_row(each, found.currency) for each in found.positions))


def _row(each: PositionRecord, currency: str) -> tuple[Cell, ...]:
    numbers = (cell_of(getattr(each, name)) for name in _NUMBERS)
    as_of = each.fixed_on if each.updated is UNSET else each.updated
    return cell_of(each.name), each.asset, *numbers, currency, cell_of(as_of), cell_of(each.error)


def cost(context: RequestContext, question: ValueQuestion) -> int:
    """For each asset one call, with `since` another, and one for each day of buying that is its cost."""
    found = _computed(context, question)
    now = {each.asset for each in found if each.found is not None}
    bought = {(each.asset, each.asked.bought) for each in found if each.asked.cost is None and each.cost is not None}
    return len(now) + len({each.asset for each in found if each.before is not None}) + len(bought)


def earliest_day(_context: RequestContext, question: ValueQuestion) -> date | None:
    """The earliest of its days."""
    bought = (each.bought for each in question.positions if each.cost is None)
    return min(filter(None, (question.since, question.day, *bought)), default=None)


endpoint: PostedEndpoint[ValueQuestion, ValueResponse] = PostedEndpoint(
    path="/value",
    tag="currency",
    summary="What positions are worth",
    question=ValueQuestion,
    body=ValueResponse,
    answer=answer,
    cost=cost,
    earliest_day=earliest_day,
    lines="positions",
    table=table,
    example=(
        b'{"currency": "EUR", "positions": [{"asset": "USD", "amount": 1200, "cost": 1050}, '
        b'{"asset": "XAU", "amount": 2}, {"asset": "BTC", "amount": "0.05"}]}'
    ),
)
