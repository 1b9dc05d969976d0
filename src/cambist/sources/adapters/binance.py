"""Binance: best bid and ask of all spot pairs, from its hosts for public market data.

Address: `data-api.binance.vision` for the list of pairs and the tickers, `data-stream.binance.vision` for the
WebSocket, JSON.
Direction: quote currency per unit of the base coin.
Published: the WebSocket sends each change. Neither tickers nor frames have a time; `u` numbers the changes of a
pair's book.
Oddities: the list contains pairs that no longer trade (`status` BREAK) and leveraged tokens, named by their coin's
code and a suffix (BTCUP, ETHBEAR); both are left out. Halted pairs have sides of 0 in the tickers. A frame is wrapped
in its stream's name, the pair in small letters. A connection accepts 1,024 streams and five frames a second, and ends
after a day; `serverShutdown` announces an earlier end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct, field

from cambist.errors import shorten
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.sources.base import EMPTY_MESSAGE, PairNames, VenueAdapter, VenueMessage, VenueSocket
from cambist.sources.venue import ZERO, JsonVenue, VenueReader, are_codes, batches, encode, is_leveraged, venue_source

_REST = "https://data-api.binance.vision/api/v3/"
_BATCH = 200
_STREAMS = 1000
_SHUTDOWN = "serverShutdown"
_LEVERAGED = re.compile(r"(.{3,})(UP|DOWN|BULL|BEAR|[35][LS])", re.ASCII)
"""The coin's code has at least three letters: TUP and SUP are coins of their own, besides T and S."""

_reader = VenueReader("Binance", no_orders=ZERO)


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


_other = msgspec.json.Decoder(_Other)


class BinanceAdapter(JsonVenue[_Frame]):
    """Parses the list of pairs, the tickers and the combined streams."""

    source = venue_source(
        key="binance",
        name="Binance",
        home="https://www.binance.com/",
        terms="https://www.binance.com/en/terms",
        covers="best bid and ask of several hundred coins, most against stable coins",
    )

    reader = _reader
    list_url = _REST + "exchangeInfo?showPermissionSets=false"  # permissions would make most of the answer
    tickers_url = _REST + "ticker/bookTicker"
    frames = msgspec.json.Decoder(_Frame)

    def parse_pair_names(self, content: bytes) -> PairNames:
        """Parse the list of pairs; only those that trade are returned."""
        symbols = _reader.json(content, _Info).symbols
        coins = {symbol.base_asset for symbol in symbols}
        names: dict[str, Pair] = {}
        seen: set[str] = set()
        for symbol in symbols:
            base, quote = symbol.base_asset, symbol.quote_asset
            _reader.check_name(_reader.unique(seen, symbol.symbol), base, quote)
            trades = symbol.status == "TRADING" and symbol.is_spot_trading_allowed
            if trades and are_codes(base, quote) and not is_leveraged(base, _LEVERAGED, coins):
                names[symbol.symbol] = Pair(base, quote)
        return _reader.non_empty(names)

    def parse_tickers(self, content: bytes, names: PairNames) -> Iterator[Tick]:
        """Parse all tickers, which have no time."""
        seen: set[str] = set()
        for ticker in _reader.json(content, list[_Ticker]):
            pair = names.get(_reader.unique(seen, ticker.symbol))
            if pair is not None:
                yield from _tick(pair, ticker.bid_price, ticker.ask_price)

    def sockets(self, names: PairNames) -> Iterator[VenueSocket]:
        """Yield as many connections as the streams need."""
        streams = [f"{name.lower()}@bookTicker" for name in names]
        for own in batches(streams, _STREAMS):
            opening_frames = tuple(
                _subscription(batch, _BATCH * number + 1) for number, batch in enumerate(batches(own, _BATCH))
            )
            yield VenueSocket(url="wss://data-stream.binance.vision/stream", opening_frames=opening_frames)

    def parse_quotes(self, frame: _Frame, names: PairNames) -> Iterator[Tick]:
        """Parse the best bid and ask of a pair."""
        best = frame.data
        pair = names.get(best.symbol)
        if pair is not None:
            yield from _tick(pair, best.bid, best.ask, best.count)

    def parse_other(self, frame: str | bytes, _names: PairNames) -> VenueMessage | None:
        """Parse a frame that is not a quote: an error, a shutdown notice, or a reply."""
        other = _other.decode(frame)
        if other.error is not None:
            return VenueMessage(refused=shorten(other.error.msg))
        if _SHUTDOWN in {other.event, other.stream.removeprefix("!")}:
            return VenueMessage(reconnect=True)
        if other.stream.endswith("@bookTicker") or not (other.stream or other.event or other.id is not None):
            return None
        return EMPTY_MESSAGE


def _tick(pair: Pair, bid: str, ask: str, count: int = 0) -> Iterator[Tick]:
    best_bid, best_ask = _reader.side(bid, pair), _reader.side(ask, pair)
    _reader.sequence(pair, count)
    if best_bid and best_ask:
        yield Tick("binance", pair, best_bid, best_ask, None, count)


def _subscription(streams: Sequence[str], number: int) -> str:
    return encode({"method": "SUBSCRIBE", "params": streams, "id": number})


adapter: VenueAdapter = BinanceAdapter()
