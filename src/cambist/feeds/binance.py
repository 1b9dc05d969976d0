"""Binance's best bids and asks of all spot pairs, from its hosts for market data alone.

JSON. The list has also what no longer trades (`status` BREAK) and leveraged tokens, which carry their coin's code and
a suffix (BTCUP, ETHBEAR): both are left out. The tickers list every pair, halted ones with sides of 0, and have no
time; nor have the socket's, but `u` counts the changes of a pair's book. Frames come wrapped in their stream's name,
which is the pair in small letters. A connection takes 1,024 streams and five frames a second, and ends after a day;
`serverShutdown` foretells an earlier end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct, field

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

_REST = "https://data-api.binance.vision/api/v3/"
_BATCH = 200
_STREAMS = 1000
_SHUTDOWN = "serverShutdown"
_NONE = re.compile(r"0(\.0+)?", re.ASCII)
_CODE = re.compile(r"[A-Z0-9]{1,20}", re.ASCII)
_LEVERAGED = re.compile(r"(.{3,})(UP|DOWN|BULL|BEAR|[35][LS])", re.ASCII)
"""Their coins' codes have three letters or more, while TUP and SUP are coins of their own beside T and S."""

_binance = Reading("Binance")


class _Symbol(Struct, rename="camel"):
    symbol: str
    status: str
    base_asset: str
    quote_asset: str
    is_spot_trading_allowed: bool


class _Info(Struct):
    symbols: list[_Symbol]


class _Ticker(Struct, rename="camel"):
    symbol: str
    bid_price: str
    ask_price: str


class _Best(Struct):
    symbol: str = field(name="s")
    bid: str = field(name="b")
    ask: str = field(name="a")
    count: int = field(name="u")


class _Frame(Struct):
    stream: str
    data: _Best


class _Error(Struct):
    msg: str = "it gives no reason"


class _Other(Struct):
    stream: str = ""
    event: str = field(name="e", default="")
    error: _Error | None = None
    id: int | str | None = None


_frame = msgspec.json.Decoder(_Frame)
_other = msgspec.json.Decoder(_Other)


class BinanceFeed(Venue):
    """Reads list, tickers and combined streams."""

    source = Source(
        key="binance",
        name="Binance",
        home="https://www.binance.com/",
        terms="https://www.binance.com/en/terms",
        licence="public market data; check the terms before passing it on",
        redistribution=Redistribution.UNCLEAR,
        pace=Pace.REALTIME,
        covers="best bid and ask of several hundred coins, most against stable coins",
        zone=ZoneInfo("UTC"),
        first_day=date.max,  # it tells of now alone
        schedule=Schedule(every=timedelta(minutes=1), days=EVERY_DAY),
        rate_type=RateType.MARKET,
    )

    def list_inquiry(self) -> Inquiry:
        """Ask for all pairs, without the permissions that make most of the answer."""
        return Inquiry(url=_REST + "exchangeInfo?showPermissionSets=false", media=("application/json",))

    def names(self, content: bytes) -> Names:
        """Read the pairs that trade."""
        symbols = _binance.json(content, _Info).symbols
        coins = {symbol.base_asset for symbol in symbols}
        names: dict[str, Pair] = {}
        seen: set[str] = set()
        for symbol in symbols:
            _binance.once(seen, symbol.symbol)
            base, quote = symbol.base_asset, symbol.quote_asset
            if symbol.symbol != base + quote:
                raise _binance.broken(f"[{shown(symbol.symbol)}] is not of [{shown(base)}] and [{shown(quote)}]")
            trades = symbol.status == "TRADING" and symbol.is_spot_trading_allowed and not _is_leveraged(base, coins)
            if trades and _CODE.fullmatch(base) and _CODE.fullmatch(quote):
                names[symbol.symbol] = Pair(base, quote)
        if not names:
            raise _binance.broken("the list holds no pair that trades")
        return names

    def asked(self) -> Sequence[Inquiry]:
        """Ask for all tickers at once."""
        return (Inquiry(url=_REST + "ticker/bookTicker", media=("application/json",)),)

    def ticks(self, content: bytes, about: str, names: Names) -> Iterator[Tick]:
        """Read all tickers; pairs that are not in the list, or lack a side, give none."""
        _ = about
        seen: set[str] = set()
        none = True
        for ticker in _binance.json(content, list[_Ticker]):
            pair = names.get(_binance.once(seen, ticker.symbol))
            if pair is not None and (tick := _tick(pair, ticker.bid_price, ticker.ask_price)) is not None:
                none = False
                yield tick
        if none:
            raise _binance.broken("the tickers quote no listed pair")

    def sockets(self, names: Names) -> Iterator[Socket]:
        """Give as many connections as the streams need."""
        streams = [f"{name.lower()}@bookTicker" for name in names]
        for first in range(0, len(streams), _STREAMS):
            own = streams[first : first + _STREAMS]
            hello = tuple(_subscription(own[at : at + _BATCH], at) for at in range(0, len(own), _BATCH))
            yield Socket(url="wss://data-stream.binance.vision/stream", hello=hello)

    def hear(self, frame: str | bytes, names: Names) -> Heard:
        """Read one frame."""
        try:
            best = _frame.decode(frame).data
        except msgspec.ValidationError as error:
            return _hear_other(frame, error)
        except (ValueError, RecursionError) as error:
            raise _binance.broken(f"a frame cannot be read: {error}") from error
        pair = names.get(best.symbol)
        tick = _tick(pair, best.bid, best.ask, best.count) if pair is not None else None
        return Heard((tick,)) if tick is not None else NOTHING_HEARD


def _is_leveraged(base: str, coins: set[str]) -> bool:
    match = _LEVERAGED.fullmatch(base)
    return match is not None and match[1] in coins


def _tick(pair: Pair, bid: str, ask: str, count: int = 0) -> Tick | None:
    best_bid, best_ask = _side(bid, pair), _side(ask, pair)
    if count < 0:
        raise _binance.broken(f"{pair} has no count: {count}")
    return Tick("binance", pair, best_bid, best_ask, None, count) if best_bid and best_ask else None


def _side(text: str, pair: Pair) -> Decimal | None:
    return None if _NONE.fullmatch(text) else _binance.number(text, pair)


def _subscription(streams: list[str], number: int) -> str:
    return msgspec.json.encode({"method": "SUBSCRIBE", "params": streams, "id": number + 1}).decode()


def _hear_other(frame: str | bytes, error: Exception) -> Heard:
    try:
        other = _other.decode(frame)
    except (ValueError, RecursionError):
        raise _binance.broken(f"a frame is not its own: {error}") from error
    if other.error is not None:
        return Heard(refused=shown(other.error.msg))
    if _SHUTDOWN in {other.event, other.stream.removeprefix("!")}:
        return Heard(reconnect=True)
    if other.stream.endswith("@bookTicker") or not (other.stream or other.event or other.id is not None):
        raise _binance.broken(f"a frame is not its own: {error}") from error
    return NOTHING_HEARD


feed: Venue = BinanceFeed()
