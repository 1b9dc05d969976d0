"""Bars of pairs of currencies: their pages, and since when there are any."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from msgspec import Struct, field

from cambist.client.answers import Answer, Timestamp
from cambist.client.call import Call, Interval

Moment = dt.date | str | None
"""A time, a day or a text; a datetime without an offset is UTC."""


class HistoricalLimitsResponse(Answer, frozen=True, kw_only=True):
    """The time of the first bar, by pair without a slash."""

    interval: str
    price: str
    pairs: dict[str, Timestamp]


class QuoteRow(Struct, frozen=True):
    """The last bid and ask of a bar, and the time at which it begins."""

    dtm: Timestamp
    bid: Decimal
    ask: Decimal


class OhlcRow(Struct, frozen=True):
    """Open, high, low and close of the bid in a bar, and the time at which it begins."""

    dtm: Timestamp
    open: Decimal = field(name="o")
    high: Decimal = field(name="h")
    low: Decimal = field(name="l")
    close: Decimal = field(name="c")


class _Page(Answer, frozen=True, kw_only=True):
    """What the pages of both kinds of bars share."""

    pair: str
    interval: str
    limit: int
    dtmfmt: str
    start: Timestamp | None = None
    end: Timestamp | None = None
    tz_offset: str = field(name="tzOffset")
    size: int


class QuoteSeriesResponse(_Page, frozen=True, kw_only=True):
    """Bars with the last bid and ask, newest first. Fewer than `limit`: there are no more."""

    results: list[QuoteRow]


class OhlcSeriesResponse(_Page, frozen=True, kw_only=True):
    """Bars with open, high, low and close, newest first. Fewer than `limit`: there are no more."""

    results: list[OhlcRow]


def fx_pairs_historical_limits(
    interval: Interval | str = Interval.DAY, price: str = "bid"
) -> Call[HistoricalLimitsResponse]:
    """Return the time of the first bar of each pair."""
    parameters = {"interval": interval, "price": price}
    return Call("/fx/pairs/historical-limits", HistoricalLimitsResponse, parameters)


def fx_quote_time_series(
    pair: str,
    start: Moment = None,
    end: Moment = None,
    *,
    interval: Interval | str = Interval.DAY,
    limit: int | None = None,
) -> Call[QuoteSeriesResponse]:
    """Return a page of at most 100 bars with the last bid and ask, newest first. They begin before `end`."""
    parameters = {"pair": pair, "start": start, "end": end, "interval": interval, "limit": limit, "dtmfmt": "ISO"}
    return Call("/fx/quote/time-series", QuoteSeriesResponse, parameters)


def fx_ohlc_time_series(
    pair: str,
    start: Moment = None,
    end: Moment = None,
    *,
    interval: Interval | str = Interval.DAY,
    limit: int | None = None,
) -> Call[OhlcSeriesResponse]:
    """Return a page of at most 100 bars with open, high, low and close, newest first. They begin before `end`."""
    parameters = {"pair": pair, "start": start, "end": end, "interval": interval, "limit": limit, "dtmfmt": "ISO"}
    return Call("/fx/ohlc/time-series", OhlcSeriesResponse, parameters)
