"""`GET /fx/currencies`: the currencies that pairs are made of."""

from __future__ import annotations

from msgspec import Struct

from cambist.reference.tables import CURRENCIES
from cambist.server.endpoint import Endpoint
from cambist.server.live import OfBook
from cambist.server.view import View


class Params(OfBook, frozen=True):
    """None."""


class Body(Struct, frozen=True):
    """Names by code."""

    currencies: dict[str, str]


def answer(view: View, _params: Params) -> Body:
    """List the currencies that have a rate now."""
    return Body({code: CURRENCIES[code].name for code in view.book.listed})


endpoint: Endpoint[Params, Body] = Endpoint(
    path="/fx/currencies",
    tag="fx",
    summary="All currencies that pairs are made of",
    params=Params,
    body=Body,
    answer=answer,
    is_list=True,
)
