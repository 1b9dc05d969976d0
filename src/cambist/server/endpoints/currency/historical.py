"""`GET /historical`: rates of a past day."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated

from msgspec import Struct

from cambist.history.as_of import listed_on, on_day
from cambist.history.excerpt import columns, rows
from cambist.market.pair import PIVOT
from cambist.server.endpoint import Endpoint
from cambist.server.readers import MONEY_AND_METALS, code, codes, day, not_in_future
from cambist.server.render import Rates, day_rates
from cambist.server.view import View


class Params(Struct, frozen=True):
    """A day, from one currency to a list or to all."""

    day: Annotated[date, day("date", description="The day, UTC.", example="2024-02-29")]
    base: Annotated[
        str,
        code(
            "from",
            "source",
            MONEY_AND_METALS,
            default=PIVOT,
            description="Source, USD if left out: a currency, or a metal by the ounce or the tonne.",
            example="EUR",
        ),
    ]
    quotes: Annotated[
        tuple[str, ...] | None,
        codes("to", "target", default=None, description="Targets, all if left out.", example="USD,JPY"),
    ]


class Body(Struct, frozen=True, rename={"day": "date"}):
    """The day's rates, carried forward over weekends and holidays."""

    day: date
    base: str
    results: Rates


def closed(view: View, params: Params) -> bool:
    """A day is closed once a later or equal one is fixed: only a correction can change it."""
    return params.day <= view.image.last_fixing


def oldest(_view: View, params: Params) -> date:
    """It is about one day."""
    return params.day


def made_of(view: View, params: Params) -> Iterable[bytes]:
    """It is read from the day's cells."""
    if params.quotes is None:
        return rows(view.image, params.day)
    return columns(view.image, (params.base, *params.quotes), params.day, params.day)


def answer(view: View, params: Params) -> Body:
    """Read the day from the image."""
    not_in_future("date", params.day, view.today)
    if params.quotes is None:
        found = listed_on(view.image, params.day, params.base)
    else:
        found = on_day(view.image, params.day, params.base, params.quotes)
    return Body(day=params.day, base=params.base, results=day_rates(found))


endpoint: Endpoint[Params, Body] = Endpoint(
    path="/historical",
    tag="currency",
    summary="Rates of a past day",
    params=Params,
    body=Body,
    answer=answer,
    closed=closed,
    made_of=made_of,
    oldest=oldest,
)
