"""`GET /fx/pairs/historical-limits`: how far back the bars of each pair go."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Struct

from cambist.api.bar_pages import read_bars
from cambist.api.endpoint import Endpoint
from cambist.api.parameter_types import bar_interval, side
from cambist.api.request_context import RequestContext
from cambist.api.timestamps import TimestampFormat, format_timestamp
from cambist.history.bars import Interval


class HistoricalLimitsParams(Struct, frozen=True):
    """An interval, and a side."""

    interval: Annotated[
        Interval, bar_interval("interval", default=Interval.DAY, description="A minute, an hour or a day.")
    ]
    price: Annotated[Literal["bid", "ask"], side("price", default="bid", description="The side; both go as far back.")]


class HistoricalLimitsResponse(Struct, frozen=True):
    """The time of the earliest bar, by pair without a slash; of both ways round."""

    interval: str
    price: str
    pairs: dict[str, str | int]


def answer(context: RequestContext, params: HistoricalLimitsParams) -> HistoricalLimitsResponse:
    """Say where the bars of each pair begin: when this service first heard it dealt, or as far back as they are kept.

    Days from before have no bars: what is known of them are fixings, which `/historical` and `/time-series` give.
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
