"""`GET /explain`: where a rate comes from."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from msgspec import Struct

from cambist.api.closes import closes_of
from cambist.api.endpoint import Endpoint
from cambist.api.freshness_parameters import MaxAge
from cambist.api.parameter_types import asset, check_crossable, day, not_after_today
from cambist.api.rendering import Rates, day_rates, rates
from cambist.api.request_context import RequestContext, Updated, written
from cambist.history.coin_closes import crossed_on, explain_coin_day
from cambist.history.explanation import ExplainedLeg, explain_now
from cambist.pricing.cross_rates import midpoint
from cambist.pricing.pair import PIVOT, Pair


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
    legs: list[ExplainedLeg]


def answer(view: RequestContext, params: Params) -> Body:
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
        legs=explain_now(view.book, pair, view.now),
    )


def _on_day(view: RequestContext, pair: Pair, on: date) -> Body:
    closes = closes_of(view, pair, on)
    found = day_rates(crossed_on(view.matrix, pair, on, closes))
    legs = explain_coin_day(view.matrix, pair, on, closes, view.words)
    oldest_of = min((leg.as_of for leg in legs if leg.as_of is not None), default=None)
    updated = None if oldest_of is None else written(oldest_of, view.form)
    return Body(pair.base, on, found, updated, legs)


def oldest(_view: RequestContext, params: Params) -> date | None:
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
