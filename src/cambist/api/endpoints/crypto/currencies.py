"""`GET /crypto/currencies`: the coins that have a price."""

from __future__ import annotations

from msgspec import Struct

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.questions.freshness_parameters import BookParameters
from cambist.errors import RateUnavailable
from cambist.pricing.crypto_pairs import listed_coins
from cambist.reference.assets import COINS


class CryptoCurrenciesResponse(Struct, frozen=True):
    """Names by code."""

    currencies: dict[str, str]


def answer(context: RequestContext, _params: BookParameters) -> CryptoCurrenciesResponse:
    """Return every coin that a venue trades, including stablecoins."""
    coins = listed_coins(context.book)
    if not coins:
        raise RateUnavailable("No venue has been heard of yet")
    return CryptoCurrenciesResponse({coin: COINS[coin].name for coin in coins})


endpoint: Endpoint[BookParameters, CryptoCurrenciesResponse] = Endpoint(
    path="/crypto/currencies",
    tag="crypto",
    summary="All coins",
    params=BookParameters,
    body=CryptoCurrenciesResponse,
    answer=answer,
    is_list=True,
)
