"""OKX: best bid and ask of all spot pairs.

Address: `www.okx.com/api/v5` for the list of pairs and the tickers, `ws.okx.com:8443` for the WebSocket, JSON.
Direction: quote currency per unit of the base coin.
Published: the channel `bbo-tbt` sends the best level at each change; `seqId` numbers them. Frames of `tickers` are
parsed as well. A ticker's time is `ts`, milliseconds as text.
Oddities: each answer is in an envelope whose `code` is "0" if all is well, whatever the HTTP status. Only pairs with
the state `live` trade. A side without orders is empty. The server disconnects clients that send neither a frame nor
the text `ping` for 30 seconds; its reply `pong` is not JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Generic, Literal, TypeVar

import msgspec
from msgspec import Struct

from cambist.errors import shorten
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.pricing.unix_time import EPOCH
from cambist.sources.base import EMPTY_MESSAGE, PairNames, VenueAdapter, VenueMessage, VenueSocket
from cambist.sources.venue import (
    ZERO_OR_EMPTY,
    JsonVenue,
    VenueReader,
    are_codes,
    batches,
    encode,
    is_leveraged,
    venue_source,
)

T = TypeVar("T")

_REST = "https://www.okx.com/api/v5/"
_BATCH = 100
_LEVERAGED = re.compile(r"(.+)[35][LS]", re.ASCII)
_CHANNELS = {"bbo-tbt", "tickers"}

_reader = VenueReader("OKX", no_orders=ZERO_OR_EMPTY)


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


_tickers_frame = msgspec.json.Decoder(_TickersFrame)
_other = msgspec.json.Decoder(_Other)


class OkxAdapter(JsonVenue[_Frame]):
    """Parses the list of pairs, the tickers and the public WebSocket."""

    source = venue_source(
        key="okx",
        name="OKX",
        home="https://www.okx.com/",
        terms="https://www.okx.com/help/terms-of-service",
        covers="best bid and ask of several hundred coins, most against stable coins",
    )

    reader = _reader
    list_url = _REST + "public/instruments?instType=SPOT"
    tickers_url = _REST + "market/tickers?instType=SPOT"
    frames = msgspec.json.Decoder(_Frame)

    def parse_pair_names(self, content: bytes) -> PairNames:
        """Parse the list of pairs; only those that trade are returned."""
        instruments = _data(content, _Answer[_Instrument])
        coins = {instrument.base_ccy for instrument in instruments}
        names: dict[str, Pair] = {}
        seen: set[str] = set()
        for instrument in instruments:
            name = _reader.unique(seen, instrument.inst_id)
            base, quote = instrument.base_ccy, instrument.quote_ccy
            _reader.check_name(name, base, quote, "-")
            if instrument.state == "live" and are_codes(base, quote) and not is_leveraged(base, _LEVERAGED, coins):
                names[name] = Pair(base, quote)
        return _reader.non_empty(names)

    def parse_tickers(self, content: bytes, names: PairNames) -> Iterator[Tick]:
        """Parse all tickers."""
        seen: set[str] = set()
        for ticker in _data(content, _Answer[_Ticker]):
            _reader.unique(seen, ticker.inst_id)
            yield from _parse_ticker(ticker, names)

    def sockets(self, names: PairNames) -> Iterator[VenueSocket]:
        """Yield one connection, which is kept alive by a text."""
        opening_frames = tuple(_subscription(batch) for batch in batches(list(names), _BATCH))
        yield VenueSocket(url="wss://ws.okx.com:8443/ws/v5/public", opening_frames=opening_frames, ping="ping")

    def parse_message(self, frame: str | bytes, names: PairNames) -> VenueMessage:
        """Parse one frame; the reply to a ping is not JSON."""
        return EMPTY_MESSAGE if frame in {"pong", b"pong"} else super().parse_message(frame, names)

    def parse_quotes(self, frame: _Frame, names: PairNames) -> Iterator[Tick]:
        """Parse the best levels of a pair."""
        pair = names.get(frame.arg.inst_id)
        if pair is None:
            return
        for best in frame.data:
            bid, ask, moment = (
                _reader.best_price(best.bids, pair),
                _reader.best_price(best.asks, pair),
                _moment(best.ts, pair),
            )
            _reader.sequence(pair, best.seq_id)
            if bid and ask:
                yield Tick("okx", pair, bid, ask, moment, best.seq_id)

    def parse_other(self, frame: str | bytes, names: PairNames) -> VenueMessage | None:
        """Parse a frame that is not a best level: tickers, an error, a notice, or a reply."""
        other = _other.decode(frame)
        if other.arg is not None and other.arg.channel == "tickers" and not other.event:
            tickers = _tickers_frame.decode(frame).data
            return VenueMessage(tuple(tick for ticker in tickers for tick in _parse_ticker(ticker, names)))
        if other.event == "error":
            return VenueMessage(refused=shorten(other.msg or "it gives no reason"))
        if other.event == "notice":  # of an upgrade that will end the connection
            return VenueMessage(reconnect=True)
        if not other.event and (other.arg is None or other.arg.channel in _CHANNELS | {""}):
            return None
        return EMPTY_MESSAGE


def _data(content: bytes, kind: type[_Answer[T]]) -> list[T]:
    answer = _reader.json(content, kind)
    if answer.code != "0":
        raise _reader.broken(f"it answers an error: {shorten(f'{answer.code} {answer.msg}')}")
    return answer.data


def _parse_ticker(ticker: _Ticker, names: PairNames) -> Iterator[Tick]:
    pair = names.get(ticker.inst_id)
    if pair is not None:
        bid, ask, moment = (
            _reader.side(ticker.bid_px, pair),
            _reader.side(ticker.ask_px, pair),
            _moment(ticker.ts, pair),
        )
        if bid and ask:
            yield Tick("okx", pair, bid, ask, moment)


def _moment(text: str, pair: Pair) -> datetime:
    return EPOCH + timedelta(milliseconds=_reader.unix_digits(text, 13, pair))


def _subscription(pairs: Sequence[str]) -> str:
    return encode({"op": "subscribe", "args": [{"channel": "bbo-tbt", "instId": pair} for pair in pairs]})


adapter: VenueAdapter = OkxAdapter()
