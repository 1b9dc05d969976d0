"""`GET /crypto/currencies`: the coins that are priced."""

from __future__ import annotations

from msgspec import Struct

from cambist.api.endpoint import Endpoint
from cambist.api.freshness_parameters import BookParameters
from cambist.api.request_context import RequestContext
from cambist.errors import RateUnavailable
from cambist.pricing.crypto_pairs import listed_coins
from cambist.reference.assets import COINS


class Params(BookParameters, frozen=True):
    """None."""


class Body(Struct, frozen=True):
    """Names by symbol."""

    currencies: dict[str, str]


def answer(view: RequestContext, _params: Params) -> Body:
    """List every coin that a venue trades, stablecoins among them."""
    coins = listed_coins(view.book)
    if not coins:
        raise RateUnavailable("No venue has been heard of yet")
    return Body({coin: COINS[coin].name for coin in coins})


endpoint: Endpoint[Params, Body] = Endpoint(
    path="/crypto/currencies",
    tag="crypto",
    summary="All coins",
    params=Params,
    body=Body,
    answer=answer,
    is_list=True,
)
