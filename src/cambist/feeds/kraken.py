"""Kraken's best bids and asks: some hundred coins against currencies and each other, and a dozen pairs of currencies.

JSON. List and tickers use the exchange's old codes (key `XXBTZUSD`, `XBTUSD`, `XBT/USD`; XDG is the dogecoin), the
socket's second version the common ones (`BTC/USD`, `DOGE/USD`), and it refuses the `XBT/USD` that the list calls its
name. Some codes are other coins than elsewhere. A side without orders is 0 in the tickers, 0 or null on the socket.
Tickers come without a time, frames with it. Errors are answered with status 200 and `error` filled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Generic, TypeVar
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta, Struct

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

T = TypeVar("T")

_REST = "https://api.kraken.com/0/public/"
_BATCH = 200
_TRADING = {"online", "limit_only", "reduce_only"}
_NONE = re.compile(r"0(\.0+)?", re.ASCII)
_CODE = re.compile(r"[A-Z0-9]{1,20}", re.ASCII)
_OLD = {"XBT": "BTC", "XDG": "DOGE"}
"""Codes that the socket's second version writes in another way."""
_COMMON = _OLD | {"LUNA": "LUNC", "LUNA2": "LUNA", "UST": "USTC", "REP": "REPV1", "REPV2": "REP"}
"""What the others call it: after each of these coins was replaced, Kraken alone kept the code for the old one."""

_kraken = Reading("Kraken")


class _Listed(Struct):
    altname: str
    base: str
    quote: str
    wsname: str = ""
    status: str = "online"  # lists of before 2022 have none


class _Ticker(Struct):
    a: Annotated[list[str], Meta(min_length=1)]
    b: Annotated[list[str], Meta(min_length=1)]


class _Answer(Struct, Generic[T]):
    error: list[str]
    result: dict[str, T] = {}


class _Quote(Struct):
    symbol: str
    bid: Decimal | None
    ask: Decimal | None
    timestamp: datetime | None = None


class _Frame(Struct, tag_field="channel", tag="ticker"):
    data: list[_Quote]


class _Other(Struct):
    channel: str = ""
    method: str = ""
    success: bool = True
    error: str = ""


_frame = msgspec.json.Decoder(_Frame)
_other = msgspec.json.Decoder(_Other)


class KrakenFeed(Venue):
    """Reads list, tickers and the socket's second version."""

    source = Source(
        key="kraken",
        name="Kraken",
        home="https://www.kraken.com/",
        terms="https://www.kraken.com/legal",
        licence="public market data; check the terms before passing it on",
        redistribution=Redistribution.UNCLEAR,
        pace=Pace.REALTIME,
        covers="best bid and ask of some hundred coins, and of a dozen pairs of currencies",
        zone=ZoneInfo("UTC"),
        first_day=date.max,  # it tells of now alone
        schedule=Schedule(every=timedelta(minutes=1), days=EVERY_DAY),
        rate_type=RateType.MARKET,
    )

    def list_inquiry(self) -> Inquiry:
        """Ask for all pairs."""
        return Inquiry(url=_REST + "AssetPairs", media=("application/json",))

    def names(self, content: bytes) -> Names:
        """Read all pairs by key, both old names and the socket's name; dark pools and staked coins are none."""
        names: dict[str, Pair] = {}
        for key, listed in _result(content, _Answer[_Listed]).items():
            if (pair := _pair(listed)) is not None:
                for name in (key, listed.altname, listed.wsname, _renamed(listed.wsname, _OLD)):
                    if names.setdefault(name, pair) != pair:
                        raise _kraken.broken(f"[{shown(name)}] stands for {names[name]} and {pair}")
        if not names:
            raise _kraken.broken("the list holds no pair that trades")
        return names

    def asked(self) -> Sequence[Inquiry]:
        """Ask for all tickers at once."""
        return (Inquiry(url=_REST + "Ticker", media=("application/json",)),)

    def ticks(self, content: bytes, about: str, names: Names) -> Iterator[Tick]:
        """Read all tickers; pairs that are not in the list, or lack a side, give none."""
        _ = about
        none = True
        for key, ticker in _result(content, _Answer[_Ticker]).items():
            if (pair := names.get(key)) is not None:
                bid, ask = _side(ticker.b[0], pair), _side(ticker.a[0], pair)
                if bid and ask:
                    none = False
                    yield Tick("kraken", pair, bid, ask)
        if none:
            raise _kraken.broken("the tickers quote no listed pair")

    def sockets(self, names: Names) -> Iterator[Socket]:
        """Give one connection; heartbeats come every second where nothing else does."""
        symbols = [name for name in names if "/" in name and not _OLD.keys() & set(name.split("/"))]
        hello = tuple(_subscription(symbols[at : at + _BATCH]) for at in range(0, len(symbols), _BATCH))
        yield Socket(url="wss://ws.kraken.com/v2", hello=hello, silence=timedelta(seconds=30))

    def hear(self, frame: str | bytes, names: Names) -> Heard:
        """Read one frame of the second version."""
        try:
            quotes = _frame.decode(frame).data
        except msgspec.ValidationError as error:
            return _hear_other(frame, error)
        except (ValueError, RecursionError) as error:
            raise _kraken.broken(f"a frame cannot be read: {error}") from error
        return Heard(tuple(tick for quote in quotes if (tick := _tick(quote, names)) is not None))


def _result(content: bytes, kind: type[_Answer[T]]) -> dict[str, T]:
    answer = _kraken.json(content, kind)
    if answer.error:
        raise _kraken.broken(f"it answers an error: {shown(', '.join(answer.error))}")
    return answer.result


def _pair(listed: _Listed) -> Pair | None:
    """Give the pair in everyone's codes, where it trades and both codes are plain."""
    if not listed.wsname or listed.status not in _TRADING:
        return None
    base, slash, quote = _renamed(listed.wsname, _COMMON).partition("/")
    if not slash:
        raise _kraken.broken(f"[{shown(listed.wsname)}] is no name of a pair")
    return Pair(base, quote) if _CODE.fullmatch(base) and _CODE.fullmatch(quote) else None


def _renamed(name: str, codes: Mapping[str, str]) -> str:
    return "/".join(codes.get(code, code) for code in name.split("/"))


def _side(text: str, pair: Pair) -> Decimal | None:
    return None if _NONE.fullmatch(text) else _kraken.number(text, pair)


def _subscription(symbols: list[str]) -> str:
    params = {"channel": "ticker", "symbol": symbols, "event_trigger": "bbo", "snapshot": True}
    return msgspec.json.encode({"method": "subscribe", "params": params}).decode()


def _tick(quote: _Quote, names: Names) -> Tick | None:
    pair = names.get(quote.symbol)
    if pair is None:
        return None
    bid, ask = (_kraken.positive(side, pair) if side else None for side in (quote.bid, quote.ask))
    if quote.timestamp is not None and quote.timestamp.tzinfo is not UTC:
        raise _kraken.broken(f"{pair} has no time of UTC: {quote.timestamp}")
    return Tick("kraken", pair, bid, ask, quote.timestamp) if bid and ask else None


def _hear_other(frame: str | bytes, error: Exception) -> Heard:
    try:
        other = _other.decode(frame)
    except (ValueError, RecursionError):
        raise _kraken.broken(f"a frame is not its own: {error}") from error
    if not other.success:
        return Heard(refused=shown(other.error or "it gives no reason"))
    if other.channel == "ticker" or not (other.channel or other.method):
        raise _kraken.broken(f"a frame is not its own: {error}") from error
    return NOTHING_HEARD


feed: Venue = KrakenFeed()
