"""The dialect `cryptocompare`: the prices of CryptoCompare's interface.

Known from its document and from Adamant's currencyinfo and the extension krypto of GNOME: an error has `Response`,
`Message` and `Type`, and days are those of their beginning in UTC.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import msgspec

from cambist.api.faces.dialects.coin_prices import closes_between, prices_now
from cambist.api.faces.dialects.dialect import Dialect, DialectAnswer, DialectRequest, DialectRoute
from cambist.api.faces.dialects.plain_answers import answer_with
from cambist.api.questions.symbol_parameters import ANY_ASSET, read_code, split_list
from cambist.errors import BadParameter, CambistError, shorten
from cambist.pricing.pair import Pair
from cambist.reference.assets import COINS

_MOST_BASES, _MOST_PRICES, _PRICES_A_CALL = 50, 500, 10
_MOST_DAYS, _DAYS = 2000, 30
_LONGEST = 11
_KEYLESS = frozenset({401})


def price(request: DialectRequest) -> DialectAnswer:
    """Answer `/data/price`: one symbol in several."""
    base = _code(request.query.get("fsym", ""), "fsym")
    found = prices_now(request.context, base, _codes(request.query.get("tsyms", ""), "tsyms"))
    return answer_with(found, cost=_cost(len(found)))


def price_multi(request: DialectRequest) -> DialectAnswer:
    """Answer `/data/pricemulti`: several symbols in several."""
    bases, quotes = _codes(request.query.get("fsyms", ""), "fsyms"), _codes(request.query.get("tsyms", ""), "tsyms")
    if len(bases) > _MOST_BASES or len(bases) * len(quotes) > _MOST_PRICES:
        raise BadParameter(f"Too many prices: [{len(bases) * len(quotes)}], at most {_MOST_PRICES}")
    found = {base: prices_now(request.context, base, quotes) for base in bases}
    return answer_with(found, cost=_cost(sum(map(len, found.values()))))


def historical_day(request: DialectRequest, *, is_second: bool = False) -> DialectAnswer:
    """Answer `/data/histoday`: closes of days, without what was traded on them."""
    query, context = request.query, request.context
    base, quote = _code(query.get("fsym", ""), "fsym"), _code(query.get("tsym", ""), "tsym")
    count = _number("limit", query.get("limit", ""), _DAYS, _MOST_DAYS)
    seconds = _number("toTs", query.get("toTs", ""), int(context.timestamp), 10**_LONGEST)
    newest = context.today - timedelta(days=1)
    last = min((datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)).date(), newest)
    first = last - timedelta(days=count)
    request.check_history(first)
    rows = [
        {"time": _midnight(day), "close": close}
        for day, close in closes_between(context, Pair(base, quote), first, last)
    ]
    span = {"TimeFrom": rows[0]["time"], "TimeTo": rows[-1]["time"]}
    data = {"Aggregated": False, **span, "Data": rows} if is_second else rows
    body = {"Response": "Success", "Message": "", "HasWarning": False, "Type": 100, **span, "Data": data}
    return answer_with(body, cost=_cost(len(rows)), earliest_day=first)


def historical_day_v2(request: DialectRequest) -> DialectAnswer:
    """Answer `/data/v2/histoday`: as `/data/histoday`, within another object."""
    return historical_day(request, is_second=True)


def _midnight(day: date) -> int:
    return int(datetime.combine(day, time(), UTC).timestamp())


def coin_list(_request: DialectRequest) -> DialectAnswer:
    """Answer `/data/all/coinlist`."""
    data = {code: {"Symbol": code, "Name": code, "CoinName": coin.name} for code, coin in COINS.items()}
    return answer_with({"Response": "Success", "Message": "", "Data": data}, cost=0)


def _code(text: str, name: str) -> str:
    if not text.strip():
        raise BadParameter(f"Missing parameter: [{name}], such as BTC")
    return read_code(text, "source" if name.startswith("f") else "target", ANY_ASSET)


def _codes(text: str, name: str) -> list[str]:
    return list(dict.fromkeys(_code(item, name) for item in split_list(text) or [""]))


def _number(name: str, text: str, default: int, most: int) -> int:
    if not text.strip():
        return default
    if not (text.isascii() and text.isdigit() and int(text) <= most):
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes a number up to {most}")
    return int(text)


def _cost(count: int) -> int:
    return max(1, -(-count // _PRICES_A_CALL))


def write_error(status: int, code: str, sentence: str, _error: CambistError | None) -> tuple[int, bytes]:
    """Return an error as the original's: about a key with `Err`, else with `Response`, `Message` and `Type`."""
    if status in _KEYLESS:
        return status, msgspec.json.encode({"Err": {"type": 1, "message": sentence}})
    body: dict[str, Any] = {"Response": "Error", "Message": sentence, "HasWarning": False, "Type": 2}
    return status, msgspec.json.encode({**body, "RateLimit": {}, "Data": {}, "Code": code})


_PRICE = ("fsym", "tsyms")
_PRICES = ("fsyms", "tsyms")
_HISTORY = ("fsym", "tsym", "limit", "toTs")
dialect = Dialect(
    name="cryptocompare",
    title="CryptoCompare",
    guide="dialects-of-prices.md",
    routes=(
        DialectRoute("/data/price", price, _PRICE, tag="crypto", live_with=_PRICE),
        DialectRoute("/data/pricemulti", price_multi, _PRICES, tag="crypto", live_with=_PRICES),
        DialectRoute("/data/histoday", historical_day, _HISTORY, tag="crypto", series_with=()),
        DialectRoute("/data/v2/histoday", historical_day_v2, _HISTORY, tag="crypto", series_with=()),
        DialectRoute("/data/all/coinlist", coin_list, tag="crypto"),
    ),
    write_error=write_error,
    key_parameters=("api_key",),
    key_schemes=("apikey",),
)
