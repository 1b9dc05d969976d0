"""`/fx/quote`: bid and ask of one pair of currencies."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import chain
from math import inf
from typing import NamedTuple

from msgspec import json

from cambist.api.answer.request_context import RequestContext
from cambist.api.direct.answer import DirectBody
from cambist.api.direct.book_view import BookView
from cambist.api.direct.declined import Declined
from cambist.api.direct.legs import MARGIN, certain_until
from cambist.api.direct.sides import Ratio, exact_sides, rounded_to, trimmed
from cambist.api.endpoints.fx.quote import FxQuoteParams, quote_record
from cambist.api.state.worker_state import WorkerState
from cambist.pricing.book_tables import BookNames
from cambist.pricing.freshness import FIXING_MAX_AGE
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.rate_book import RateBook
from cambist.pricing.source_kind import Pace
from cambist.pricing.trading_hours import is_open
from cambist.pricing.unix_time import from_unix_us, unix_us
from cambist.reference.assets import AssetKind
from cambist.reference.currency_tables import CURRENCIES
from cambist.reference.sizes import quote_size

_MINUTE = 60
_MOST_QUOTES = 4096
_CODES = {code.encode(): code for code in CURRENCIES}
_CODE_LENGTH = 3
_CURRENCIES = Pair("EUR", "USD")
"""All pairs of currencies have the trading hours of this one."""

_FIXED = (Pace.DAILY, Pace.MONTHLY)


class _Side(NamedTuple):
    """A currency in the pivot: bid and ask, what is left of their terms without twos and fives, and its times.

    `time` is the market time in microseconds since 1970, `fixed` that of a fixing or 0, `trades_until` until when it is
    a price to trade at, in seconds since 1970.
    """

    bid: Ratio
    ask: Ratio
    odd_bid: Ratio
    odd_ask: Ratio
    time: int
    fixed: int
    trades_until: float


_ONE = _Side((1, 1), (1, 1), (1, 1), (1, 1), 1 << 62, 0, inf)


class FxQuotes:
    """A cross of two legs in integers: 7 µs. Others are computed as in the general way, once a book and minute."""

    names = ("pairs",)

    def __init__(self, state: WorkerState, _max_age: timedelta) -> None:
        """Read the longest ages of the service when they are needed."""
        self._state = state
        self._names: BookNames | None = None
        self._listed: frozenset[str] = frozenset()
        self._traded: set[str] = set()
        self._second = -1, False

    def answer(self, values: list[bytes], view: BookView, now: float) -> DirectBody:
        """Return the quote of one pair."""
        quotes = view.memo(FxQuotes)
        text, until = quotes.get(values[1], (b"", 0.0))
        if now >= until:
            if len(quotes) >= _MOST_QUOTES:
                quotes.clear()
            text, until = quotes[values[1]] = self._quote(values[1], view, now)
        return text, 1, b""

    def _quote(self, name: bytes, view: BookView, now: float) -> tuple[bytes, float]:
        """Return an answer, and until when it holds. Errors: Declined, KeyError, CambistError."""
        base, quote = _CODES[name[:_CODE_LENGTH]], _CODES[name[_CODE_LENGTH:].removeprefix(b"/")]
        listed = self._listed_in(view.book)
        if base == quote or base not in listed or quote not in listed:
            raise Declined
        if base + quote not in self._traded:
            crossed = self._crossed(view, base, quote, now)
            if crossed is not None:
                return crossed
        context = RequestContext(self._state, view.book, now)
        symbol, record = quote_record(
            context, name.decode(), FxQuoteParams(pairs=(name.decode(),), max_age=None, partial=False)
        )
        return b'{"quotes":{"%b":%b},"ms":' % (symbol.encode(), json.encode(record)), context.expires_at - MARGIN

    def _listed_in(self, book: RateBook) -> frozenset[str]:
        """Return the listed codes, which few books change, and note which pairs are traded directly."""
        names = book.columns.names
        if self._names is not names:
            both = ((pair.base + pair.quote, pair.quote + pair.base) for pair in names.fx_pairs)
            self._names, self._listed, self._traded = names, frozenset(names.listed), {*chain.from_iterable(both)}
        return self._listed

    def _crossed(self, view: BookView, base: str, quote: str, now: float) -> tuple[bytes, float] | None:
        """Return an answer that is crossed; None if it may be a decimal with more digits than a computed price has."""
        sides = view.memo(_Side)
        one, other = self._side(sides, view.book, base, now), self._side(sides, view.book, quote, now)
        size = quote_size(base, quote)
        bid = one.bid[0] * other.ask[1], one.bid[1] * other.ask[0]
        ask = one.ask[0] * other.bid[1], one.ask[1] * other.bid[0]
        if not bid[0] % (one.odd_bid[1] * other.odd_ask[0]) or not ask[0] % (one.odd_ask[1] * other.odd_bid[0]):
            return None
        until, time = now // _MINUTE * _MINUTE + _MINUTE, min(one.time, other.time)
        if self._is_open(int(now)):
            until = min(until, one.trades_until, other.trades_until)
        fixed = min(one.fixed or time, other.fixed or time) if one.fixed or other.fixed else 0
        if fixed:
            until = min(until, fixed / 1e6 + FIXING_MAX_AGE.total_seconds() - MARGIN)
        until = min(until, time / 1e6 + view.legs.longest_age)
        if now >= until:
            raise Declined
        lower, upper = rounded_to((bid[0] * size, bid[1]), (ask[0] * size, ask[1]))
        day = b',"fixed_on":"%b"' % str(from_unix_us(fixed).date()).encode() if fixed else b""
        text = b'{"quotes":{"%b":{"bid":%b,"ask":%b,"tsp":%d,"size":%d%b}},"ms":' % (
            *((base + quote).encode(), trimmed(lower), trimmed(upper), time // 1000, size, day),
        )
        return text, until

    def _is_open(self, second: int) -> bool:
        """Return whether currencies are traded, looked up once a second."""
        if self._second[0] != second:
            self._second = second, is_open(_CURRENCIES, datetime.fromtimestamp(second, UTC))
        return self._second[1]

    def _side(self, sides: dict[str, _Side], book: RateBook, code: str, now: float) -> _Side:
        """Return a currency in the pivot, prepared once a book."""
        side = sides.get(code)
        if side is None or now >= side.trades_until > 0:
            side = sides[code] = _ONE if code == PIVOT else self._made(book, code, now)
        return side

    def _made(self, book: RateBook, code: str, now: float) -> _Side:
        price = book.code_price(code)
        if price is None or code in book.outdated:
            raise Declined
        bid, ask = exact_sides(book, code)
        until, time, is_fixed = 0.0, unix_us(price.as_of), price.pace in _FIXED
        if not (is_fixed and code in book.traded):  # a traded currency must not fall back on its fixing
            until = certain_until(price, AssetKind.CURRENCY, self._state.choices.ages, now)
        return _Side(bid, ask, _odd(bid), _odd(ask), time, time if is_fixed else 0, until)


def _odd(ratio: Ratio) -> Ratio:
    """Return the terms of a ratio without their factors two and five."""
    return _without_factors(ratio[0]), _without_factors(ratio[1])


def _without_factors(term: int) -> int:
    term //= term & -term
    while not term % 5:
        term //= 5
    return term
