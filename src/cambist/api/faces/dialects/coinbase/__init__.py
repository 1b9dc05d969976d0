"""The dialect `coinbase`: the public prices of Coinbase's interface, version 2.

Known from its clients Electrum (`exchange_rate.py`) and beanprice (`coinbase.py`): numbers are texts.
"""

from __future__ import annotations

import msgspec

from cambist.api.faces.dialects.coin_prices import price_now, price_on
from cambist.api.faces.dialects.dialect import Dialect, DialectAnswer, DialectRequest, DialectRoute
from cambist.api.faces.dialects.plain_answers import answer_with
from cambist.api.faces.dialects.rates import latest_rates, priced_currencies
from cambist.api.questions.parameter_types import read_day
from cambist.api.questions.symbol_parameters import ANY_ASSET, read_code
from cambist.errors import BadParameter, CambistError, shorten
from cambist.pricing.number_format import plain_float
from cambist.reference.assets import AssetKind, kind_of
from cambist.reference.currency_tables import CURRENCIES

_COINS = ("BTC", "ETH", "LTC", "BCH", "XRP", "SOL", "ADA", "DOGE")
"""The coins that a list of rates names beside the currencies."""

_SIDES = ("spot", "buy", "sell")


def exchange_rates(request: DialectRequest) -> DialectAnswer:
    """Answer `/v2/exchange-rates`: what one unit is worth in each currency, and in some coins."""
    base = read_code(request.query.get("currency", "USD"), "source", ANY_ASSET)
    found = dict(latest_rates(request.context, base, list(priced_currencies(request.context))).values)
    if kind_of(base) is not AssetKind.METAL:
        quoted = [coin for coin in _COINS if coin in request.context.book.mids and coin != base]
        found |= latest_rates(request.context, base, quoted).values if quoted else {}
    rates = {code: plain_float(rate) for code, rate in {base: 1.0, **found}.items()}
    return answer_with({"data": {"currency": base, "rates": rates}})


def currencies(_request: DialectRequest) -> DialectAnswer:
    """Answer `/v2/currencies`."""
    known = ((code, each) for code, each in CURRENCIES.items() if not each.last_day)
    listed = [{"id": code, "name": each.name, "min_size": "0.01"} for code, each in known]
    return answer_with({"data": listed}, cost=0)


def price(request: DialectRequest) -> DialectAnswer:
    """Answer `/v2/prices/{pair}/{side}`: the midpoint of now, or the close of a day; there is no other buy or sell."""
    base, quote = _pair(request.path["pair"])
    if request.path["side"] not in _SIDES:
        raise BadParameter(f"Unknown price: [{shorten(request.path['side'])}], there are {', '.join(_SIDES)}")
    context, text, day = request.context, request.query.get("date", ""), None
    if text:
        day = read_day("date", text[:10], context.today)
        request.check_history(day)
        found = price_on(context, base, quote, day)
    else:
        found = price_now(context, base, quote)
    body = {"data": {"amount": plain_float(found), "base": base, "currency": quote}}
    return answer_with(body, earliest_day=day)


def _pair(text: str) -> tuple[str, str]:
    base, dash, quote = text.partition("-")
    if not dash or not base or not quote or "-" in quote:
        raise BadParameter(f"Invalid pair: [{shorten(text)}], it is written as BTC-USD")
    return read_code(base, "source", ANY_ASSET), read_code(quote, "target", ANY_ASSET)


def write_error(status: int, code: str, sentence: str, _error: CambistError | None) -> tuple[int, bytes]:
    """Return an error as the original's: a list of one, with an id and a sentence."""
    return status, msgspec.json.encode({"errors": [{"id": code, "message": sentence}]})


dialect = Dialect(
    name="coinbase",
    title="Coinbase",
    guide="dialects-of-prices.md",
    routes=(
        DialectRoute("/v2/exchange-rates", exchange_rates, ("currency",), tag="crypto", live_with=("currency",)),
        DialectRoute("/v2/currencies", currencies, tag="crypto"),
        DialectRoute("/v2/prices/{pair}/{side}", price, ("date",), tag="crypto", live_with=()),
    ),
    write_error=write_error,
    own_parameters=("currency",),
)
