"""Coinbase Exchange: best bid and ask of all its products, over the WebSocket only.

Address: `api.exchange.coinbase.com/products` for the list, `ws-feed.exchange.coinbase.com` for the WebSocket, JSON.
Direction: quote currency per unit of the base coin.
Published: the channel `ticker` sends a quote on subscription and at each trade. `time` is that of the last trade; a
thin product's quote is as old as that. `sequence` numbers a product's messages.
Oddities: no documented request returns all quotes, so nothing is polled. A side without orders is 0 or empty. CGLD is
the coin that others call CELO. Codes have one to a dozen letters and digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import msgspec
from msgspec import Struct

from cambist.errors import shorten
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.sources.base import EMPTY_MESSAGE, PairNames, VenueAdapter, VenueMessage, VenueSocket
from cambist.sources.venue import ZERO_OR_EMPTY, JsonVenue, VenueReader, are_codes, batches, encode, venue_source

_BATCH = 100
_COMMON = {"CGLD": "CELO"}

_reader = VenueReader("Coinbase", no_orders=ZERO_OR_EMPTY)


class _Product(Struct):
    id: str
    base_currency: str
    quote_currency: str
    status: str
    trading_disabled: bool = False
    cancel_only: bool = False
    post_only: bool = False
    auction_mode: bool = False

    @property
    def trades(self) -> bool:
        halted = self.trading_disabled or self.cancel_only or self.post_only or self.auction_mode
        return self.status == "online" and not halted


class _Ticker(Struct, tag_field="type", tag="ticker"):
    product_id: str
    sequence: int
    best_bid: str
    best_ask: str
    time: datetime | None = None


class _Other(Struct):
    type: str
    message: str = ""
    reason: str = ""


_other = msgspec.json.Decoder(_Other)


class CoinbaseAdapter(JsonVenue[_Ticker]):
    """Parses the list of products and the ticker channel."""

    source = venue_source(
        key="coinbase",
        name="Coinbase Exchange",
        home="https://exchange.coinbase.com/",
        terms="https://www.coinbase.com/legal/market_data",
        covers="best bid and ask of some hundred coins, most against the dollar",
    )

    reader = _reader
    list_url = "https://api.exchange.coinbase.com/products"
    tickers_url = ""  # no request returns all quotes
    frames = msgspec.json.Decoder(_Ticker)

    def parse_pair_names(self, content: bytes) -> PairNames:
        """Parse the list of products; only those that trade are returned."""
        names: dict[str, Pair] = {}
        seen: set[str] = set()
        for product in _reader.json(content, list[_Product]):
            base, quote = product.base_currency, product.quote_currency
            _reader.check_name(_reader.unique(seen, product.id), base, quote, "-")
            if product.trades and are_codes(base, quote):
                names[product.id] = Pair(_COMMON.get(base, base), _COMMON.get(quote, quote))
        return _reader.non_empty(names, what="product")

    def parse_tickers(self, content: bytes, names: PairNames) -> Iterator[Tick]:
        """Raise SourceBroken: nothing was requested."""
        _ = content, names
        raise _reader.broken("an answer came, but it is heard over its socket alone")

    def sockets(self, names: PairNames) -> Iterator[VenueSocket]:
        """Yield one connection; each of its opening frames adds subscriptions."""
        opening_frames = tuple(_subscription(batch) for batch in batches(list(names), _BATCH))
        yield VenueSocket(url="wss://ws-feed.exchange.coinbase.com", opening_frames=opening_frames)

    def parse_quotes(self, frame: _Ticker, names: PairNames) -> Iterator[Tick]:
        """Parse the best bid and ask of a product."""
        pair = names.get(frame.product_id)
        if pair is None:
            return
        bid, ask = _reader.side(frame.best_bid, pair), _reader.side(frame.best_ask, pair)
        if frame.sequence < 0 or (frame.time is not None and frame.time.tzinfo is not UTC):
            raise _reader.broken(f"{pair} has no count or no time of UTC: {frame.sequence}, {frame.time}")
        if bid and ask:
            yield Tick("coinbase", pair, bid, ask, frame.time, frame.sequence)

    def parse_other(self, frame: str | bytes, _names: PairNames) -> VenueMessage | None:
        """Parse a frame that is not a ticker: an error or a reply."""
        other = _other.decode(frame)
        if other.type == "error":
            reason = ": ".join(part for part in (other.message, other.reason) if part)
            return VenueMessage(refused=shorten(reason or "it gives no reason"))
        return None if other.type in {"ticker", ""} else EMPTY_MESSAGE


def _subscription(products: Sequence[str]) -> str:
    return encode({"type": "subscribe", "product_ids": products, "channels": ["ticker"]})


adapter: VenueAdapter = CoinbaseAdapter()
