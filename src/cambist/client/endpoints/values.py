"""Questions of many parts: positions at `/value`, pieces at `/metals/value`, articles at `/price-list/bulk`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from decimal import Decimal

import msgspec
from msgspec import Struct

from cambist.client.answers import Answer, Timestamp
from cambist.client.call import JSON, Amount, Call, Day, write_day, write_value


class Position(Struct, frozen=True, kw_only=True):
    """An amount of a currency, a metal in its own unit, or a coin.

    `cost` is what was paid in the answer's currency; without it, the worth on the day on which it was `bought`.
    """

    asset: str
    amount: Amount
    cost: Amount | None = None
    bought: dt.date | None = None
    name: str | None = None


class PositionRecord(Struct, frozen=True, kw_only=True):
    """What a position is worth, at the `rate` of one unit; without a rate it has an `error`.

    `gain` is the worth less the cost, `before` the worth on the earlier day, and `explain` where the rate is explained.
    """

    asset: str
    amount: Decimal
    name: str = ""
    rate: Decimal | None = None
    worth: Decimal | None = None
    updated: Timestamp | None = None
    fixed_on: dt.date | None = None
    cost: Decimal | None = None
    gain: Decimal | None = None
    before: Decimal | None = None
    change: Decimal | None = None
    explain: str = ""
    error: str = ""


class WorthTotals(Struct, frozen=True, kw_only=True):
    """The sums over the positions that have a rate; `missing` counts the others."""

    worth: Decimal
    gain: Decimal | None = None
    before: Decimal | None = None
    change: Decimal | None = None
    missing: int


class ValueResponse(Answer, frozen=True, kw_only=True):
    """The positions in the order of the request, and their sums."""

    currency: str
    date: dt.date | None = None
    since: dt.date | None = None
    positions: list[PositionRecord]
    totals: WorthTotals


class Piece(Struct, frozen=True, kw_only=True):
    """`count` equal pieces of a metal: the weight of one in a `unit`, what of it is none, and its purity.

    `margin` is a percentage such as "2.5%", and `making` an amount for the work on one piece.
    """

    metal: str
    weight: Amount
    unit: str | None = None
    purity: str | int | None = None
    count: int = 1
    deduct: Amount | None = None
    margin: str | None = None
    making: Amount | None = None
    name: str | None = None


class PieceRecord(Struct, frozen=True, kw_only=True):
    """What pieces are worth: their metal at bid and ask, and what a shop pays (`buy`) and asks (`sell`) for them.

    `bid` and `ask` are the price of a gram of pure metal.
    """

    metal: str
    fine_grams: Decimal
    bid: Decimal
    ask: Decimal
    melt_bid: Decimal
    melt_ask: Decimal
    buy: Decimal
    sell: Decimal
    updated: Timestamp
    source: str
    name: str = ""


class ValueTotals(Struct, frozen=True):
    """The sums of the rounded amounts of all pieces."""

    melt_bid: Decimal
    melt_ask: Decimal
    buy: Decimal
    sell: Decimal


class MetalsValueResponse(Answer, frozen=True, kw_only=True):
    """The pieces in the order of the request, their sums, and the grams of each pure metal in all of them."""

    currency: str
    pieces: list[PieceRecord]
    totals: ValueTotals
    fine_grams: dict[str, Decimal]


def value(
    positions: Iterable[Position], currency: str = "USD", *, date: Day = None, since: Day = None
) -> Call[ValueResponse]:
    """Return what positions are worth in a currency, now or on a day, and with `since` how that has changed.

    Each asset costs a call, two with `since`, and one for each day on which it was bought.
    """
    question = {
        "currency": currency,
        "positions": [_written(each) for each in positions],
        "date": write_day(date),
        "since": write_day(since),
    }
    return Call("/value", ValueResponse, {}, body=msgspec.json.encode(question), media=JSON)


def metals_value(
    pieces: Iterable[Piece], currency: str = "USD", *, margin: str | None = None
) -> Call[MetalsValueResponse]:
    """Return what pieces of metal are worth to who buys or sells them; `margin` is that of pieces without their own."""
    question = {"currency": currency, "pieces": [_written(each) for each in pieces]}
    if margin is not None:
        question["margin"] = margin
    return Call("/metals/value", MetalsValueResponse, {}, body=msgspec.json.encode(question), media=JSON)


class Article(Struct, frozen=True, kw_only=True):
    """An article and its price; what it costs you, and its last prices by currency."""

    sku: str
    price: Amount
    cost: Amount | None = None
    last: dict[str, Decimal] | None = None


class ListRate(Struct, frozen=True, kw_only=True):
    """The rate of a currency: a current one has `updated`, one of a day `fixed_on`."""

    rate: Decimal
    updated: Timestamp | None = None
    fixed_on: dt.date | None = None


class ArticlePrice(Struct, frozen=True, kw_only=True):
    """A price: `amount` is the article's at the rate, to which `markup` and then `rounding` were added.

    It was `kept` as the last one, or `limited` in its change; `below_cost` warns of it.
    """

    price: Decimal
    amount: Decimal
    markup: Decimal
    rounding: Decimal
    kept: bool = False
    limited: bool = False
    below_cost: bool = False


class ArticleRecord(Struct, frozen=True):
    """The prices of an article by currency."""

    sku: str
    prices: dict[str, ArticlePrice]


class PriceListBulkResponse(Answer, frozen=True, kw_only=True, rename={"base": "from"}):
    """The rates that were used, the articles in the order of the request, and how many prices are below cost."""

    base: str
    rates: dict[str, ListRate]
    articles: list[ArticleRecord]
    below_cost: int


def price_list_bulk(  # noqa: PLR0913  the parts of a question
    articles: Iterable[Article],
    from_: str,
    to: Iterable[str],
    *,
    markup: str = "0%",
    rounding: str = "currency",
    keep_within: str = "0%",
    max_change: str | None = None,
    date: Day = None,
) -> Call[PriceListBulkResponse]:
    """Return every article in every currency, marked up and rounded as at `price_list`; each currency costs a call.

    A price that differs from its last one by no more than `keep_within` stays, and none changes by more than
    `max_change`.
    """
    question = {
        "from": from_,
        "to": list(to),
        "articles": [_written(each) for each in articles],
        "markup": markup,
        "rounding": rounding,
        "keep_within": keep_within,
        "max_change": max_change,
        "date": write_day(date),
    }
    return Call("/price-list/bulk", PriceListBulkResponse, {}, body=msgspec.json.encode(question), media=JSON)


def _written(each: Struct) -> dict[str, object]:
    """Return a part of a question without what is left out; amounts are written as texts, with all their digits."""
    found = {name: getattr(each, name) for name in each.__struct_fields__}
    return {
        name: write_value(value) if name in {"amount", "price", "cost", "weight", "deduct", "making"} else value
        for name, value in found.items()
        if value is not None
    }
