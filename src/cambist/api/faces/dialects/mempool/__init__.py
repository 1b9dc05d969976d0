"""The dialect `mempool`: what a bitcoin is worth, as the explorer mempool tells it.

Known from `backend/src/api/bitcoin/…` of mempool/mempool: `/prices` has numbers by currency, `/historical-price` a list
of them, and what a dollar was worth in other currencies.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec

from cambist.api.faces.dialects.coin_prices import price_now, price_on, prices_now
from cambist.api.faces.dialects.dialect import Dialect, DialectAnswer, DialectRequest, DialectRoute
from cambist.api.faces.dialects.plain_answers import answer_with
from cambist.api.questions.symbol_parameters import MONEY, read_code
from cambist.errors import BadParameter, CambistError, NoRate, shorten

_COIN, _PIVOT = "BTC", "USD"
_CURRENCIES = ("USD", "EUR", "GBP", "CAD", "CHF", "AUD", "JPY")
_LONGEST = 11


def prices(request: DialectRequest) -> DialectAnswer:
    """Answer `/api/v1/prices`: a bitcoin in seven currencies, and the time of the market."""
    context = request.context
    found = prices_now(context, _COIN, _CURRENCIES)
    return answer_with({"time": int(context.book.as_of.timestamp()), **found})


def historical_price(request: DialectRequest) -> DialectAnswer:
    """Answer `/api/v1/historical-price`: the close of the day of a `timestamp`; the price of now without one."""
    context, asked = request.context, request.query.get("currency", "").strip()
    codes = [_PIVOT] if not asked else list(dict.fromkeys((read_code(asked, "target", MONEY), _PIVOT)))
    moment = _moment(request.query.get("timestamp", ""), context.now)
    day = moment.date()
    if day == context.today:
        values = {code: price_now(context, _COIN, code) for code in codes}
        others = [code for code in _CURRENCIES if code != _PIVOT]
        rates = {f"{_PIVOT}{code}": rate for code, rate in prices_now(context, _PIVOT, others).items()}
        time, day_asked = int(context.book.as_of.timestamp()), None
    else:
        request.check_history(day)
        values = {code: price_on(context, _COIN, code, day) for code in codes}
        rates = {f"{_PIVOT}{code}": price_on(context, _PIVOT, code, day) for code in _CURRENCIES if code != _PIVOT}
        time, day_asked = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()), day
    return answer_with({"prices": [{"time": time, **values}], "exchangeRates": rates}, earliest_day=day_asked)


def _moment(text: str, now: datetime) -> datetime:
    if not text.strip():
        return now
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST):
        raise BadParameter(f"Invalid timestamp: [{shorten(text)}], it takes seconds since 1970")
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(text))
    except OverflowError:
        raise BadParameter(f"Invalid timestamp: [{shorten(text)}], it takes seconds since 1970") from None
    if moment > now + timedelta(minutes=1):
        raise NoRate(f"There is no price of [{moment.date()}] yet")
    return moment


def write_error(status: int, code: str, sentence: str, _error: CambistError | None) -> tuple[int, bytes]:
    """Return an error in a shape of our own: the original answers with a text."""
    return status, msgspec.json.encode({"error": sentence, "code": code})


dialect = Dialect(
    name="mempool",
    title="mempool",
    guide="dialects-of-prices.md",
    routes=(
        DialectRoute("/api/v1/prices", prices, tag="crypto", live_with=()),
        DialectRoute("/api/v1/historical-price", historical_price, ("currency", "timestamp"), tag="crypto"),
    ),
    write_error=write_error,
)
