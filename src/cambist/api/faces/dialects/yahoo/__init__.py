"""The dialect `yahoo`: Yahoo Finance's chart, version 8, and the price of its quote summary, for currencies and coins.

Known from yfinance's `scrapers/history.py`, from the schema in yahoo-finance2's `chart.ts`, and from Finance::Quote's
CurrencyRates/YahooJSON: `EURUSD=X` is dollars for a euro, `EUR=X` euros for a dollar, `BTC-USD` a coin.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import unquote

import msgspec

from cambist.api.faces.dialects.coin_prices import closes_between
from cambist.api.faces.dialects.dialect import Dialect, DialectAnswer, DialectRequest, DialectRoute
from cambist.api.faces.dialects.plain_answers import answer_with
from cambist.api.faces.dialects.rates import daily_rates, latest_rates
from cambist.api.questions.symbol_parameters import ANY_ASSET, read_code
from cambist.errors import BadParameter, CambistError, NoRate, RateUnavailable, UnknownSymbol, shorten
from cambist.pricing.cross_rates import midpoint
from cambist.pricing.pair import PIVOT, Pair
from cambist.reference.assets import AssetKind, kind_of

_SYMBOL = re.compile(r"(?P<base>[A-Z]{3})?(?P<quote>[A-Z]{3})=X|(?P<coin>[A-Z0-9]{2,12})-(?P<money>[A-Z]{3})", re.ASCII)
_RANGES = {
    "1d": 1, "5d": 5, "1mo": 31, "3mo": 92, "6mo": 183, "1y": 366, "2y": 731, "5y": 1827, "10y": 3653, "ytd": 0,
    "max": 0,
}  # fmt: skip
_INTERVALS = ("1d", "1wk", "1mo")
_FIRST = date(1970, 1, 1)
_LONGEST = 11


class _Symbol(NamedTuple):
    """What a symbol names: a pair, whether it is a coin, and the symbol as the original answers it."""

    pair: Pair
    is_coin: bool
    name: str


def chart(request: DialectRequest) -> DialectAnswer:
    """Answer `/v8/finance/chart/{symbol}`: the closes of days with a fixing, and in `meta` the price of now."""
    symbol, context = _symbol(request.path["symbol"]), request.context
    interval = request.query.get("interval", "1d") or "1d"
    if interval not in _INTERVALS:
        raise BadParameter(f"Invalid interval: [{shorten(interval)}], it takes {', '.join(_INTERVALS)}")
    first, last = _period(request)
    request.check_history(first)
    rows = _last_of_each(_rows(request, symbol, first, last), interval)
    quotes: dict[str, Any] = {}
    if rows:
        closes, nothing = [close for _, close in rows], [None] * len(rows)
        quotes = {"open": nothing, "high": nothing, "low": nothing, "close": closes, "volume": nothing}
    result: dict[str, Any] = {"meta": _meta(request, symbol, rows, interval), "indicators": {"quote": [quotes]}}
    if rows:
        result["timestamp"] = [_midnight(day) for day, _ in rows]
        result["indicators"]["adjclose"] = [{"adjclose": quotes["close"]}]
    return answer_with({"chart": {"result": [result], "error": None}}, earliest_day=min(first, context.today))


def quote_summary(request: DialectRequest) -> DialectAnswer:
    """Answer `/v11/finance/quoteSummary/{symbol}`: the module `price` with the price of now."""
    symbol = _symbol(request.path["symbol"])
    modules = request.query.get("modules", "price")
    if modules != "price":
        raise BadParameter(f"Invalid modules: [{shorten(modules)}], there is price")
    price, moment = _price_now(request, symbol)
    known = {
        "regularMarketPrice": {"raw": price, "fmt": f"{price:.4f}"},
        "regularMarketTime": moment,
        "currency": symbol.pair.quote,
        "symbol": symbol.name,
        "quoteType": _kind(symbol),
    }
    return answer_with({"quoteSummary": {"result": [{"price": known}], "error": None}})


def _symbol(text: str) -> _Symbol:
    """Return what a symbol names. Errors: UnknownSymbol."""
    name = unquote(text).strip().upper()
    found = _SYMBOL.fullmatch(name)
    if found is None:
        raise UnknownSymbol(f"No data found, symbol may be delisted: [{shorten(text)}]")
    base = found["coin"] or found["base"] or PIVOT
    quote = found["money"] or found["quote"]
    pair = Pair(read_code(base, "source", ANY_ASSET), read_code(quote, "target"))
    is_coin = kind_of(pair.base) is AssetKind.COIN
    if is_coin is not bool(found["coin"]):
        raise UnknownSymbol(f"No data found, symbol may be delisted: [{shorten(text)}]")
    return _Symbol(pair, is_coin, name if is_coin else f"{pair.base}{pair.quote}=X")


def _period(request: DialectRequest) -> tuple[date, date]:
    """Return the days of `period1` and `period2`, or of a `range` up to today. Errors: BadParameter."""
    query, today = request.query, request.context.today
    last = _day(query, "period2", today)
    if query.get("period1"):
        first = _day(query, "period1", today)
    else:
        chosen = query.get("range", "1mo") or "1mo"
        if chosen not in _RANGES:
            raise BadParameter(f"Invalid range: [{shorten(chosen)}], it takes {', '.join(_RANGES)}")
        days = _RANGES[chosen]
        first = last - timedelta(days=days) if days else date(last.year, 1, 1) if chosen == "ytd" else _FIRST
    if first > last:
        raise BadParameter(f"Invalid period1: [{first}] is after [{last}]")
    return max(first, _FIRST), min(last, today)


def _day(query: Any, name: str, default: date) -> date:
    text = query.get(name, "")
    if not text:
        return default
    if not (text.lstrip("-").isdigit() and text.isascii() and len(text) <= _LONGEST):
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes seconds since 1970")
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=max(int(text), 0))).date()


def _rows(request: DialectRequest, symbol: _Symbol, first: date, last: date) -> list[tuple[date, float]]:
    """Return the closes of days that have one of their own; none if there are none then."""
    context, pair = request.context, symbol.pair
    try:
        if symbol.is_coin:
            return closes_between(context, pair, first, last)
        found = daily_rates(context, pair.base, [pair.quote], first, last, only_fixed=True)
    except NoRate:
        return []
    return [(day, rates[pair.quote]) for day, rates in found.items()]


def _last_of_each(rows: list[tuple[date, float]], interval: str) -> list[tuple[date, float]]:
    """Return the last close of each week or month, dated with its beginning as the original does."""
    if interval == "1d":
        return rows
    starts = {_start(day, interval): close for day, close in rows}
    return list(starts.items())


def _start(day: date, interval: str) -> date:
    return day - timedelta(days=day.weekday()) if interval == "1wk" else day.replace(day=1)


def _price_now(request: DialectRequest, symbol: _Symbol) -> tuple[float, int]:
    """Return the price of now and its time. Errors: RateUnavailable."""
    pair, context = symbol.pair, request.context
    price = 1.0 if pair.base == pair.quote else latest_rates(context, pair.base, [pair.quote]).values[pair.quote]
    return price, int(midpoint(context.book, pair).as_of.timestamp())


def _meta(request: DialectRequest, symbol: _Symbol, rows: list[tuple[date, float]], interval: str) -> dict[str, Any]:
    """Return what the original says of a symbol. Errors: RateUnavailable without any price."""
    try:
        price, moment = _price_now(request, symbol)
    except RateUnavailable:
        if not rows:
            raise
        price, moment = rows[-1][1], _midnight(rows[-1][0])
    start = _midnight(request.context.today)
    period = {"timezone": "UTC", "start": start, "end": start + 86_400, "gmtoffset": 0}
    return {
        "currency": symbol.pair.quote,
        "symbol": symbol.name,
        "exchangeName": "CCC" if symbol.is_coin else "CCY",
        "instrumentType": _kind(symbol),
        "firstTradeDate": None,
        "regularMarketTime": moment,
        "gmtoffset": 0,
        "timezone": "UTC",
        "exchangeTimezoneName": "UTC",
        "regularMarketPrice": price,
        "priceHint": 4,
        "currentTradingPeriod": dict.fromkeys(("pre", "regular", "post"), period),
        "dataGranularity": interval,
        "range": request.query.get("range", ""),
        "validRanges": [*_RANGES],
    }


def _kind(symbol: _Symbol) -> str:
    return "CRYPTOCURRENCY" if symbol.is_coin else "CURRENCY"


def _midnight(day: date) -> int:
    return int(datetime.combine(day, time(), UTC).timestamp())


def write_error(status: int, _code: str, sentence: str, error: CambistError | None) -> tuple[int, bytes]:
    """Return an error as the original's; an unknown symbol is 404."""
    if isinstance(error, UnknownSymbol):
        status = HTTPStatus.NOT_FOUND
    told = {"code": HTTPStatus(status).phrase, "description": sentence}
    return status, msgspec.json.encode({"chart": {"result": None, "error": told}})


def write_summary_error(status: int, code: str, sentence: str, error: CambistError | None) -> tuple[int, bytes]:
    """Return an error of a quote summary."""
    status, body = write_error(status, code, sentence, error)
    return status, body.replace(b'{"chart":', b'{"quoteSummary":', 1)


dialect = Dialect(
    name="yahoo",
    title="Yahoo Finance",
    guide="dialects-of-prices.md",
    routes=(
        DialectRoute("/v8/finance/chart/{symbol}", chart, ("range", "period1", "period2", "interval"), series_with=()),
        DialectRoute(
            "/v11/finance/quoteSummary/{symbol}", quote_summary, ("modules",), write_error=write_summary_error
        ),
    ),
    write_error=write_error,
)
