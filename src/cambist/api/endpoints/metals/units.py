"""`GET /metals/units`: the units of mass that metals can be priced by."""

from __future__ import annotations

from msgspec import Struct

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.questions.freshness_parameters import BookParameters


class UnitsResponse(Struct, frozen=True):
    """Names by handle."""

    units: dict[str, str]


def answer(context: RequestContext, _params: BookParameters) -> UnitsResponse:
    """Return all units. The names of the tael and the baht, which have several definitions, include their grams."""
    return UnitsResponse({unit.handle: unit.name for unit in context.units.values()})


endpoint: Endpoint[BookParameters, UnitsResponse] = Endpoint(
    path="/metals/units",
    tag="metals",
    summary="Units of mass",
    params=BookParameters,
    body=UnitsResponse,
    answer=answer,
    is_list=True,
)
