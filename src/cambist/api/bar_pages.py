"""What the endpoints of bars share: parameters, the page of bars, and how its times are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import partial
from typing import Annotated, Any, TypeVar

from msgspec import UNSET, Struct, UnsetType

from cambist.api.fx_pairs import parse_fx_pair
from cambist.api.parameter_types import bar_interval, limit, text
from cambist.api.request_context import RequestContext
from cambist.api.timestamps import Timestamp, TimestampFormat, format_timestamp, timestamp, timestamp_format, utc_offset
from cambist.errors import BadParameter, RateUnavailable, StoreBroken
from cambist.history.bar_aggregator import AMENDED_FOR
from cambist.history.bars import Bar, Interval, Ohlc
from cambist.pricing.currency_pairs import split_pair_name
from cambist.pricing.number_format import SHOWN_DIGITS
from cambist.pricing.pair import Pair
from cambist.reference.sizes import quote_size

T = TypeVar("T")

MAX_BARS = 100
_PAIR_SCHEMA = {"type": "string", "pattern": "^[A-Z]{3}/?[A-Z]{3}$"}
_INSTANT = timedelta(microseconds=1)
_SHOWN = Context(prec=SHOWN_DIGITS, rounding=ROUND_HALF_UP)


class BarPageParams(Struct, frozen=True):
    """A pair, from a moment to a moment."""

    pair: Annotated[
        str, text("pair", schema=_PAIR_SCHEMA, description="The pair, EURUSD or EUR/USD.", example="EURUSD")
    ]
    start: Annotated[
        Timestamp | None, timestamp("start", default=None, description="Where bars begin, inclusive; no offset is UTC.")
    ]
    end: Annotated[
        Timestamp | None,
        timestamp("end", default=None, description="Before when bars begin, exclusive; no offset is UTC."),
    ]
    interval: Annotated[
        Interval, bar_interval("interval", default=Interval.DAY, description="A day, an hour or a minute.")
    ]
    dtmfmt: Annotated[
        TimestampFormat | None,
        timestamp_format(
            "dtmfmt", default=None, description="How times are written; as they were given if left out, else ISO."
        ),
    ]
    limit: Annotated[int, limit("limit", MAX_BARS, default=MAX_BARS, description="How many bars at most.")]


class BarPageHead(Struct, frozen=True, kw_only=True):
    """What a page of bars says of itself before its rows; `start` and `end` as they were given."""

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
    """The newest bars of those asked for, newest first, and how to write their times."""

    pair: Pair
    bars: list[Bar]
    timestamp_format: TimestampFormat
    zone: timezone

    def format_timestamp(self, at: datetime) -> str | int:
        """Write a timestamp in the format of the answer."""
        return format_timestamp(at, self.timestamp_format, self.zone)

    @property
    def size(self) -> int:
        """Of how many units of the base its prices are."""
        return quote_size(self.pair.base, self.pair.quote)

    def head(self, params: BarPageParams) -> dict[str, Any]:
        """Give the fields of its `BarPageHead`."""
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
    """Read a page of bars.

    Who names no start gets what their plan includes. Errors: UnknownFxPair, BadParameter for a start after the end,
    RateUnavailable where the archive cannot be read now.
    """
    pair, is_turned = _found(context, params)
    start, end = (None if given is None else given.at for given in (params.start, params.end))
    if start is not None and end is not None and start > end:
        raise BadParameter(f"Invalid start: [{start.isoformat()}] is after end [{end.isoformat()}]")
    dealt, since = pair.inverse if is_turned else pair, start or _first_moment(context.reach)
    bars = read_bars(lambda: context.bars.newest_bars(dealt, params.interval, since, end, params.limit))
    given = next((one for one in (params.start, params.end) if one is not None), None)
    chosen_format = params.dtmfmt or (given.format if given else TimestampFormat.ISO)
    return BarPage(
        pair=pair,
        bars=[inverted(bar) for bar in bars] if is_turned else bars,
        timestamp_format=chosen_format,
        zone=_zone(given) if chosen_format is TimestampFormat.ISO else UTC,
    )


def _found(context: RequestContext, params: BarPageParams) -> tuple[Pair, bool]:
    """Return the pair of a name, and whether its bars are stored for its inverse.

    A pair that is no longer listed keeps its bars; a listed pair without bars has none either way round.
    """
    pair = split_pair_name(params.pair)
    for one, is_turned in ((pair, False), (pair.inverse, True)):
        if read_bars(partial(context.bars.newest_bars, one, params.interval, None, None, 1)):
            return pair, is_turned
    return parse_fx_pair(context, params.pair), False


def inverted(bar: Bar) -> Bar:
    """Turn a bar round: what was asked for the one is bid for the other, and its highest is the lowest."""
    return Bar(bar.start, _inverted(bar.ask), _inverted(bar.bid))


def _inverted(side: Ohlc) -> Ohlc:
    return Ohlc(*(_SHOWN.divide(Decimal(1), price) for price in (side.o, side.l, side.h, side.c)))


def read_bars(read: Callable[[], T]) -> T:
    """Read from the archive of bars. Errors: RateUnavailable where it cannot be read now."""
    try:
        return read()
    except StoreBroken as broken:
        raise RateUnavailable("The archive of bars cannot be read now") from broken


def _zone(given: Timestamp | None) -> timezone:
    zone = given.at.tzinfo if given else None
    return zone if isinstance(zone, timezone) else UTC


def _first_moment(day: date) -> datetime | None:
    return None if day == date.min else datetime.combine(day, time(), UTC)


def earliest_day(_context: RequestContext, params: BarPageParams) -> date | None:
    """It reaches back to its start; without one to just before its end, and from there as far as the plan includes."""
    if params.start is not None:
        return params.start.at.astimezone(UTC).date()
    return (params.end.at - _INSTANT).astimezone(UTC).date() if params.end else None


def is_immutable(context: RequestContext, params: BarPageParams) -> bool:
    """A page is immutable when the bars before its end can be amended no more."""
    return params.end is not None and params.end.at + params.interval.length + AMENDED_FOR < context.now
