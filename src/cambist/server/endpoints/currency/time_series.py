"""`GET /time-series`: one pair day by day."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from cambist.errors import BadParameter
from cambist.history.age import carried_days, is_immutable
from cambist.history.excerpt import columns
from cambist.history.series import between
from cambist.market.pair import PIVOT, Pair
from cambist.server.endpoint import Endpoint
from cambist.server.readers import EARLIEST, MONEY_AND_METALS, code, day, flag, interval, not_in_future
from cambist.server.render import RatesByCode, series_by_code
from cambist.server.view import View

DEFAULT_DAYS = 30
"""How many days up to the end a request without a start is about."""


class Params(Struct, frozen=True):
    """A pair, from a day to a day."""

    quote: Annotated[str, code("to", "target", description="Target.", example="USD")]
    base: Annotated[
        str,
        code(
            "from",
            "source",
            MONEY_AND_METALS,
            default=PIVOT,
            description="Source, USD if left out: a currency, or a metal by the ounce or the tonne.",
            example="EUR",
        ),
    ]
    start: Annotated[
        date | None, day("start", default=None, description="First day; 30 days up to the end if left out.")
    ]
    end: Annotated[date | None, day("end", default=None, description="Last day, today if left out.")]
    interval: Annotated[str, interval("interval", default="P1D", description="Only days are offered.")]
    verbose: Annotated[bool, flag("verbose", description="Add `carried`: true, 1, yes or y.")]


class Body(Struct, frozen=True):
    """Every calendar day that has a rate, in ascending order.

    `carried` lists the days that have no fixing of their own and read the one before; only with `verbose`.
    """

    start: date
    end: date
    interval: str
    base: str
    results: RatesByCode
    carried: list[date] | UnsetType = UNSET


def closed(view: View, params: Params) -> bool:
    """It is closed when its last day is immutable for the pair."""
    return params.end is not None and is_immutable(view.image, params.end, view.today, (params.base, params.quote))


def oldest(view: View, params: Params) -> date:
    """It reaches back to its start."""
    return _period(params, view)[0]


def made_of(view: View, params: Params) -> Iterable[bytes]:
    """It is read from the cells of both sides."""
    return columns(view.image, (params.base, params.quote), *_period(params, view))


def answer(view: View, params: Params) -> Body:
    """Read the series from the image."""
    start, end = _period(params, view)
    series = between(view.image, Pair(params.base, params.quote), start, end)
    return Body(
        start=start,
        end=end,
        interval=params.interval,
        base=params.base,
        results=series_by_code(series),
        carried=carried_days(view.image, series) if params.verbose else UNSET,
    )


def _period(params: Params, view: View) -> tuple[date, date]:
    """Give the days asked for; who names no start gets what their plan includes."""
    today, end = view.today, params.end or view.today
    not_in_future("end", end, today)
    start = params.start or max(end - timedelta(days=DEFAULT_DAYS - 1), EARLIEST, min(view.reach, end))
    not_in_future("start", start, today)
    if start > end:
        raise BadParameter(f"Invalid start: [{start}] is after end [{end}]")
    return start, end


endpoint: Endpoint[Params, Body] = Endpoint(
    path="/time-series",
    tag="currency",
    summary="One pair, day by day",
    params=Params,
    body=Body,
    answer=answer,
    closed=closed,
    made_of=made_of,
    oldest=oldest,
)
