"""`GET /fetch-one`: a single midpoint rate."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from cambist.errors import BadParameter
from cambist.market.cross import midpoint
from cambist.market.pair import PIVOT, Pair
from cambist.server.endpoint import Endpoint
from cambist.server.live import Live
from cambist.server.readers import code
from cambist.server.render import Rates, rates
from cambist.server.view import Updated, View


class Params(Live, frozen=True, kw_only=True):
    """From one currency to another; either may be left out, not both."""

    base: Annotated[
        str | None,
        code("from", "source", default=None, description="Source, USD if left out.", example="EUR"),
    ]
    quote: Annotated[str | None, code("to", "target", default=None, description="Target, USD if empty.", example="USD")]


class Body(Struct, frozen=True):
    """One rate."""

    base: str
    result: Rates
    updated: Updated


def answer(view: View, params: Params) -> Body:
    """Cross the pair at midpoints."""
    if params.base is None and params.quote is None:
        raise BadParameter("Missing parameter: [to], such as to=EUR")
    pair = Pair(params.base or PIVOT, params.quote or PIVOT)
    rate = midpoint(view.book, pair)
    return Body(
        base=pair.base,
        result=rates({pair.quote: rate.value}),
        updated=view.updated(rate.as_of, params.max_age),
    )


endpoint: Endpoint[Params, Body] = Endpoint(
    path="/fetch-one",
    tag="currency",
    summary="One rate",
    params=Params,
    body=Body,
    answer=answer,
)
