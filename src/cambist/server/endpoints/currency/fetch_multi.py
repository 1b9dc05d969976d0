"""`GET /fetch-multi`: rates from one currency to several."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from cambist.market.cross import midpoints
from cambist.market.pair import PIVOT
from cambist.server.endpoint import Endpoint
from cambist.server.live import Live
from cambist.server.readers import code, codes
from cambist.server.render import Rates, rates
from cambist.server.view import Updated, View


class Params(Live, frozen=True, kw_only=True):
    """From one currency to a list."""

    base: Annotated[str, code("from", "source", default=PIVOT, description="Source, USD if left out.", example="EUR")]
    quotes: Annotated[tuple[str, ...], codes("to", "target", description="Targets.", example="USD,JPY,GBP")]


class Body(Struct, frozen=True):
    """Rates in the order of the request."""

    base: str
    results: Rates
    updated: Updated


def answer(view: View, params: Params) -> Body:
    """Cross the source with each target."""
    found = midpoints(view.book, [params.base], params.quotes)
    return Body(
        base=params.base,
        results=rates(found.values[params.base]),
        updated=view.updated(found.as_of, params.max_age),
    )


endpoint: Endpoint[Params, Body] = Endpoint(
    path="/fetch-multi",
    tag="currency",
    summary="Several rates from one currency",
    params=Params,
    body=Body,
    answer=answer,
)
