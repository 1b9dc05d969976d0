"""`GET /fx/currencies`: the currencies that pairs are made of."""

from __future__ import annotations

from msgspec import Struct

from cambist.api.endpoint import Endpoint
from cambist.api.freshness_parameters import BookParameters
from cambist.api.request_context import RequestContext
from cambist.reference.tables import CURRENCIES


class Params(BookParameters, frozen=True):
    """None."""


class Body(Struct, frozen=True):
    """Names by code."""

    currencies: dict[str, str]


def answer(view: RequestContext, _params: Params) -> Body:
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
