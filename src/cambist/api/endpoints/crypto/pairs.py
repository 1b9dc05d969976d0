"""`GET /crypto/pairs`: the pairs of coins that venues list."""

from __future__ import annotations

from msgspec import Struct

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.questions.freshness_parameters import BookParameters
from cambist.pricing.crypto_pairs import known_pairs


class CryptoPair(Struct, frozen=True):
    """One unit of `base` is priced in `quote`."""

    base: str
    quote: str


class CryptoPairsResponse(Struct, frozen=True):
    """Pairs by name, `BASE/QUOTE`."""

    pairs: dict[str, CryptoPair]


def answer(context: RequestContext, _params: BookParameters) -> CryptoPairsResponse:
    """Return every pair with a coin that a venue trades, except leveraged tokens.

    Before any venue was heard it is every known coin against the US dollar.
    """
    return CryptoPairsResponse({str(pair): CryptoPair(pair.base, pair.quote) for pair in known_pairs(context.book)})


endpoint: Endpoint[BookParameters, CryptoPairsResponse] = Endpoint(
    path="/crypto/pairs",
    tag="crypto",
    summary="All pairs of coins",
    params=BookParameters,
    body=CryptoPairsResponse,
    answer=answer,
    is_list=True,
)
