"""`GET /fx/pairs/historical-limits`: the first bar of each pair."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Struct

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.bar_pages import read_bars
from cambist.api.bodies.timestamps import TimestampFormat, format_timestamp
from cambist.api.questions.parameter_types import bar_interval, side
from cambist.history.bars import Interval


class HistoricalLimitsParams(Struct, frozen=True):
    """An interval and a side."""

    interval: Annotated[
        Interval,
        bar_interval("interval", default=Interval.DAY, description="The length of a bar: a day, an hour or a minute."),
    ]
    price: Annotated[
        Literal["bid", "ask"], side("price", default="bid", description="The side; both have the same first bar.")
    ]


class HistoricalLimitsResponse(Struct, frozen=True):
    """The time of the first bar, by pair without a slash; every pair is included in both directions."""

    interval: str
    price: str
    pairs: dict[str, str | int]


def answer(context: RequestContext, params: HistoricalLimitsParams) -> HistoricalLimitsResponse:
    """Return the time of the first bar of each pair: its first tick here, or as far back as bars are kept.

    Earlier days have no bars. Their fixings are at `/historical` and `/time-series`.
    """
    earliest = read_bars(lambda: context.bars.first_starts(params.interval))
    found = {pair.base + pair.quote: start for one, start in earliest.items() for pair in (one, one.inverse)}
    return HistoricalLimitsResponse(
        params.interval,
        params.price,
        {name: format_timestamp(at, TimestampFormat.ISO) for name, at in sorted(found.items())},
    )


endpoint: Endpoint[HistoricalLimitsParams, HistoricalLimitsResponse] = Endpoint(
    path="/fx/pairs/historical-limits",
    tag="fx",
    summary="First bar of each pair",
    params=HistoricalLimitsParams,
    body=HistoricalLimitsResponse,
    answer=answer,
    is_list=True,
)
