"""Bitstamp: best bid and ask of coins, mostly against dollar, euro and pound, and of a few currency pairs.

Address: `www.bitstamp.net/api/v2` for the list of pairs and the tickers, `ws.bitstamp.net` for the WebSocket, JSON.
Direction: quote currency per unit of the base coin.
Published: the channel `order_book_btcusd` sends the best hundred levels of both sides, best first. Its time in
microseconds also orders the frames.
Oddities: the list names a pair `BTC/USD` and `btcusd`; tickers use the first name, channels the second. Frames of
`diff_order_book_…` look the same, but contain changes. Each channel needs a subscription frame of its own. Before
maintenance the server asks clients to reconnect. A side without orders is 0 or an empty list. Tickers of derivatives
(`BTC/USD-PERP`) are not in the list.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import msgspec
from msgspec import Struct

from cambist.errors import shorten
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.pricing.unix_time import EPOCH
from cambist.sources.base import EMPTY_MESSAGE, PairNames, VenueAdapter, VenueMessage, VenueSocket
from cambist.sources.venue import ZERO, JsonVenue, VenueReader, are_codes, encode, venue_source

_REST = "https://www.bitstamp.net/api/v2/"
_CHANNEL = "order_book_"

_reader = VenueReader("Bitstamp", no_orders=ZERO)


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


_other = msgspec.json.Decoder(_Other)
_error = msgspec.json.Decoder(_Error)


class BitstampAdapter(JsonVenue[_Frame]):
    """Parses the list of pairs, the tickers and the order books."""

    source = venue_source(
        key="bitstamp",
        name="Bitstamp",
        home="https://www.bitstamp.net/",
        terms="https://www.bitstamp.net/terms-of-use/",
        covers="best bid and ask of some eighty coins against dollar, euro and pound, and of EUR/USD and GBP/USD",
    )

    reader = _reader
    list_url = _REST + "trading-pairs-info/"
    tickers_url = _REST + "ticker/"
    frames = msgspec.json.Decoder(_Frame)

    def parse_pair_names(self, content: bytes) -> PairNames:
        """Parse the list of pairs; those that trade are returned under both names."""
        names: dict[str, Pair] = {}
        seen: set[str] = set()
        for listed in _reader.json(content, list[_Listed]):
            base, slash, quote = _reader.unique(seen, listed.name).partition("/")
            if not slash or not listed.url_symbol or "/" in _reader.unique(seen, listed.url_symbol):
                raise _reader.broken(f"[{shorten(listed.name)}] or [{shorten(listed.url_symbol)}] is no name of a pair")
            if listed.trading == "Enabled" and are_codes(base, quote):
                names[listed.name] = names[listed.url_symbol] = Pair(base, quote)
        return _reader.non_empty(names)

    def parse_tickers(self, content: bytes, names: PairNames) -> Iterator[Tick]:
        """Parse all tickers, whose times are in seconds."""
        seen: set[str] = set()
        for ticker in _reader.json(content, list[_Ticker]):
            pair = names.get(_reader.unique(seen, ticker.pair))
            if pair is not None:
                bid, ask = _reader.side(ticker.bid, pair), _reader.side(ticker.ask, pair)
                seconds = _reader.unix_digits(ticker.timestamp, 10, pair)
                if bid and ask:
                    yield Tick("bitstamp", pair, bid, ask, EPOCH + timedelta(seconds=seconds))

    def sockets(self, names: PairNames) -> Iterator[VenueSocket]:
        """Return one connection."""
        opening_frames = tuple(_subscription(name) for name in names if "/" not in name)
        yield VenueSocket(url="wss://ws.bitstamp.net", opening_frames=opening_frames, pause=timedelta(milliseconds=50))

    def parse_quotes(self, frame: _Frame, names: PairNames) -> Iterator[Tick]:
        """Parse an order book, whose time is in microseconds."""
        pair = names.get(frame.channel[len(_CHANNEL) :]) if frame.channel.startswith(_CHANNEL) else None
        if pair is not None:
            bid, ask = _reader.best_price(frame.data.bids, pair), _reader.best_price(frame.data.asks, pair)
            count = _reader.unix_digits(frame.data.microtimestamp, 16, pair)
            if bid and ask:
                yield Tick("bitstamp", pair, bid, ask, EPOCH + timedelta(microseconds=count), count)

    def parse_other(self, frame: str | bytes, _names: PairNames) -> VenueMessage | None:
        """Parse a frame that is not an order book: an error, a request to reconnect, or a reply."""
        other = _other.decode(frame)
        if other.event == "bts:error":
            return VenueMessage(refused=shorten(_error.decode(frame).data.message))
        if other.event == "bts:request_reconnect":
            return VenueMessage(reconnect=True)
        if not other.event or (other.event == "data" and other.channel.startswith(_CHANNEL)):
            return None
        return EMPTY_MESSAGE


def _subscription(name: str) -> str:
    return encode({"event": "bts:subscribe", "data": {"channel": _CHANNEL + name}})


adapter: VenueAdapter = BitstampAdapter()
