"""`GET /metals/list`: the metals."""

from __future__ import annotations

from msgspec import Struct

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.questions.freshness_parameters import BookParameters
from cambist.reference.assets import METALS


class MetalsListResponse(Struct, frozen=True):
    """Names by code."""

    metals: dict[str, str]


def answer(_context: RequestContext, _params: BookParameters) -> MetalsListResponse:
    """Return all metals, the precious ones first."""
    return MetalsListResponse({metal.code: metal.name for metal in METALS.values()})


endpoint: Endpoint[BookParameters, MetalsListResponse] = Endpoint(
    path="/metals/list",
    tag="metals",
    summary="All metals",
    params=BookParameters,
    body=MetalsListResponse,
    answer=answer,
    is_list=True,
)
