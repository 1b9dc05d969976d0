"""`GET /crypto/fetch-prices`: what pairs of coins are worth now."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from cambist.errors import RateUnavailable, UnknownPair
from cambist.market.book import Book
from cambist.market.coins import is_listed, listed_pairs
from cambist.market.cross import Rate, midpoint
from cambist.market.pair import Pair
from cambist.reference.assets import AssetKind
from cambist.server.endpoint import Endpoint
from cambist.server.live import Live
from cambist.server.readers import pairs
from cambist.server.render import Rates, rates
from cambist.server.view import View

_LISTED = "the pairs that are listed are found at /crypto/pairs"


class Params(Live, frozen=True, kw_only=True):
    """One to ten pairs."""

    pairs: Annotated[
        tuple[Pair, ...], pairs("pairs", description="Up to ten pairs, BASE/QUOTE.", example="BTC/USD,ETH/BTC")
    ]


class Body(Struct, frozen=True):
    """Midpoints by pair, in the order of the request."""

    prices: Rates


def answer(view: View, params: Params) -> Body:
    """Give the venues' median midpoint of each pair.

    A listed pair that no venue has quoted lately is crossed through what its coins are dealt in.
    """
    for pair in params.pairs:
        _check_listed(view.book, pair)
    found = {str(pair): _rate(view, pair, params) for pair in params.pairs}
    view.updated(min(rate.as_of for rate in found.values()), params.max_age)
    return Body(rates({name: rate.value for name, rate in found.items()}))


def _rate(view: View, pair: Pair, params: Params) -> Rate:
    quote = view.book.pairs.get(pair)
    if quote is not None and view.is_fresh(quote, AssetKind.COIN, params.max_age):
        return Rate(pair, quote.mid, quote.as_of)
    view.check_fresh((pair.base, pair.quote))
    return midpoint(view.book, pair)


def _check_listed(book: Book, pair: Pair) -> None:
    if is_listed(book, pair):
        return
    if not listed_pairs(book):
        raise RateUnavailable("No venue has been heard of yet")
    raise UnknownPair(str(pair), "", f"it is listed as [{pair.inverse}]" if is_listed(book, pair.inverse) else _LISTED)


endpoint: Endpoint[Params, Body] = Endpoint(
    path="/crypto/fetch-prices",
    tag="crypto",
    summary="Prices of pairs of coins",
    params=Params,
    body=Body,
    answer=answer,
)
