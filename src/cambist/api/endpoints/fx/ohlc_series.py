"""`GET /fx/ohlc/time-series`: bars of the bid of a pair."""

from __future__ import annotations

from msgspec import Struct

from cambist.api.answer.answer_table import NUMBER, AnswerTable, Column
from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.rendering import Number, price
from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.bar_pages import (
    BAR_COLUMNS,
    BarPageHead,
    BarPageParams,
    earliest_day,
    is_immutable,
    read_bar_page,
)


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


def table(context: RequestContext, params: BarPageParams) -> AnswerTable:
    """Return a row for each bar, newest first."""
    page = read_bar_page(context, params)
    rows = [page.row(bar, (bar.bid.o, bar.bid.h, bar.bid.l, bar.bid.c)) for bar in page.bars]
    return AnswerTable((*BAR_COLUMNS, *(Column(name, NUMBER) for name in ("o", "h", "l", "c"))), rows)


endpoint: Endpoint[BarPageParams, OhlcSeriesResponse] = Endpoint(
    path="/fx/ohlc/time-series",
    tag="fx-series",
    summary="Bars: open, high, low and close",
    params=BarPageParams,
    body=OhlcSeriesResponse,
    answer=answer,
    table=table,
    is_immutable=is_immutable,
    earliest_day=earliest_day,
)
