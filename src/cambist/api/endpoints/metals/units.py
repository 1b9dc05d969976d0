"""`GET /metals/units`: the units of mass that metals can be priced by."""

from __future__ import annotations

from msgspec import Struct

from cambist.api.endpoint import Endpoint
from cambist.api.freshness_parameters import BookParameters
from cambist.api.request_context import RequestContext


class Params(BookParameters, frozen=True):
    """None."""


class Body(Struct, frozen=True):
    """Names by handle."""

    units: dict[str, str]


def answer(view: RequestContext, _params: Params) -> Body:
    """List all units; the tael and the baht, which differ from trade to trade, say how many grams they are here."""
    return Body({unit.handle: unit.name for unit in view.units.values()})


endpoint: Endpoint[Params, Body] = Endpoint(
    path="/metals/units",
    tag="metals",
    summary="Units of mass",
    params=Params,
    body=Body,
    answer=answer,
    is_list=True,
)
