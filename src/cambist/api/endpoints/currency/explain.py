"""`GET /explain`: the sources of a rate."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction
from typing import Annotated

from msgspec import Struct
from msgspec.structs import replace

from cambist.api.closes import read_closes
from cambist.api.endpoint import Endpoint
from cambist.api.freshness_parameters import MaxAge
from cambist.api.parameter_types import day, not_after_today
from cambist.api.rendering import Rates, rates
from cambist.api.request_context import RequestContext, Updated, written
from cambist.api.symbol_parameters import asset
from cambist.history.coin_closes import cross_on_day, explain_coin_day
from cambist.history.explanation import ExplainedLeg, explain_now
from cambist.pricing.cross_rates import check_crossable, midpoint
from cambist.pricing.number_format import plain, plain_float
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Vote

_WEIGHT_DIGITS = 6


class ExplainParams(Struct, frozen=True, kw_only=True):
    """A pair, now or on a day."""

    max_age: MaxAge

    base: Annotated[str, asset("from", "source", default=PIVOT, description="Source, USD if left out.", example="EUR")]
    quote: Annotated[str, asset("to", "target", description="Target: a currency, a metal or a coin.", example="AED")]
    day: Annotated[date | None, day("date", default=None, description="The day, UTC; now if left out.")]


class VoteRecord(Struct, frozen=True):
    """What one source quotes; `age` is in seconds. A `weight` of 0: it was left out, as too far from the others."""

    source: str
    mid: str
    as_of: datetime
    age: int
    weight: float


class LegRecord(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One leg of a rate: what one unit of `base` is worth in `quote`, and why.

    On a past day each leg is a fixing as it was published: `nominal` units of the base were `published` in the quote; a
    metal's `unit` is present if it is the gram. `law` quotes the law that decides the rate, if one does. `age` is the
    age of the market's time `as_of`, in seconds. `fixed_on` is the day of the fixing that a past day uses,
    `carried_days` how far it was carried forward, and `because` why: weekend, holiday, missing (the source published
    other rates that day), late, or ended. On a live leg `because` is closed if the price is traded and its market is
    closed now.
    """

    base: str
    quote: str
    rate: str
    made: str
    sources: tuple[str, ...] = ()
    through: tuple[str, ...] = ()
    law: str = ""
    as_of: datetime | None = None
    age: int | None = None
    received_at: datetime | None = None
    published: str = ""
    nominal: int = 1
    unit: str = ""
    published_at: datetime | None = None
    votes: tuple[VoteRecord, ...] = ()
    fixed_on: date | None = None
    carried_days: int = 0
    because: str = ""


class ExplainResponse(Struct, frozen=True, rename={"day": "date"}):
    """The rate, and the legs that it was crossed from, each with its sources or its law.

    On a past day the legs are the fixings as they were published, and `updated` is the market's time of the oldest;
    null if the law alone decides, or if only coins are requested.
    """

    base: str
    day: date | None
    result: Rates
    updated: Updated | None
    legs: list[LegRecord]


def answer(context: RequestContext, params: ExplainParams) -> ExplainResponse:
    """Explain a rate: the sources, weights and ages of each side, its pegs, and why a fixing was carried forward."""
    pair = Pair(params.base, params.quote)
    check_crossable(pair.base, pair.quote)
    if params.day is not None:
        return _on_day(context, pair, not_after_today("date", params.day, context.today))
    context.check_fresh((pair.base, pair.quote))
    rate = midpoint(context.book, pair)
    return ExplainResponse(
        base=pair.base,
        day=None,
        result=rates([pair.quote], [rate.value]),
        updated=context.updated(rate.as_of, params.max_age),
        legs=[_live_leg(leg, context.now) for leg in explain_now(context.book, pair, context.now, context.votes)],
    )


def _on_day(context: RequestContext, pair: Pair, on: date) -> ExplainResponse:
    closes = read_closes(context, pair, on)
    found = cross_on_day(context.matrix, pair, on, closes)
    legs = explain_coin_day(context.matrix, pair, on, closes, context.words)
    oldest = min((leg.as_of for leg in legs if leg.as_of is not None), default=None)
    updated = None if oldest is None else written(oldest, context.form)
    return ExplainResponse(pair.base, on, rates(found.codes, found.values), updated, [_leg(leg) for leg in legs])


def _live_leg(leg: ExplainedLeg, now: datetime) -> LegRecord:
    votes = tuple(_vote(vote, now) for vote in leg.votes)
    return replace(_leg(leg), age=None if leg.as_of is None else _age(leg.as_of, now), votes=votes)


def _leg(leg: ExplainedLeg) -> LegRecord:
    return LegRecord(
        base=leg.base,
        quote=leg.quote,
        rate=plain_float(leg.rate) if isinstance(leg.rate, float) else plain(leg.rate),
        made=leg.made,
        sources=leg.sources,
        through=tuple(map(str, leg.through)),
        law=leg.law,
        as_of=leg.as_of,
        received_at=leg.received_at,
        published="" if leg.published is None else str(leg.published),
        nominal=leg.nominal,
        unit=leg.unit,
        published_at=leg.published_at,
        fixed_on=leg.fixed_on,
        carried_days=leg.carried_days,
        because=leg.because,
    )


def _vote(vote: Vote, now: datetime) -> VoteRecord:
    return VoteRecord(
        vote.source, plain(Fraction(vote.mid)), vote.as_of, _age(vote.as_of, now), round(vote.weight, _WEIGHT_DIGITS)
    )


def _age(as_of: datetime, now: datetime) -> int:
    return max(int((now - as_of).total_seconds()), 0)


def earliest_day(_context: RequestContext, params: ExplainParams) -> date | None:
    """The day of the request, if it has one."""
    return params.day


endpoint: Endpoint[ExplainParams, ExplainResponse] = Endpoint(
    path="/explain",
    tag="currency",
    summary="Where a rate comes from",
    params=ExplainParams,
    body=ExplainResponse,
    answer=answer,
    earliest_day=earliest_day,
)
