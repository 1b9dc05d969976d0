"""Open, high, low and close of a period, made from the stored bars of currency pairs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from cambist.api.bodies.bar_pages import BarPageParams, read_bar_page
from cambist.api.bodies.timestamps import Timestamp, TimestampFormat
from cambist.api.faces.dialects.dialect import DialectAnswer, DialectRequest
from cambist.api.faces.dialects.open_exchange_rates.writing import written
from cambist.api.faces.dialects.rates import shown
from cambist.api.faces.dialects.reading import known_codes
from cambist.api.questions.symbol_parameters import MONEY, read_code
from cambist.errors import BadParameter, NoRate, UnknownFxPair, shorten
from cambist.history.bars import Bar, Interval
from cambist.pricing.pair import PIVOT

MAX_SYMBOLS = 10


class _Period(NamedTuple):
    length: timedelta
    interval: Interval


_PERIODS = {
    "1m": _Period(timedelta(minutes=1), Interval.MINUTE),
    "5m": _Period(timedelta(minutes=5), Interval.MINUTE),
    "15m": _Period(timedelta(minutes=15), Interval.MINUTE),
    "30m": _Period(timedelta(minutes=30), Interval.MINUTE),
    "1h": _Period(timedelta(hours=1), Interval.HOUR),
    "12h": _Period(timedelta(hours=12), Interval.HOUR),
    "1d": _Period(timedelta(days=1), Interval.DAY),
    "1w": _Period(timedelta(days=7), Interval.DAY),
    "1mo": _Period(timedelta(days=30), Interval.DAY),
}


def ohlc(request: DialectRequest) -> DialectAnswer:
    """Answer `/api/ohlc.json`: midpoints of bid and ask in the period that begins at `start_time`."""
    query = request.query
    period = _PERIODS.get(query.get("period", ""))
    if period is None:
        raise BadParameter(f"Invalid period: [{shorten(query.get('period', ''))}], it takes {', '.join(_PERIODS)}")
    start = _moment(query.get("start_time", ""))
    base = read_code(query.get("base", PIVOT), "source", MONEY)
    codes = known_codes("symbols", query.get("symbols", ""), MONEY) or []
    if not 1 <= len(codes) <= MAX_SYMBOLS:
        raise BadParameter(f"Invalid symbols: it takes 1 to {MAX_SYMBOLS} currencies, such as EUR,GBP")
    request.check_history(start.date())
    rates = {code: bars for code in codes if (bars := _bars(request, base + code, start, period))}
    if not rates:
        raise NoRate(f"No bars of [{base}] to [{','.join(codes)}] from [{start.isoformat()}]")
    body = {"start_time": _text(start), "end_time": _text(start + period.length), "base": base, "rates": rates}
    return written(request, body, cost=len(codes), earliest_day=start.date())


def _bars(request: DialectRequest, pair: str, start: datetime, period: _Period) -> dict[str, float] | None:
    """Return the bar of a pair over the period, or None if the pair was not quoted in it."""
    params = BarPageParams(
        pair=pair,
        start=Timestamp(start, TimestampFormat.ISO),
        end=Timestamp(start + period.length, TimestampFormat.ISO),
        interval=period.interval,
        dtmfmt=None,
        limit=100,
    )
    try:
        page = read_bar_page(request.context, params)
    except UnknownFxPair:
        return None
    return _merged(list(reversed(page.bars))) if page.bars else None


def _merged(bars: Sequence[Bar]) -> dict[str, float]:
    closes = [_mid(bar.bid.c, bar.ask.c) for bar in bars]
    return {
        "open": _mid(bars[0].bid.o, bars[0].ask.o),
        "high": max(_mid(bar.bid.h, bar.ask.h) for bar in bars),
        "low": min(_mid(bar.bid.l, bar.ask.l) for bar in bars),
        "close": closes[-1],
        "average": shown(sum(closes) / len(closes)),
    }


def _mid(bid: Decimal, ask: Decimal) -> float:
    return shown(float((bid + ask) / 2))


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text.replace(" ", "+"))
    except ValueError:
        raise BadParameter(f"Invalid start_time: [{shorten(text)}], it takes a time as 2024-02-29T12:00:00Z") from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
