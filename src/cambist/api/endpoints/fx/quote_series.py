"""`GET /fx/quote/time-series`: the last bid and ask of each bar."""

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


class QuoteRow(Struct, frozen=True):
    """The last bid and ask of a bar, and the time at which it begins."""

    dtm: str | int
    bid: Number
    ask: Number


class QuoteSeriesResponse(BarPageHead, frozen=True, kw_only=True):
    """Bars, newest first. Fewer than `limit`: there are no more."""

    results: list[QuoteRow]


def answer(context: RequestContext, params: BarPageParams) -> QuoteSeriesResponse:
    """Return the last bid and ask of each bar in which the pair was quoted, newest first."""
    page = read_bar_page(context, params)
    size = page.size
    return QuoteSeriesResponse(
        **page.head(params),
        results=[
            QuoteRow(page.format_timestamp(bar.start), price(bar.bid.c, size), price(bar.ask.c, size))
            for bar in page.bars
        ],
    )


def table(context: RequestContext, params: BarPageParams) -> AnswerTable:
    """Return a row for each bar, newest first."""
    page = read_bar_page(context, params)
    rows = [page.row(bar, (bar.bid.c, bar.ask.c)) for bar in page.bars]
    return AnswerTable((*BAR_COLUMNS, *(Column(name, NUMBER) for name in ("bid", "ask"))), rows)


endpoint: Endpoint[BarPageParams, QuoteSeriesResponse] = Endpoint(
    path="/fx/quote/time-series",
    tag="fx-series",
    summary="Bars: last bid and ask",
    params=BarPageParams,
    body=QuoteSeriesResponse,
    answer=answer,
    table=table,
    is_immutable=is_immutable,
    earliest_day=earliest_day,
)
