"""`GET /explain`: where a rate comes from."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from msgspec import Struct

from cambist.history.closes import crossed_on, grounds_on
from cambist.history.grounds import Ground, live_grounds
from cambist.market.cross import midpoint
from cambist.market.pair import PIVOT, Pair
from cambist.server.closes import closes_of
from cambist.server.endpoint import Endpoint
from cambist.server.live import MaxAge
from cambist.server.readers import asset, check_crossable, day, not_after_today
from cambist.server.render import Rates, day_rates, rates
from cambist.server.view import Updated, View, written


class Params(Struct, frozen=True, kw_only=True):
    """A pair, now or on a day."""

    max_age: MaxAge

    base: Annotated[str, asset("from", "source", default=PIVOT, description="Source, USD if left out.", example="EUR")]
    quote: Annotated[str, asset("to", "target", description="Target: a currency, a metal or a coin.", example="AED")]
    day: Annotated[date | None, day("date", default=None, description="The day, UTC; now if left out.")]


class Body(Struct, frozen=True, rename={"day": "date"}):
    """The rate, and the legs that it was crossed from, each with its ground.

    Of a past day the legs are the fixings as they were published, and `updated` is the market's time of the oldest;
    null where the law alone decides, or coins alone are asked for.
    """

    base: str
    day: date | None
    result: Rates
    updated: Updated | None
    legs: list[Ground]


def answer(view: View, params: Params) -> Body:
    """Say what a rate is made of: for each side its sources, weights and ages, pegs, and why a fixing was carried."""
    pair = Pair(params.base, params.quote)
    check_crossable(pair.base, pair.quote)
    if params.day is not None:
        return _on_day(view, pair, not_after_today("date", params.day, view.today))
    view.check_fresh((pair.base, pair.quote))
    rate = midpoint(view.book, pair)
    return Body(
        base=pair.base,
        day=None,
        result=rates({pair.quote: rate.value}),
        updated=view.updated(rate.as_of, params.max_age),
        legs=live_grounds(view.book, pair, view.now),
    )


def _on_day(view: View, pair: Pair, on: date) -> Body:
    closes = closes_of(view, pair, on)
    found = day_rates(crossed_on(view.image, pair, on, closes))
    legs = grounds_on(view.image, pair, on, closes, view.words)
    oldest_of = min((leg.as_of for leg in legs if leg.as_of is not None), default=None)
    updated = None if oldest_of is None else written(oldest_of, view.form)
    return Body(pair.base, on, found, updated, legs)


def oldest(_view: View, params: Params) -> date | None:
    """It is about one day, or about now."""
    return params.day


endpoint: Endpoint[Params, Body] = Endpoint(
    path="/explain",
    tag="currency",
    summary="Where a rate comes from",
    params=Params,
    body=Body,
    answer=answer,
    oldest=oldest,
)
