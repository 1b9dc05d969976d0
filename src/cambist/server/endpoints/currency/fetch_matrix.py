"""`GET /fetch-matrix`: rates from each of several currencies to each of several others."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from cambist.errors import BadParameter
from cambist.market.cross import midpoints
from cambist.server.endpoint import Endpoint
from cambist.server.live import Live
from cambist.server.readers import codes
from cambist.server.render import RatesByCode, matrix
from cambist.server.view import Updated, View

MOST_PAIRS = 10_000


class Params(Live, frozen=True, kw_only=True):
    """From a list to a list."""

    bases: Annotated[tuple[str, ...], codes("from", "source", description="Sources.", example="USD,EUR")]
    quotes: Annotated[tuple[str, ...], codes("to", "target", description="Targets.", example="JPY,GBP")]


class Body(Struct, frozen=True, rename={"bases": "from", "quotes": "to"}):
    """Rates by source and target, both in the order of the request."""

    bases: tuple[str, ...]
    quotes: tuple[str, ...]
    matrix: RatesByCode
    updated: Updated
    calls: int


def cost(_view: View, params: Params) -> int:
    """Each pair returned is a call, also where source and target are the same."""
    return len(params.bases) * len(params.quotes)


def answer(view: View, params: Params) -> Body:
    """Cross every source with every target."""
    calls = cost(view, params)
    if calls > MOST_PAIRS:
        raise BadParameter(f"Too many pairs in [from] x [to]: [{calls}], at most {MOST_PAIRS}")
    found = midpoints(view.book, params.bases, params.quotes)
    return Body(
        bases=params.bases,
        quotes=params.quotes,
        matrix=matrix(found.values),
        updated=view.updated(found.as_of, params.max_age),
        calls=calls,
    )


endpoint: Endpoint[Params, Body] = Endpoint(
    path="/fetch-matrix",
    tag="currency",
    summary="Every rate between two lists of currencies",
    params=Params,
    body=Body,
    answer=answer,
    cost=cost,
)
