"""Bitstamp's best bids and asks of coins, mostly against dollar, euro and pound, and of a few pairs of currencies.

JSON. The list names a pair `BTC/USD` and `btcusd`; the tickers use the first, the socket's channels the second. The
channel `order_book_btcusd` sends the best hundred levels of both sides, best first, with a time in microseconds that
also puts them in order; `diff_order_book_…` looks the same, but its levels are changes. Each channel is subscribed to
by a frame of its own. Before maintenance the server asks to be connected to anew. A side without orders is 0 or an
empty list. Tickers of what is not spot (`BTC/USD-PERP`) are none of the list's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct

from cambist.errors import shown
from cambist.feeds.base import (
    EVERY_DAY,
    NOTHING_HEARD,
    Heard,
    Inquiry,
    Names,
    Redistribution,
    Schedule,
    Socket,
    Source,
    Venue,
)
from cambist.feeds.reading import Reading
from cambist.market.pair import Pair
from cambist.market.standing import Pace, RateType
from cambist.market.tick import Tick
from cambist.market.unix import EPOCH

_REST = "https://www.bitstamp.net/api/v2/"
_CHANNEL = "order_book_"
_SECONDS = re.compile(r"[0-9]{10}", re.ASCII)
_MICROSECONDS = re.compile(r"[0-9]{16}", re.ASCII)
_NONE = re.compile(r"0(\.0+)?", re.ASCII)
_CODE = re.compile(r"[A-Z0-9]{1,20}", re.ASCII)

_bitstamp = Reading("Bitstamp")


class _Listed(Struct):
    name: str
    url_symbol: str
    trading: str


class _Ticker(Struct):
    pair: str
    bid: str
    ask: str
    timestamp: str


class _Book(Struct):
    microtimestamp: str
    bids: list[list[str]]
    asks: list[list[str]]


class _Frame(Struct, tag_field="event", tag="data"):
    channel: str
    data: _Book


class _Other(Struct):
    event: str
    channel: str = ""


class _Reason(Struct):
    message: str = "it gives no reason"


class _Error(Struct):
    data: _Reason


_frame = msgspec.json.Decoder(_Frame)
_other = msgspec.json.Decoder(_Other)
_error = msgspec.json.Decoder(_Error)


class BitstampFeed(Venue):
    """Reads list, tickers and order books."""

    source = Source(
        key="bitstamp",
        name="Bitstamp",
        home="https://www.bitstamp.net/",
        terms="https://www.bitstamp.net/terms-of-use/",
        licence="public market data; check the terms before passing it on",
        redistribution=Redistribution.UNCLEAR,
        pace=Pace.REALTIME,
        covers="best bid and ask of some eighty coins against dollar, euro and pound, and of EUR/USD and GBP/USD",
        zone=ZoneInfo("UTC"),
        first_day=date.max,  # it tells of now alone
        schedule=Schedule(every=timedelta(minutes=1), days=EVERY_DAY),
        rate_type=RateType.MARKET,
    )

    def list_inquiry(self) -> Inquiry:
        """Ask for all pairs."""
        return Inquiry(url=_REST + "trading-pairs-info/", media=("application/json",))

    def names(self, content: bytes) -> Names:
        """Read the pairs that trade, by both names."""
        names: dict[str, Pair] = {}
        seen: set[str] = set()
        for listed in _bitstamp.json(content, list[_Listed]):
            base, slash, quote = _bitstamp.once(seen, listed.name).partition("/")
            if not slash or not listed.url_symbol or "/" in _bitstamp.once(seen, listed.url_symbol):
                raise _bitstamp.broken(f"[{shown(listed.name)}] or [{shown(listed.url_symbol)}] is no name of a pair")
            if listed.trading == "Enabled" and _CODE.fullmatch(base) and _CODE.fullmatch(quote):
                names[listed.name] = names[listed.url_symbol] = Pair(base, quote)
        if not names:
            raise _bitstamp.broken("the list holds no pair that trades")
        return names

    def asked(self) -> Sequence[Inquiry]:
        """Ask for all tickers at once."""
        return (Inquiry(url=_REST + "ticker/", media=("application/json",)),)

    def ticks(self, content: bytes, about: str, names: Names) -> Iterator[Tick]:
        """Read all tickers; pairs that are not in the list, or lack a side, give none."""
        _ = about
        seen: set[str] = set()
        none = True
        for ticker in _bitstamp.json(content, list[_Ticker]):
            pair = names.get(_bitstamp.once(seen, ticker.pair))
            if pair is not None:
                bid, ask = _side(ticker.bid, pair), _side(ticker.ask, pair)
                seconds = _count(ticker.timestamp, _SECONDS, pair)
                if bid and ask:
                    none = False
                    yield Tick("bitstamp", pair, bid, ask, EPOCH + timedelta(seconds=seconds))
        if none:
            raise _bitstamp.broken("the tickers quote no listed pair")

    def sockets(self, names: Names) -> Iterator[Socket]:
        """Give one connection."""
        hello = tuple(_subscription(name) for name in names if "/" not in name)
        yield Socket(url="wss://ws.bitstamp.net", hello=hello, pause=timedelta(milliseconds=50))

    def hear(self, frame: str | bytes, names: Names) -> Heard:
        """Read one frame."""
        try:
            heard = _frame.decode(frame)
        except msgspec.ValidationError as error:
            return _hear_other(frame, error)
        except (ValueError, RecursionError) as error:
            raise _bitstamp.broken(f"a frame cannot be read: {error}") from error
        pair = names.get(heard.channel[len(_CHANNEL) :]) if heard.channel.startswith(_CHANNEL) else None
        if pair is None:
            return NOTHING_HEARD
        bid, ask = _top(heard.data.bids, pair), _top(heard.data.asks, pair)
        count = _count(heard.data.microtimestamp, _MICROSECONDS, pair)
        moment = EPOCH + timedelta(microseconds=count)
        return Heard((Tick("bitstamp", pair, bid, ask, moment, count),)) if bid and ask else NOTHING_HEARD


def _top(levels: list[list[str]], pair: Pair) -> Decimal | None:
    if not levels:
        return None
    if not levels[0]:
        raise _bitstamp.broken(f"{pair} has a level without a price")
    return _side(levels[0][0], pair)


def _side(text: str, pair: Pair) -> Decimal | None:
    return None if _NONE.fullmatch(text) else _bitstamp.number(text, pair)


def _count(text: str, form: re.Pattern[str], pair: Pair) -> int:
    if not form.fullmatch(text):
        raise _bitstamp.broken(f"{pair} has no time: [{shown(text)}]")
    return int(text)


def _subscription(name: str) -> str:
    return msgspec.json.encode({"event": "bts:subscribe", "data": {"channel": _CHANNEL + name}}).decode()


def _hear_other(frame: str | bytes, error: Exception) -> Heard:
    try:
        other = _other.decode(frame)
        if other.event == "bts:error":
            return Heard(refused=shown(_error.decode(frame).data.message))
    except (ValueError, RecursionError):
        raise _bitstamp.broken(f"a frame is not its own: {error}") from error
    if other.event == "bts:request_reconnect":
        return Heard(reconnect=True)
    if not other.event or (other.event == "data" and other.channel.startswith(_CHANNEL)):
        raise _bitstamp.broken(f"a frame is not its own: {error}") from error
    return NOTHING_HEARD


feed: Venue = BitstampFeed()
