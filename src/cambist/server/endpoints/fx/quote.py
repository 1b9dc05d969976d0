"""`GET /fx/quote`: bid and ask of pairs of currencies."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from cambist.market.pair import Pair
from cambist.market.unix import unix_ms
from cambist.metals.digits import digits_of, written_sides
from cambist.reference.sizes import size_of
from cambist.server.endpoint import Endpoint
from cambist.server.fx import dealt_now, known_pairs
from cambist.server.live import Live
from cambist.server.readers import names
from cambist.server.render import Number, number
from cambist.server.view import View


class Params(Live, frozen=True, kw_only=True):
    """One to ten pairs."""

    pairs: Annotated[
        tuple[str, ...], names("pairs", description="Up to ten pairs, EURUSD or EUR/USD.", example="EURUSD,USD/JPY")
    ]


class FxQuote(Struct, frozen=True):
    """Bid and ask of `size` units of the base, and their time in milliseconds since 1970."""

    bid: Number
    ask: Number
    tsp: int
    size: int


class Body(Struct, frozen=True):
    """Quotes by pair without a slash, in the order of the request."""

    quotes: dict[str, FxQuote]


def answer(view: View, params: Params) -> Body:
    """Give each pair as it is dealt; what is not dealt as such is crossed, and its gap is wider than its legs'.

    What trades has to be fresh while its market is open; what is only fixed has equal sides and the time of its fixing.
    """
    pairs = known_pairs(view, params.pairs)
    return Body({pair.base + pair.quote: _quote(view, pair, params) for pair in pairs})


def _quote(view: View, pair: Pair, params: Params) -> FxQuote:
    quote, size = dealt_now(view, pair), size_of(pair.base, pair.quote)
    view.updated(quote.as_of, params.max_age)
    sides = written_sides(quote.bid * size, quote.ask * size, max(digits_of(quote.bid), digits_of(quote.ask)))
    return FxQuote(
        bid=number(sides.bid),
        ask=number(sides.ask),
        tsp=unix_ms(quote.as_of),
        size=size,
    )


endpoint: Endpoint[Params, Body] = Endpoint(
    path="/fx/quote",
    tag="fx",
    summary="Bid and ask of pairs of currencies",
    params=Params,
    body=Body,
    answer=answer,
)
