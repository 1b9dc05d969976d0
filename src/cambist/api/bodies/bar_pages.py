"""Pages of bars: the parameters and the fields that the endpoints of bars share, and reading a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import partial
from typing import Annotated, Any, TypeVar

from msgspec import UNSET, Struct, UnsetType

from cambist.api.answer.answer_table import Cell, Column
from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.fx_pairs import parse_fx_pair
from cambist.api.bodies.timestamps import (
    Timestamp,
    TimestampFormat,
    format_timestamp,
    timestamp,
    timestamp_format,
    utc_offset,
)
from cambist.api.questions.parameter_types import bar_interval, limit, text
from cambist.errors import BadParameter, RateUnavailable, StoreBroken
from cambist.history.bar_aggregator import AMENDED_FOR
from cambist.history.bars import Bar, Interval, Ohlc
from cambist.pricing.currency_pairs import split_pair_name
from cambist.pricing.number_format import SHOWN_DIGITS, trimmed
from cambist.pricing.pair import Pair
from cambist.reference.sizes import quote_size

T = TypeVar("T")

MAX_BARS = 100
BAR_COLUMNS = (Column("pair"), Column("dtm"))
_PAIR_SCHEMA = {"type": "string", "pattern": "^[A-Z]{3}/?[A-Z]{3}$"}
_INSTANT = timedelta(microseconds=1)
_SHOWN = Context(prec=SHOWN_DIGITS, rounding=ROUND_HALF_UP)


class BarPageParams(Struct, frozen=True):
    """A pair and a period."""

    pair: Annotated[
        str, text("pair", schema=_PAIR_SCHEMA, description="The pair, EURUSD or EUR/USD.", example="EURUSD")
    ]
    start: Annotated[
        Timestamp | None,
        timestamp("start", default=None, description="Bars that begin at or after this time; UTC without an offset."),
    ]
    end: Annotated[
        Timestamp | None,
        timestamp("end", default=None, description="Bars that begin before this time; UTC without an offset."),
    ]
    interval: Annotated[
        Interval,
        bar_interval("interval", default=Interval.DAY, description="The length of a bar: a day, an hour or a minute."),
    ]
    dtmfmt: Annotated[
        TimestampFormat | None,
        timestamp_format(
            "dtmfmt",
            default=None,
            description="The format of times in the answer; without it that of the request, or ISO.",
        ),
    ]
    limit: Annotated[int, limit("limit", MAX_BARS, default=MAX_BARS, description="The maximum number of bars.")]


class BarPageHead(Struct, frozen=True, kw_only=True):
    """The fields of a page of bars before its rows; `start` and `end` as in the request."""

    pair: str
    interval: str
    limit: int
    dtmfmt: str
    start: str | int | UnsetType = UNSET
    end: str | int | UnsetType = UNSET
    tzOffset: str  # noqa: N815  clients know it by this name
    size: int


@dataclass(frozen=True, slots=True)
class BarPage:
    """The newest of the requested bars, newest first, and the format of their times."""

    pair: Pair
    bars: list[Bar]
    timestamp_format: TimestampFormat
    zone: timezone

    def format_timestamp(self, at: datetime) -> str | int:
        """Write a timestamp in the format of the answer."""
        return format_timestamp(at, self.timestamp_format, self.zone)

    @property
    def size(self) -> int:
        """The number of units of the base that its prices are for."""
        return quote_size(self.pair.base, self.pair.quote)

    def row(self, bar: Bar, prices: Iterable[Decimal]) -> tuple[Cell, ...]:
        """Return a row of a table: the pair, when the bar begins, and prices of it."""
        return self.pair.base + self.pair.quote, self.format_timestamp(bar.start), *self._trimmed(prices)

    def _trimmed(self, prices: Iterable[Decimal]) -> list[str]:
        return [trimmed(price * self.size) for price in prices]

    def head(self, params: BarPageParams) -> dict[str, Any]:
        """Return the fields of its `BarPageHead`."""
        return {
            "pair": self.pair.base + self.pair.quote,
            "interval": params.interval,
            "limit": params.limit,
            "dtmfmt": self.timestamp_format,
            "start": self.format_timestamp(params.start.at) if params.start else UNSET,
            "end": self.format_timestamp(params.end.at) if params.end else UNSET,
            "tzOffset": utc_offset(self.zone),
            "size": self.size,
        }


def read_bar_page(context: RequestContext, params: BarPageParams) -> BarPage:
    """Read a page of bars. Errors: UnknownFxPair, BadParameter if it starts after its end, RateUnavailable."""
    pair, is_inverted = _find_pair(context, params)
    start, end = (None if bound is None else bound.at for bound in (params.start, params.end))
    if start is not None and end is not None and start > end:
        raise BadParameter(f"Invalid start: [{start.isoformat()}] is after end [{end.isoformat()}]")
    # Without a start the page goes back as far as the plan includes.
    stored_pair, since = pair.inverse if is_inverted else pair, start or _first_moment(context.reach)
    bars = read_bars(lambda: context.bars.newest_bars(stored_pair, params.interval, since, end, params.limit))
    sent = next((one for one in (params.start, params.end) if one is not None), None)
    chosen_format = params.dtmfmt or (sent.format if sent else TimestampFormat.ISO)
    return BarPage(
        pair=pair,
        bars=[inverse_bar(bar) for bar in bars] if is_inverted else bars,
        timestamp_format=chosen_format,
        zone=_zone(sent) if chosen_format is TimestampFormat.ISO else UTC,
    )


def _find_pair(context: RequestContext, params: BarPageParams) -> tuple[Pair, bool]:
    """Return the pair of the request, and whether its bars are stored for the inverse pair.

    A pair that is no longer listed keeps its bars. A listed pair may have no bars in either direction.
    """
    pair = split_pair_name(params.pair)
    for one, is_inverted in ((pair, False), (pair.inverse, True)):
        if read_bars(partial(context.bars.newest_bars, one, params.interval, None, None, 1)):
            return pair, is_inverted
    return parse_fx_pair(context, params.pair), False


def inverse_bar(bar: Bar) -> Bar:
    """Return the bar of the inverse pair: its bid is one divided by the ask, and its high one divided by the low."""
    return Bar(bar.start, _inverse_side(bar.ask), _inverse_side(bar.bid))


def _inverse_side(side: Ohlc) -> Ohlc:
    return Ohlc(*(_SHOWN.divide(Decimal(1), price) for price in (side.o, side.l, side.h, side.c)))


def read_bars(read: Callable[[], T]) -> T:
    """Call `read`, which reads stored bars. Errors: RateUnavailable if they cannot be read now."""
    try:
        return read()
    except StoreBroken as broken:
        raise RateUnavailable("The archive of bars cannot be read now") from broken


def _zone(sent: Timestamp | None) -> timezone:
    zone = sent.at.tzinfo if sent else None
    return zone if isinstance(zone, timezone) else UTC


def _first_moment(day: date) -> datetime | None:
    return None if day == date.min else datetime.combine(day, time(), UTC)


def earliest_day(_context: RequestContext, params: BarPageParams) -> date | None:
    """The day of its start; without one that of its end, because then the plan decides how far it goes back."""
    if params.start is not None:
        return params.start.at.astimezone(UTC).date()
    return (params.end.at - _INSTANT).astimezone(UTC).date() if params.end else None


def is_immutable(context: RequestContext, params: BarPageParams) -> bool:
    """A page is immutable when the bars before its end can no longer be amended."""
    return params.end is not None and params.end.at + params.interval.length + AMENDED_FOR < context.now
