"""Prices of coins now and on a day, and the names of coins and currencies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from cambist.api.bodies.closes import read_closes
from cambist.api.bodies.price_moves import DAY, move_within
from cambist.api.faces.dialects.coin_prices import closes_between, price_now
from cambist.api.faces.dialects.dialect import DialectAnswer, DialectRequest
from cambist.api.faces.dialects.plain_answers import answer_with
from cambist.api.faces.dialects.rates import latest_rates, priced_currencies, shown
from cambist.api.questions.parameter_types import read_day
from cambist.api.questions.symbol_parameters import split_list
from cambist.errors import BadParameter, NoRate, RateUnavailable, shorten
from cambist.history.as_of import listed_rates
from cambist.pricing.cross_rates import midpoint
from cambist.pricing.pair import PIVOT, Pair
from cambist.reference.assets import COINS, AssetKind, kind_of
from cambist.reference.coin_ids import COIN_BY_ID

_MOST_COINS, _MOST_CURRENCIES, _MOST_PRICES = 250, 60, 2500
_PRICES_A_CALL = 10
_LONGEST_PRECISION = 18
_UNKNOWN_FIGURES = {"include_market_cap": "market_cap", "include_24hr_vol": "24h_vol"}
"""What the original adds to a price if it is asked to: not known here, and null."""

_UNKNOWN_OF_MARKETS = (
    "market_cap", "market_cap_rank", "total_volume", "circulating_supply", "total_supply", "max_supply", "ath", "atl",
)  # fmt: skip
"""What a row of markets has beside its price: not known here, and null."""

_PERCENTAGE = "price_change_percentage_24h"

FIRST_CLOSES = date(2013, 4, 28)
"""The first day that a chart of all days looks for."""

_MOST_CHART_DAYS = 3650
_COIN_CURRENCIES = ("BTC", "ETH", "BNB", "LTC", "BCH", "XRP", "XLM", "LINK", "DOT", "SOL")
"""The coins that prices are also told in."""


def ping(_request: DialectRequest) -> DialectAnswer:
    """Answer `/ping`."""
    return answer_with({"gecko_says": "(V3) Cambist is here"}, cost=0)


def simple_price(request: DialectRequest) -> DialectAnswer:
    """Answer `/simple/price`: coins by `ids` or `symbols`, in `vs_currencies`. Coins without a price are left out."""
    query = request.query
    coins, currencies = dict(_coins(request)), _currencies(query.get("vs_currencies", ""))
    places = _precision(query.get("precision", ""))
    if len(coins) * len(currencies) > _MOST_PRICES:
        raise BadParameter(f"Too many prices: [{len(coins) * len(currencies)}], at most {_MOST_PRICES}")
    found: dict[str, dict[str, Any]] = {}
    count = 0
    for name, coin in coins.items():
        prices = dict(_prices(request, coin, currencies, places))
        if not prices:
            continue
        count += len(prices)
        found[name] = {}
        for code, price in prices.items():
            found[name][code] = price
            for flag, figure in _UNKNOWN_FIGURES.items():
                if query.get(flag, "").lower() == "true":
                    found[name][f"{code}_{figure}"] = None
            if query.get("include_24hr_change", "").lower() == "true":
                found[name][f"{code}_24h_change"] = _day_change(request, coin, code, float(price))[_PERCENTAGE]
        if query.get("include_last_updated_at", "").lower() == "true":
            found[name]["last_updated_at"] = int(midpoint(request.context.book, Pair(coin, PIVOT)).as_of.timestamp())
    return answer_with(found, cost=max(1, -(-count // _PRICES_A_CALL)))


def supported_currencies(request: DialectRequest) -> DialectAnswer:
    """Answer `/simple/supported_vs_currencies`."""
    return answer_with([code.lower() for code in (*_COIN_CURRENCIES, *priced_currencies(request.context))], cost=0)


def coin_list(_request: DialectRequest) -> DialectAnswer:
    """Answer `/coins/list`: the coins that can be asked for."""
    return answer_with([_named(name, coin) for name, coin in COIN_BY_ID.items()], cost=0)


def history(request: DialectRequest) -> DialectAnswer:
    """Answer `/coins/{id}/history`: the close of a day as `DD-MM-YYYY`; without one there is no `market_data`."""
    name, context = request.path["id"], request.context
    coin = COIN_BY_ID.get(name.lower())
    if coin is None:
        raise BadParameter("coin not found")
    day = _day(request)
    request.check_history(day)
    body: dict[str, Any] = _named(name.lower(), coin)
    try:
        close = read_closes(context, Pair(coin, PIVOT), day)[coin]
        listed = listed_rates(context.matrix, day, PIVOT)
    except NoRate:
        return answer_with(body, earliest_day=day)
    worth = float(close.fixing.rate)
    prices = {code.lower(): shown(worth * rate) for code, rate in zip(listed.codes, listed.values, strict=True)}
    return answer_with(body | {"market_data": {"current_price": {"usd": shown(worth)} | prices}}, earliest_day=day)


def markets(request: DialectRequest) -> DialectAnswer:
    """Answer `/coins/markets`: coins by `ids` or `symbols` with their price; what else the original has is null."""
    (code,) = _currencies(request.query.get("vs_currency", ""))[:1]
    places = _precision(request.query.get("precision", ""))
    size, page = (_count(request, name, default) for name, default in (("per_page", 100), ("page", 1)))
    rows = []
    for name, coin in list(_coins(request))[size * (page - 1) : size * page]:
        prices = dict(_prices(request, coin, [code], places))
        known = name if name in COIN_BY_ID else next((each for each, of in COIN_BY_ID.items() if of == coin), name)
        if prices:
            moment = midpoint(request.context.book, Pair(coin, PIVOT)).as_of
            figures = {
                "current_price": prices[code.lower()],
                **_day_change(request, coin, code, float(prices[code.lower()])),
            }
            figures |= dict.fromkeys(_UNKNOWN_OF_MARKETS)
            rows.append(_named(known, coin) | {"image": None, **figures, "last_updated": moment.isoformat()})
    return answer_with(rows, cost=max(1, -(-len(rows) // _PRICES_A_CALL)))


def market_chart(request: DialectRequest) -> DialectAnswer:
    """Answer `/coins/{id}/market_chart`: the closes of the last `days`, and the price of now; volumes are not known."""
    context, coin = request.context, COIN_BY_ID.get(request.path["id"].lower())
    if coin is None:
        raise BadParameter("coin not found")
    (code,) = _currencies(request.query.get("vs_currency", ""))[:1]
    if request.query.get("interval", "daily") not in {"", "daily"}:
        raise BadParameter("Invalid interval: closes are known by the day, it takes daily")
    last = context.today - timedelta(days=1)
    first = last - timedelta(days=_chart_days(request.query.get("days", ""), last) - 1)
    request.check_history(first)
    closes = closes_between(context, Pair(coin, code), first, last)
    points: list[list[float]] = [[_midnight_ms(day), close] for day, close in closes]
    with suppress(RateUnavailable):
        points.append([int(context.timestamp * 1000), price_now(context, coin, code)])
    body = {"prices": points, "market_caps": [], "total_volumes": []}
    return answer_with(body, cost=max(1, -(-len(points) // _PRICES_A_CALL)), earliest_day=first)


def _day_change(request: DialectRequest, coin: str, code: str, price: float) -> dict[str, float | None]:
    """Return what the last 24 hours were as a row of markets has it; null while that is not known."""
    move = move_within(request.context, Pair(coin, code.upper()), DAY)
    if move is None:
        return dict.fromkeys(("high_24h", "low_24h", "price_change_24h", _PERCENTAGE))
    return {
        "high_24h": shown(price * move.high),
        "low_24h": shown(price * move.low),
        "price_change_24h": price - price / move.ratio,
        _PERCENTAGE: (move.ratio - 1) * 100,
    }


def _count(request: DialectRequest, name: str, default: int) -> int:
    text = request.query.get(name, "") or str(default)
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= _MOST_COINS):
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes 1 to {_MOST_COINS}")
    return int(text)


def _chart_days(text: str, last: date) -> int:
    """Return how many days a chart has. Errors: BadParameter."""
    if text == "max":
        return (last - FIRST_CLOSES).days
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= _MOST_CHART_DAYS):
        raise BadParameter(f"Invalid days: [{shorten(text)}], it takes max or 1 to {_MOST_CHART_DAYS}")
    return int(text)


def _midnight_ms(day: date) -> int:
    """Return the end of a day, when it closes, as the original dates it: midnight after it."""
    return int(datetime.combine(day + timedelta(days=1), time(), UTC).timestamp()) * 1000


def exchange_rates(request: DialectRequest) -> DialectAnswer:
    """Answer `/exchange_rates`: what one bitcoin is worth in each currency."""
    found = latest_rates(request.context, "BTC", list(priced_currencies(request.context)))
    rates = {
        code.lower(): {"name": code, "unit": code, "value": rate, "type": "fiat"} for code, rate in found.values.items()
    }
    return answer_with({"rates": {"btc": {"name": "Bitcoin", "unit": "BTC", "value": 1, "type": "crypto"}} | rates})


def _named(name: str, coin: str) -> dict[str, Any]:
    return {"id": name, "symbol": coin.lower(), "name": COINS[coin].name}


def _coins(request: DialectRequest) -> Iterator[tuple[str, str]]:
    """Yield the coins that are asked for and known, by the name that the client has for them."""
    query = request.query
    ids, symbols = split_list(query.get("ids", "")), split_list(query.get("symbols", ""))
    if not ids and not symbols:
        raise BadParameter("Missing parameter: [ids], such as bitcoin,ethereum")
    if len(ids or symbols) > _MOST_COINS:
        raise BadParameter(f"Too many coins: [{len(ids or symbols)}], at most {_MOST_COINS}")
    for text in ids or symbols:
        coin = COIN_BY_ID.get(text.lower()) if ids else text.upper()
        if coin is not None and coin in COINS:
            yield text.lower(), coin


def _currencies(text: str) -> list[str]:
    codes = list(dict.fromkeys(item.upper() for item in split_list(text)))
    if not codes or len(codes) > _MOST_CURRENCIES:
        raise BadParameter(f"Missing parameter: [vs_currencies], from 1 to {_MOST_CURRENCIES} codes such as usd,eur")
    for code in codes:
        if kind_of(code) not in (AssetKind.CURRENCY, AssetKind.COIN):
            raise BadParameter(f"invalid vs_currency: [{shorten(code)}]")
    return codes


def _precision(text: str) -> int | None:
    if text in {"", "full"}:
        return None
    if not (text.isascii() and text.isdigit() and int(text) <= _LONGEST_PRECISION):
        raise BadParameter(f"Invalid precision: [{shorten(text)}], it takes full or 0 to {_LONGEST_PRECISION}")
    return int(text)


def _prices(
    request: DialectRequest, coin: str, currencies: list[str], places: int | None
) -> Iterator[tuple[str, float | Decimal]]:
    for code in currencies:
        if code == coin:
            yield code.lower(), 1.0
            continue
        try:
            price = latest_rates(request.context, coin, [code]).values[code]
        except RateUnavailable:
            continue
        yield code.lower(), price if places is None else _rounded(price, places)


def _rounded(price: float, places: int) -> Decimal:
    return Decimal(repr(price)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def _day(request: DialectRequest) -> date:
    parts = request.query.get("date", "").split("-")
    if len(parts) != 3:
        raise BadParameter("Missing parameter: [date], a day such as 30-12-2026")
    day, month, year = parts
    return read_day("date", f"{year}-{month:0>2}-{day:0>2}", request.context.today)
