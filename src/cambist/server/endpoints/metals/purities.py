"""`GET /metals/purities`: what precious metals are stamped with."""

from __future__ import annotations

from msgspec import Struct

from cambist.reference.weights import PURITIES
from cambist.server.endpoint import Endpoint
from cambist.server.live import OfBook
from cambist.server.view import View


class Params(OfBook, frozen=True):
    """None."""


class PurityRecord(Struct, frozen=True):
    """A stamp, its name, and the fineness that it is priced by, in parts per thousand."""

    code: str
    name: str
    fineness: str


class Body(Struct, frozen=True):
    """Purities by precious metal, the finest first."""

    purities: dict[str, list[PurityRecord]]


def answer(_view: View, _params: Params) -> Body:
    """List the purities of each precious metal; base metals have grades instead."""
    return Body(
        {
            metal: [PurityRecord(one.code, one.name, f"{one.fineness:f}") for one in purities]
            for metal, purities in PURITIES.items()
        }
    )


endpoint: Endpoint[Params, Body] = Endpoint(
    path="/metals/purities",
    tag="metals",
    summary="Purities of precious metals",
    params=Params,
    body=Body,
    answer=answer,
    is_list=True,
)
