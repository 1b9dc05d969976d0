"""Kraken: best bid and ask of some hundred coins against currencies and each other, and of a dozen currency pairs.

Address: `api.kraken.com/0/public` for the list of pairs and the tickers, `ws.kraken.com/v2` for the WebSocket, JSON.
Direction: quote currency per unit of the base coin.
Published: the WebSocket sends each change, with its time; tickers have no time.
Oddities: list and tickers use the exchange's old codes (key `XXBTZUSD`, `XBTUSD`, `XBT/USD`; XDG is the dogecoin).
The WebSocket uses the common codes (`BTC/USD`, `DOGE/USD`) and refuses the `XBT/USD` of the list. Some codes are
other coins than elsewhere. A side without orders is 0 in the tickers, 0 or null on the WebSocket. Errors have the
status 200 and a filled `error`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Generic, TypeVar

import msgspec
from msgspec import Meta, Struct

from cambist.errors import shorten
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.sources.base import EMPTY_MESSAGE, PairNames, VenueAdapter, VenueMessage, VenueSocket
from cambist.sources.venue import ZERO, JsonVenue, VenueReader, are_codes, batches, encode, venue_source

T = TypeVar("T")

_REST = "https://api.kraken.com/0/public/"
_BATCH = 200
_TRADING = {"online", "limit_only", "reduce_only"}
_OLD = {"XBT": "BTC", "XDG": "DOGE"}
"""Codes that version 2 of the WebSocket API writes differently."""
_COMMON = _OLD | {"LUNA": "LUNC", "LUNA2": "LUNA", "UST": "USTC", "REP": "REPV1", "REPV2": "REP"}
"""The codes that others use. After these coins were replaced, only Kraken kept the code for the old coin."""

_reader = VenueReader("Kraken", no_orders=ZERO)


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


_other = msgspec.json.Decoder(_Other)


class KrakenAdapter(JsonVenue[_Frame]):
    """Parses the list of pairs, the tickers and version 2 of the WebSocket API."""

    source = venue_source(
        key="kraken",
        name="Kraken",
        home="https://www.kraken.com/",
        terms="https://www.kraken.com/legal",
        covers="best bid and ask of some hundred coins, and of a dozen pairs of currencies",
    )

    reader = _reader
    list_url = _REST + "AssetPairs"
    tickers_url = _REST + "Ticker"
    frames = msgspec.json.Decoder(_Frame)

    def parse_pair_names(self, content: bytes) -> PairNames:
        """Parse the list of pairs without dark pools and staked coins, each under all its four names."""
        names: dict[str, Pair] = {}
        for key, listed in _result(content, _Answer[_Listed]).items():
            if (pair := _pair(listed)) is not None:
                for name in (key, listed.altname, listed.wsname, _renamed(listed.wsname, _OLD)):
                    if names.setdefault(name, pair) != pair:
                        raise _reader.broken(f"[{shorten(name)}] stands for {names[name]} and {pair}")
        return _reader.non_empty(names)

    def parse_tickers(self, content: bytes, names: PairNames) -> Iterator[Tick]:
        """Parse all tickers, which have no time."""
        for key, ticker in _result(content, _Answer[_Ticker]).items():
            if (pair := names.get(key)) is not None:
                bid, ask = _reader.side(ticker.b[0], pair), _reader.side(ticker.a[0], pair)
                if bid and ask:
                    yield Tick("kraken", pair, bid, ask)

    def sockets(self, names: PairNames) -> Iterator[VenueSocket]:
        """Yield one connection; heartbeats come every second if nothing else does."""
        symbols = [name for name in names if "/" in name and not _OLD.keys() & set(name.split("/"))]
        opening_frames = tuple(_subscription(batch) for batch in batches(symbols, _BATCH))
        yield VenueSocket(url="wss://ws.kraken.com/v2", opening_frames=opening_frames, silence=timedelta(seconds=30))

    def parse_quotes(self, frame: _Frame, names: PairNames) -> Iterator[Tick]:
        """Parse the quotes of version 2 of the WebSocket API."""
        for quote in frame.data:
            if (pair := names.get(quote.symbol)) is None:
                continue
            bid, ask = (_reader.json_number(side, pair) if side else None for side in (quote.bid, quote.ask))
            if quote.timestamp is not None and quote.timestamp.tzinfo is not UTC:
                raise _reader.broken(f"{pair} has no time of UTC: {quote.timestamp}")
            if bid and ask:
                yield Tick("kraken", pair, bid, ask, quote.timestamp)

    def parse_other(self, frame: str | bytes, _names: PairNames) -> VenueMessage | None:
        """Parse a frame that is not a ticker: an error, a heartbeat, or a reply."""
        other = _other.decode(frame)
        if not other.success:
            return VenueMessage(refused=shorten(other.error or "it gives no reason"))
        return None if other.channel == "ticker" or not (other.channel or other.method) else EMPTY_MESSAGE


def _result(content: bytes, kind: type[_Answer[T]]) -> dict[str, T]:
    answer = _reader.json(content, kind)
    if answer.error:
        raise _reader.broken(f"it answers an error: {shorten(', '.join(answer.error))}")
    return answer.result


def _pair(listed: _Listed) -> Pair | None:
    """Return the pair in common codes; None if it does not trade or a code is not plain."""
    if not listed.wsname or listed.status not in _TRADING:
        return None
    base, slash, quote = _renamed(listed.wsname, _COMMON).partition("/")
    if not slash:
        raise _reader.broken(f"[{shorten(listed.wsname)}] is no name of a pair")
    return Pair(base, quote) if are_codes(base, quote) else None


def _renamed(name: str, codes: Mapping[str, str]) -> str:
    return "/".join(codes.get(code, code) for code in name.split("/"))


def _subscription(symbols: Sequence[str]) -> str:
    params = {"channel": "ticker", "symbol": symbols, "event_trigger": "bbo", "snapshot": True}
    return encode({"method": "subscribe", "params": params})


adapter: VenueAdapter = KrakenAdapter()
