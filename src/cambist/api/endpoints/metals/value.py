"""`POST /metals/value`: what pieces of metal are worth to who buys or sells them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from msgspec import UNSET, Struct, UnsetType

from cambist.api.answer.answer_table import NUMBER, AnswerTable, Cell, Column, cell_of
from cambist.api.answer.posted_endpoint import PostedEndpoint
from cambist.api.answer.rendering import Number, number
from cambist.api.answer.request_context import RequestContext, written
from cambist.api.questions.symbol_parameters import MONEY, read_code
from cambist.errors import BadParameter, CambistError, UnknownMetal, shorten
from cambist.pricing.amounts import decimals_of
from cambist.pricing.metals.fineness import PURE, parse_purity
from cambist.pricing.metals.piece import Piece, value_of
from cambist.pricing.metals.spot import Spot, own_unit, spot
from cambist.pricing.number_format import half_up
from cambist.pricing.pair import PIVOT
from cambist.reference.assets import METALS, MetalKind

MOST_PIECES = 1000
_MOST_COUNT = 1_000_000
_GRAM_PLACES = 6
_PERCENT = re.compile(r"-?[0-9]{1,3}(\.[0-9]{1,6})? ?%?")


class PieceQuestion(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Equal pieces of a metal.

    `weight` is that of one piece in a `unit` of `/metals/units`, the metal's own if left out, and `deduct` what of it
    is stones and waste. `purity` is one of `/metals/purities` or parts per thousand. `margin` is a percentage such as
    `2.5%`, and `making` an amount for the work on one piece.
    """

    metal: str
    weight: Decimal
    unit: str | None = None
    purity: str | int | float | None = None
    count: int = 1
    deduct: Decimal = Decimal(0)
    margin: str | None = None
    making: Decimal = Decimal(0)
    name: str | None = None


class MetalsValueQuestion(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Up to 1000 kinds of pieces, the currency, and the margin of those that have none of their own."""

    pieces: list[PieceQuestion]
    currency: str = PIVOT
    margin: str = "0%"


class PieceRecord(Struct, frozen=True, kw_only=True):
    """What pieces are worth: their metal at bid and ask, and what a shop pays (`buy`) and asks (`sell`) for them.

    `bid` and `ask` are the price of a gram of pure metal, of the time `updated`.
    """

    name: str | UnsetType = UNSET
    metal: str
    fine_grams: Number
    bid: Number
    ask: Number
    melt_bid: Number
    melt_ask: Number
    buy: Number
    sell: Number
    updated: str | int
    source: str


class ValueTotals(Struct, frozen=True):
    """The sums over all pieces, of amounts that are rounded, as on an invoice."""

    melt_bid: Number
    melt_ask: Number
    buy: Number
    sell: Number


class MetalsValueResponse(Struct, frozen=True):
    """The pieces in the order of the request, their sums, and the pure metal in all of them, in grams."""

    currency: str
    pieces: list[PieceRecord]
    totals: ValueTotals
    fine_grams: dict[str, Number]


def answer(context: RequestContext, question: MetalsValueQuestion) -> MetalsValueResponse:
    """Return what pieces are worth: their metal at bid and ask, and with margin and making charge a shop's prices.

    Amounts are rounded to the minor units of the currency, each once; totals are sums of the rounded amounts.
    """
    currency, records, fine = _currency(question), [], dict[str, Fraction]()
    sums = [Decimal(0)] * 4
    for number_of, asked in enumerate(_checked(question), 1):
        piece = _piece(context, asked, question, number_of)
        found = _per_gram(context, asked.metal.strip().upper(), currency)
        value = value_of(piece, found)
        amounts = [_amount(each, currency) for each in (value.melt_bid, value.melt_ask, value.buy, value.sell)]
        sums = [total + each for total, each in zip(sums, amounts, strict=True)]
        code_of = asked.metal.strip().upper()
        fine[code_of] = fine.get(code_of, Fraction(0)) + piece.fine_grams
        records.append(_record(context, asked, piece, found, amounts))
    grams_of = {code: number(Decimal(half_up(*each.as_integer_ratio(), _GRAM_PLACES))) for code, each in fine.items()}
    return MetalsValueResponse(currency, records, ValueTotals(*map(number, sums)), grams_of)


def _checked(question: MetalsValueQuestion) -> list[PieceQuestion]:
    if not 1 <= len(question.pieces) <= MOST_PIECES:
        raise BadParameter(f"Invalid pieces: there are [{len(question.pieces)}], it takes from 1 to {MOST_PIECES}")
    return question.pieces


def _currency(question: MetalsValueQuestion) -> str:
    return read_code(question.currency, "target", MONEY)


def _piece(context: RequestContext, asked: PieceQuestion, question: MetalsValueQuestion, number_of: int) -> Piece:
    """Return a piece as it is priced. Errors: BadParameter, which names it by its number."""
    try:
        chosen = METALS.get(asked.metal.strip().upper())
        if chosen is None:
            raise UnknownMetal(asked.metal, "")
        purity = PURE
        if asked.purity is not None:
            if chosen.kind is MetalKind.BASE:
                raise BadParameter(f"Invalid purity: [{chosen.code}] is sold pure")
            purity = parse_purity(chosen.code, str(asked.purity))
        if asked.unit is not None and asked.unit not in context.units:
            raise BadParameter(f"Invalid unit: [{shorten(asked.unit)}], it takes one of [{', '.join(context.units)}]")
        return Piece(
            weight=_amount_within("weight", asked.weight, above=Decimal(0)),
            deduct=_deduction(asked),
            unit=context.units[asked.unit or chosen.unit],
            purity=purity,
            count=_count(asked.count),
            margin=_margin(asked.margin or question.margin),
            making=_making(asked.making),
        )
    except CambistError as error:
        raise BadParameter(f"Piece {number_of}: {error}") from error


def _amount_within(name: str, value: Decimal, above: Decimal) -> Decimal:
    if not value.is_finite() or value <= above or abs(value.adjusted()) > 15:
        raise BadParameter(f"Invalid {name}: [{shorten(str(value))}], it takes a number above {above}")
    return value


def _deduction(asked: PieceQuestion) -> Decimal:
    if not asked.deduct.is_finite() or not 0 <= asked.deduct < asked.weight:
        raise BadParameter(
            f"Invalid deduct: [{shorten(str(asked.deduct))}], it takes a weight from 0 to below [{asked.weight}]"
        )
    return asked.deduct


def _count(value: int) -> int:
    if not 1 <= value <= _MOST_COUNT:
        raise BadParameter(f"Invalid count: [{shorten(str(value))}], it takes a whole number from 1 to {_MOST_COUNT}")
    return value


def _making(value: Decimal) -> Decimal:
    if not value.is_finite() or value < 0 or value.adjusted() > 15:
        raise BadParameter(f"Invalid making: [{shorten(str(value))}], it takes an amount from 0 up")
    return value


def _margin(text: str) -> Decimal:
    percent = Decimal(text.strip(" %")) if _PERCENT.fullmatch(text.strip()) else Decimal(100)
    if not -100 < percent < 100:
        raise BadParameter(f"Invalid margin: [{shorten(text)}], it takes a percentage within 100, such as 2.5%")
    return percent


def _per_gram(context: RequestContext, code_of: str, currency: str) -> Spot:
    chosen = METALS[code_of]
    found = context.remembered(
        ("spot", code_of, currency),
        lambda: spot(context.book, chosen, currency, lambda quote: context.is_metal_fresh(quote, None)),
    )
    return found.per(context.units["gram"], PURE, own_unit(chosen))


def _amount(value: Fraction, currency: str) -> Decimal:
    numerator, denominator = value.as_integer_ratio()
    return Decimal(half_up(numerator, denominator, decimals_of(currency, numerator, denominator)))


def _record(
    context: RequestContext, asked: PieceQuestion, piece: Piece, found: Spot, amounts: list[Decimal]
) -> PieceRecord:
    melt_bid, melt_ask, buy, sell = map(number, amounts)
    sides = found.sides
    return PieceRecord(
        name=UNSET if asked.name is None else asked.name,
        metal=asked.metal.strip().upper(),
        fine_grams=number(Decimal(half_up(*piece.fine_grams.as_integer_ratio(), _GRAM_PLACES))),
        bid=number(sides.bid),
        ask=number(sides.ask),
        melt_bid=melt_bid,
        melt_ask=melt_ask,
        buy=buy,
        sell=sell,
        updated=written(found.as_of, context.form),
        source="; ".join(found.sources),
    )


_NUMBERS = ("fine_grams", "bid", "ask", "melt_bid", "melt_ask", "buy", "sell")
_COLUMNS = (
    Column("name"),
    Column("metal"),
    *(Column(name, NUMBER) for name in _NUMBERS),
    Column("currency"),
    Column("as_of"),
    Column("source"),
)


def table(found: MetalsValueResponse) -> AnswerTable:
    """Return a row for each kind of pieces."""
    return AnswerTable(_COLUMNS, (_row(each, found.currency) for each in found.pieces))


def _row(each: PieceRecord, currency: str) -> tuple[Cell, ...]:
    numbers = (cell_of(getattr(each, name)) for name in _NUMBERS)
    return cell_of(each.name), each.metal, *numbers, currency, cell_of(each.updated), each.source


def cost(context: RequestContext, question: MetalsValueQuestion) -> int:
    """For each metal one call, two if its price is crossed, as at `/metals/spot`."""
    currency = _currency(question)
    return sum(1 + _per_gram(context, each, currency).is_crossed for each in _metals(question))


def _metals(question: MetalsValueQuestion) -> Iterator[str]:
    yield from dict.fromkeys(asked.metal.strip().upper() for asked in question.pieces)


endpoint: PostedEndpoint[MetalsValueQuestion, MetalsValueResponse] = PostedEndpoint(
    path="/metals/value",
    tag="metals",
    summary="What pieces of metal are worth",
    question=MetalsValueQuestion,
    body=MetalsValueResponse,
    answer=answer,
    cost=cost,
    lines="pieces",
    table=table,
    example=(
        b'{"currency": "EUR", "margin": "3%", "pieces": [{"name": "rings", "metal": "XAU", "weight": 4.2, '
        b'"unit": "gram", "purity": "750", "count": 3, "deduct": 0.2}]}'
    ),
)
