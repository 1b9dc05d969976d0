"""`GET /explain`: on what ground a rate stands."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from msgspec import Struct

from cambist.history.as_of import on_day
from cambist.history.grounds import Ground, live_grounds, past_grounds
from cambist.market.cross import midpoint
from cambist.market.pair import PIVOT, Pair
from cambist.server.endpoint import Endpoint
from cambist.server.live import Live
from cambist.server.readers import asset, day, not_in_future
from cambist.server.render import Rates, day_rates, rates
from cambist.server.view import Updated, View


class Params(Live, frozen=True, kw_only=True):
    """A pair, now or on a day."""

    base: Annotated[str, asset("from", "source", default=PIVOT, description="Source, USD if left out.", example="EUR")]
    quote: Annotated[str, asset("to", "target", description="Target: a currency, a metal or a coin.", example="AED")]
    day: Annotated[date | None, day("date", default=None, description="The day, UTC; now if left out.")]


class Body(Struct, frozen=True, rename={"day": "date"}):
    """The rate, and the legs that it was crossed from, each with its ground. `updated` is missing for a past day."""

    base: str
    day: date | None
    result: Rates
    updated: Updated | None
    legs: list[Ground]


def answer(view: View, params: Params) -> Body:
    """Give a rate with its legs: sources, weights, ages, pegs, and why a fixing was carried."""
    pair = Pair(params.base, params.quote)
    if params.day is not None:
        not_in_future("date", params.day, view.today)
        found = day_rates(on_day(view.image, params.day, pair.base, [pair.quote]))
        return Body(pair.base, params.day, found, None, past_grounds(view.image, pair, params.day))
    view.check_fresh((pair.base, pair.quote))
    rate = midpoint(view.book, pair)
    return Body(
        base=pair.base,
        day=None,
        result=rates({pair.quote: rate.value}),
        updated=view.updated(rate.as_of, params.max_age),
        legs=live_grounds(view.book, pair, view.now),
    )


def oldest(_view: View, params: Params) -> date | None:
    """It is about one day, or about now."""
    return params.day


endpoint: Endpoint[Params, Body] = Endpoint(
    path="/explain",
    tag="currency",
    summary="On what ground a rate stands",
    params=Params,
    body=Body,
    answer=answer,
    oldest=oldest,
)
