"""`GET /fx/quote/time-series`: bid and ask of a pair, bar by bar."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from cambist.reference.sizes import size_of
from cambist.server.bars import Params, oldest, page_of
from cambist.server.endpoint import Endpoint
from cambist.server.moments import offset
from cambist.server.render import Number, price
from cambist.server.view import View


class Row(Struct, frozen=True):
    """The last bid and ask of a bar, and where the bar begins."""

    dtm: str | int
    bid: Number
    ask: Number


class Body(Struct, frozen=True, kw_only=True):
    """Rows newest first; fewer than `limit` of them: there are no more."""

    pair: str
    interval: str
    limit: int
    dtmfmt: str
    start: str | int | UnsetType = UNSET
    end: str | int | UnsetType = UNSET
    tzOffset: str  # noqa: N815  clients know it by this name
    size: int
    results: list[Row]


def answer(view: View, params: Params) -> Body:
    """Give the last bid and ask of each bar in which the pair was traded, newest first."""
    page = page_of(view, params)
    size = size_of(page.pair.base, page.pair.quote)
    return Body(
        pair=page.pair.base + page.pair.quote,
        interval=params.interval,
        limit=params.limit,
        dtmfmt=page.form,
        start=page.written(params.start.at) if params.start else UNSET,
        end=page.written(params.end.at) if params.end else UNSET,
        tzOffset=offset(page.zone),
        size=size,
        results=[Row(page.written(bar.start), price(bar.bid.c, size), price(bar.ask.c, size)) for bar in page.bars],
    )


endpoint: Endpoint[Params, Body] = Endpoint(
    path="/fx/quote/time-series",
    tag="fx-series",
    summary="Bid and ask, bar by bar",
    params=Params,
    body=Body,
    answer=answer,
    oldest=oldest,
)
