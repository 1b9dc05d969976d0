"""`GET /crypto/currencies`: the coins."""

from __future__ import annotations

from msgspec import Struct

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.questions.freshness_parameters import BookParameters
from cambist.pricing.crypto_pairs import known_coins
from cambist.reference.assets import COINS


class CryptoCurrenciesResponse(Struct, frozen=True):
    """Names by code."""

    currencies: dict[str, str]


def answer(context: RequestContext, _params: BookParameters) -> CryptoCurrenciesResponse:
    """Return every coin that a venue trades, including stablecoins; before any venue was heard every known coin."""
    return CryptoCurrenciesResponse({coin: COINS[coin].name for coin in known_coins(context.book)})


endpoint: Endpoint[BookParameters, CryptoCurrenciesResponse] = Endpoint(
    path="/crypto/currencies",
    tag="crypto",
    summary="All coins",
    params=BookParameters,
    body=CryptoCurrenciesResponse,
    answer=answer,
    is_list=True,
)
