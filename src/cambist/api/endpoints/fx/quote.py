"""`GET /fx/quote`: bid and ask of up to ten pairs of currencies."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.rendering import Number, number
from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.fx_pairs import current_quote, parse_fx_pair
from cambist.api.bodies.partial import LiveListParameters, Unavailable, answer_each
from cambist.api.bodies.price_moves import Move, Moving, moves
from cambist.api.questions.symbol_parameters import fx_pairs
from cambist.pricing.metals.digits import digits_of, rounded_sides
from cambist.pricing.unix_time import unix_ms
from cambist.reference.sizes import quote_size

FixedOn = Annotated[
    date, Meta(description="The day of the oldest daily fixing in the quote; absent if all of it is traded.")
]


class FxQuoteParams(LiveListParameters, frozen=True, kw_only=True):
    """One to ten pairs."""

    pairs: Annotated[
        tuple[str, ...], fx_pairs("pairs", description="Up to ten pairs, EURUSD or EUR/USD.", example="EURUSD,USD/JPY")
    ]
    verbose: Moving = False


class FxQuoteRecord(Struct, frozen=True):
    """Bid and ask of `size` units of the base, and their time in milliseconds since 1970.

    `fixed_on` is present if a daily fixing is part of the quote: a fixing has no spread, and nobody trades at it.
    """

    bid: Number
    ask: Number
    tsp: int
    size: int
    fixed_on: FixedOn | UnsetType = UNSET
    today: Move = UNSET
    last_24h: Move = UNSET
    last_7d: Move = UNSET


class FxQuoteResponse(Struct, frozen=True):
    """Quotes by pair without a slash, in the order of the request."""

    quotes: dict[str, FxQuoteRecord]
    unavailable: Unavailable = UNSET


def answer(context: RequestContext, params: FxQuoteParams) -> FxQuoteResponse:
    """Return bid and ask of each pair. A pair that is not quoted itself is crossed, with a wider spread than its legs.

    While its market is open, a traded price must be fresh. A currency that is not traded is quoted at its daily fixing
    for up to 14 days, with the day in `fixed_on`.
    """
    found, unavailable = answer_each(
        params.pairs, lambda name: quote_record(context, name, params), partial=params.partial
    )
    return FxQuoteResponse(dict(found.values()), unavailable)


def quote_record(context: RequestContext, name: str, params: FxQuoteParams) -> tuple[str, FxQuoteRecord]:
    """Return the name of a pair and its quote. Errors: UnknownFxPair, RateUnavailable."""
    pair = parse_fx_pair(context, name)
    current, size = current_quote(context, pair), quote_size(pair.base, pair.quote)
    quote, fixing = current.quote, current.fixing
    context.check_age(quote.as_of, params.max_age)
    bid, ask, digits = quote.bid, quote.ask, max(digits_of(quote.bid), digits_of(quote.ask))
    sides = rounded_sides(bid, ask, digits) if size == 1 else rounded_sides(bid * size, ask * size, digits)
    return pair.base + pair.quote, FxQuoteRecord(
        bid=number(sides.bid),
        ask=number(sides.ask),
        tsp=unix_ms(quote.as_of),
        size=size,
        fixed_on=UNSET if fixing is None else fixing.as_of.date(),
        **(moves(context, pair, (sides.bid + sides.ask) / 2) if params.verbose else {}),
    )


endpoint: Endpoint[FxQuoteParams, FxQuoteResponse] = Endpoint(
    path="/fx/quote",
    tag="fx",
    summary="Bid and ask of pairs of currencies",
    params=FxQuoteParams,
    body=FxQuoteResponse,
    answer=answer,
)
