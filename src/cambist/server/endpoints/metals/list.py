"""`GET /metals/list`: the metals."""

from __future__ import annotations

from msgspec import Struct

from cambist.reference.assets import METALS
from cambist.server.endpoint import Endpoint
from cambist.server.live import OfBook
from cambist.server.view import View


class Params(OfBook, frozen=True):
    """None."""


class Body(Struct, frozen=True):
    """Names by symbol."""

    metals: dict[str, str]


def answer(_view: View, _params: Params) -> Body:
    """List all metals, the precious ones first."""
    return Body({metal.code: metal.name for metal in METALS.values()})


endpoint: Endpoint[Params, Body] = Endpoint(
    path="/metals/list",
    tag="metals",
    summary="All metals",
    params=Params,
    body=Body,
    answer=answer,
    is_list=True,
)
