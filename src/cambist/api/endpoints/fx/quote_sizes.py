"""`GET /fx/pairs/quote-sizes`: the pairs that are quoted for more than one unit."""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations

from msgspec import Struct

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.questions.freshness_parameters import BookParameters
from cambist.reference.sizes import quote_size


class QuoteSizesResponse(Struct, frozen=True):
    """The number of units of the base that a price is for, by pair without a slash."""

    sizes: dict[str, int]


def answer(context: RequestContext, _params: BookParameters) -> QuoteSizesResponse:
    """Return the pairs whose prices are for more than one unit of a weak base currency; all others are for one."""
    return QuoteSizesResponse(_sizes(context.book.listed))


@lru_cache(maxsize=4)
def _sizes(listed: tuple[str, ...]) -> dict[str, int]:
    """Return the sizes above one. They are cached: there are about 20,000 pairs, and they rarely change."""
    sizes = {base + quote: quote_size(base, quote) for base, quote in permutations(listed, 2)}
    return {name: size for name, size in sizes.items() if size > 1}


endpoint: Endpoint[BookParameters, QuoteSizesResponse] = Endpoint(
    path="/fx/pairs/quote-sizes",
    tag="fx",
    summary="Quote sizes above one unit",
    params=BookParameters,
    body=QuoteSizesResponse,
    answer=answer,
    is_list=True,
)
