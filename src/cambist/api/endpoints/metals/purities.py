"""`GET /metals/purities`: the purities of precious metals."""

from __future__ import annotations

from msgspec import Struct

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.questions.freshness_parameters import BookParameters
from cambist.reference.weights import PURITIES


class PurityRecord(Struct, frozen=True):
    """A stamp, its name, and its fineness in parts per thousand."""

    code: str
    name: str
    fineness: str


class PuritiesResponse(Struct, frozen=True):
    """The purities of each precious metal, the finest first."""

    purities: dict[str, list[PurityRecord]]


def answer(_context: RequestContext, _params: BookParameters) -> PuritiesResponse:
    """Return the purities of each precious metal. Base metals have grades instead."""
    return PuritiesResponse(
        {
            metal: [PurityRecord(one.code, one.name, f"{one.fineness:f}") for one in purities]
            for metal, purities in PURITIES.items()
        }
    )


endpoint: Endpoint[BookParameters, PuritiesResponse] = Endpoint(
    path="/metals/purities",
    tag="metals",
    summary="Purities of precious metals",
    params=BookParameters,
    body=PuritiesResponse,
    answer=answer,
    is_list=True,
)
