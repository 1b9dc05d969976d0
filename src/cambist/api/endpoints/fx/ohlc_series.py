"""`GET /fx/ohlc/time-series`: bars of the bid of a pair."""

from __future__ import annotations

from msgspec import Struct

from cambist.api.bar_pages import BarPageHead, BarPageParams, earliest_day, is_immutable, read_bar_page
from cambist.api.endpoint import Endpoint
from cambist.api.rendering import Number, price
from cambist.api.request_context import RequestContext


class OhlcRow(Struct, frozen=True):
    """Open, high, low and close of the bid in a bar, and the time at which it begins."""

    dtm: str | int
    o: Number
    h: Number
    l: Number  # noqa: E741  clients know it by this name
    c: Number


class OhlcSeriesResponse(BarPageHead, frozen=True, kw_only=True):
    """Bars, newest first. Fewer than `limit`: there are no more."""

    results: list[OhlcRow]


def answer(context: RequestContext, params: BarPageParams) -> OhlcSeriesResponse:
    """Return open, high, low and close of the bid for each bar in which the pair was quoted, newest first."""
    page = read_bar_page(context, params)
    size = page.size
    return OhlcSeriesResponse(
        **page.head(params),
        results=[
            OhlcRow(page.format_timestamp(bar.start), *(price(side, size) for side in (bid.o, bid.h, bid.l, bid.c)))
            for bar, bid in ((bar, bar.bid) for bar in page.bars)
        ],
    )


endpoint: Endpoint[BarPageParams, OhlcSeriesResponse] = Endpoint(
    path="/fx/ohlc/time-series",
    tag="fx-series",
    summary="Bars: open, high, low and close",
    params=BarPageParams,
    body=OhlcSeriesResponse,
    answer=answer,
    is_immutable=is_immutable,
    earliest_day=earliest_day,
)
