"""OKX's best bids and asks of all spot pairs.

JSON, each answer in an envelope whose `code` is "0" where all is well, whatever the status. Of the list only what is
`live` trades. Tickers carry the time of each (`ts`, milliseconds as text); a side without orders is empty. The socket
is spoken to over `bbo-tbt` (the best level at each change, `seqId` counts them); frames of `tickers` are understood
too. Without a frame or the text `ping` for 30 seconds it hangs up; it answers `pong`, which is no JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Generic, Literal, TypeVar
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

T = TypeVar("T")

_REST = "https://www.okx.com/api/v5/"
_BATCH = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECONDS = re.compile(r"[0-9]{13}", re.ASCII)
_NONE = re.compile(r"(0(\.0+)?)?", re.ASCII)
_CODE = re.compile(r"[A-Z0-9]{1,20}", re.ASCII)
_LEVERAGED = re.compile(r"(.+)[35][LS]", re.ASCII)
_CHANNELS = {"bbo-tbt", "tickers"}

_okx = Reading("OKX")


class _Instrument(Struct, rename="camel"):
    inst_id: str
    base_ccy: str
    quote_ccy: str
    state: str


class _Answer(Struct, Generic[T]):
    code: str
    msg: str = ""
    data: list[T] = []


class _Ticker(Struct, rename="camel"):
    inst_id: str
    bid_px: str
    ask_px: str
    ts: str


class _Arg(Struct, rename="camel"):
    channel: Literal["bbo-tbt"]
    inst_id: str


class _Best(Struct, rename="camel"):
    bids: list[list[str]]
    asks: list[list[str]]
    ts: str
    seq_id: int = 0


class _Frame(Struct):
    arg: _Arg
    data: list[_Best]


class _TickersArg(Struct):
    channel: Literal["tickers"]


class _TickersFrame(Struct):
    arg: _TickersArg
    data: list[_Ticker]


class _OtherArg(Struct):
    channel: str = ""


class _Other(Struct):
    event: str = ""
    msg: str = ""
    arg: _OtherArg | None = None


_frame = msgspec.json.Decoder(_Frame)
_tickers_frame = msgspec.json.Decoder(_TickersFrame)
_other = msgspec.json.Decoder(_Other)


class OkxFeed(Venue):
    """Reads list, tickers and the public socket."""

    source = Source(
        key="okx",
        name="OKX",
        home="https://www.okx.com/",
        terms="https://www.okx.com/help/terms-of-service",
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
        """Ask for all spot pairs."""
        return Inquiry(url=_REST + "public/instruments?instType=SPOT", media=("application/json",))

    def names(self, content: bytes) -> Names:
        """Read the pairs that trade."""
        instruments = _data(content, _Answer[_Instrument])
        coins = {instrument.base_ccy for instrument in instruments}
        names: dict[str, Pair] = {}
        seen: set[str] = set()
        for instrument in instruments:
            name = _okx.once(seen, instrument.inst_id)
            base, quote = instrument.base_ccy, instrument.quote_ccy
            if name != f"{base}-{quote}":
                raise _okx.broken(f"[{shown(name)}] is not of [{shown(base)}] and [{shown(quote)}]")
            if instrument.state == "live" and not _is_leveraged(base, coins) and _are_codes(base, quote):
                names[name] = Pair(base, quote)
        if not names:
            raise _okx.broken("the list holds no pair that trades")
        return names

    def asked(self) -> Sequence[Inquiry]:
        """Ask for all tickers at once."""
        return (Inquiry(url=_REST + "market/tickers?instType=SPOT", media=("application/json",)),)

    def ticks(self, content: bytes, about: str, names: Names) -> Iterator[Tick]:
        """Read all tickers; pairs that are not in the list, or lack a side, give none."""
        _ = about
        seen: set[str] = set()
        none = True
        for ticker in _data(content, _Answer[_Ticker]):
            _okx.once(seen, ticker.inst_id)
            for tick in _of_ticker(ticker, names):
                none = False
                yield tick
        if none:
            raise _okx.broken("the tickers quote no listed pair")

    def sockets(self, names: Names) -> Iterator[Socket]:
        """Give one connection, kept alive by its text."""
        pairs = list(names)
        hello = tuple(_subscription(pairs[at : at + _BATCH]) for at in range(0, len(pairs), _BATCH))
        yield Socket(url="wss://ws.okx.com:8443/ws/v5/public", hello=hello, ping="ping")

    def hear(self, frame: str | bytes, names: Names) -> Heard:
        """Read one frame."""
        if frame in {"pong", b"pong"}:
            return NOTHING_HEARD
        try:
            heard = _frame.decode(frame)
        except msgspec.ValidationError as error:
            return _hear_other(frame, names, error)
        except (ValueError, RecursionError) as error:
            raise _okx.broken(f"a frame cannot be read: {error}") from error
        pair = names.get(heard.arg.inst_id)
        return Heard(tuple(_of_best(heard.data, pair))) if pair is not None else NOTHING_HEARD


def _data(content: bytes, kind: type[_Answer[T]]) -> list[T]:
    answer = _okx.json(content, kind)
    if answer.code != "0":
        raise _okx.broken(f"it answers an error: {shown(f'{answer.code} {answer.msg}')}")
    return answer.data


def _is_leveraged(base: str, coins: set[str]) -> bool:
    match = _LEVERAGED.fullmatch(base)
    return match is not None and match[1] in coins


def _are_codes(base: str, quote: str) -> bool:
    return _CODE.fullmatch(base) is not None and _CODE.fullmatch(quote) is not None


def _of_ticker(ticker: _Ticker, names: Names) -> Iterator[Tick]:
    pair = names.get(ticker.inst_id)
    if pair is not None:
        bid, ask, moment = _side(ticker.bid_px, pair), _side(ticker.ask_px, pair), _moment(ticker.ts, pair)
        if bid and ask:
            yield Tick("okx", pair, bid, ask, moment)


def _of_best(data: list[_Best], pair: Pair) -> Iterator[Tick]:
    for best in data:
        bid, ask, moment = _top(best.bids, pair), _top(best.asks, pair), _moment(best.ts, pair)
        if best.seq_id < 0:
            raise _okx.broken(f"{pair} has no count: {best.seq_id}")
        if bid and ask:
            yield Tick("okx", pair, bid, ask, moment, best.seq_id)


def _top(levels: list[list[str]], pair: Pair) -> Decimal | None:
    if not levels:
        return None
    if not levels[0]:
        raise _okx.broken(f"{pair} has a level without a price")
    return _side(levels[0][0], pair)


def _side(text: str, pair: Pair) -> Decimal | None:
    return None if _NONE.fullmatch(text) else _okx.number(text, pair)


def _moment(text: str, pair: Pair) -> datetime:
    if not _MILLISECONDS.fullmatch(text):
        raise _okx.broken(f"{pair} has no time: [{shown(text)}]")
    return _EPOCH + timedelta(milliseconds=int(text))


def _subscription(pairs: list[str]) -> str:
    args = [{"channel": "bbo-tbt", "instId": pair} for pair in pairs]
    return msgspec.json.encode({"op": "subscribe", "args": args}).decode()


def _hear_other(frame: str | bytes, names: Names, error: Exception) -> Heard:
    try:
        other = _other.decode(frame)
        if other.arg is not None and other.arg.channel == "tickers" and not other.event:
            tickers = _tickers_frame.decode(frame).data
            return Heard(tuple(tick for ticker in tickers for tick in _of_ticker(ticker, names)))
    except (ValueError, RecursionError):
        raise _okx.broken(f"a frame is not its own: {error}") from error
    if other.event == "error":
        return Heard(refused=shown(other.msg or "it gives no reason"))
    if other.event == "notice":  # of an upgrade that will end the connection
        return Heard(reconnect=True)
    if not other.event and (other.arg is None or other.arg.channel in _CHANNELS | {""}):
        raise _okx.broken(f"a frame is not its own: {error}") from error
    return NOTHING_HEARD


feed: Venue = OkxFeed()
