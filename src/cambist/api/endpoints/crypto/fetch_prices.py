"""`GET /crypto/fetch-prices`: prices of pairs of coins."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.rendering import Rates, rates
from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.partial import LiveListParameters, Unavailable, answer_each
from cambist.api.bodies.price_moves import Moving, PriceMovesRecord, moves
from cambist.api.questions.symbol_parameters import pairs
from cambist.errors import UnknownCryptoPair
from cambist.pricing.cross_rates import Rate, midpoint
from cambist.pricing.crypto_pairs import is_coin_pair, is_listed, listed_pairs
from cambist.pricing.pair import Pair
from cambist.pricing.rate_book import RateBook
from cambist.pricing.unavailable import not_heard
from cambist.reference.assets import AssetKind

_HINT = "the pairs that are listed are found at /crypto/pairs"


class FetchPricesParams(LiveListParameters, frozen=True, kw_only=True):
    """One to ten pairs."""

    pairs: Annotated[
        tuple[Pair, ...], pairs("pairs", description="Up to ten pairs, BASE/QUOTE.", example="BTC/USD,ETH/BTC")
    ]
    verbose: Moving = False


class FetchPricesResponse(Struct, frozen=True):
    """Midpoints by pair, in the order of the request; `moves`, with `verbose`, has how far each has moved."""

    prices: Rates
    moves: dict[str, PriceMovesRecord] | UnsetType = UNSET
    unavailable: Unavailable = UNSET


def answer(context: RequestContext, params: FetchPricesParams) -> FetchPricesResponse:
    """Return the median midpoint of the venues for each pair.

    A listed pair that no venue has quoted lately is crossed from the pairs in which its coins are traded.
    """
    found, unavailable = answer_each(params.pairs, lambda pair: _rate(context, pair, params), partial=params.partial)
    prices = rates([*map(str, found)], [rate.value for rate in found.values()])
    moved: dict[str, PriceMovesRecord] | UnsetType = UNSET
    if params.verbose:
        moved = {str(pair): PriceMovesRecord(**moves(context, pair, rate.value)) for pair, rate in found.items()}
    return FetchPricesResponse(prices, moved, unavailable)


def _rate(context: RequestContext, pair: Pair, params: FetchPricesParams) -> Rate:
    price = context.book.pair_price(pair) if is_coin_pair(pair) else None
    if price is not None and context.is_fresh(price, AssetKind.COIN, params.max_age):
        rate = Rate(price.mid, price.as_of)
    else:
        _check_listed(context.book, pair)
        context.check_fresh((pair.base, pair.quote))
        rate = midpoint(context.book, pair)
    context.check_age(rate.as_of, params.max_age)
    return rate


def _check_listed(book: RateBook, pair: Pair) -> None:
    if is_listed(book, pair):
        return
    if not listed_pairs(book):
        raise not_heard("No venue has been heard of")
    raise UnknownCryptoPair(
        str(pair), "", f"it is listed as [{pair.inverse}]" if is_listed(book, pair.inverse) else _HINT
    )


endpoint: Endpoint[FetchPricesParams, FetchPricesResponse] = Endpoint(
    path="/crypto/fetch-prices",
    tag="crypto",
    summary="Prices of pairs of coins",
    params=FetchPricesParams,
    body=FetchPricesResponse,
    answer=answer,
)
