"""`GET /currencies`: what can be asked for."""

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
    """List what lives today, and what has ended but can still be read from the history."""
    known = (
        currency
        for currency in CURRENCIES.values()
        if currency.lives_on(view.today) or currency.code in view.image.columns
    )
    return Body({currency.code: currency.name for currency in known})


endpoint: Endpoint[Params, Body] = Endpoint(
    path="/currencies",
    tag="currency",
    summary="All currencies",
    params=Params,
    body=Body,
    answer=answer,
    is_list=True,
)
