"""Coinbase Exchange's best bids and asks of all its products, over the socket alone.

JSON; the documented requests give one product's quote each, none gives all, so nothing is asked again and again. The
`ticker` channel sends a product's quote at once and then at each of its trades: `time` is the last trade's, and a thin
product's quote is as old as that. `sequence` counts a product's messages. A side without orders is 0 or empty. CGLD
is the coin that the others call CELO; there are codes of one to a dozen letters and digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
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

_BATCH = 100
_NONE = re.compile(r"(0(\.0+)?)?", re.ASCII)
_CODE = re.compile(r"[A-Z0-9]{1,20}", re.ASCII)
_COMMON = {"CGLD": "CELO"}

_coinbase = Reading("Coinbase")


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


_ticker = msgspec.json.Decoder(_Ticker)
_other = msgspec.json.Decoder(_Other)


class CoinbaseFeed(Venue):
    """Reads the list of products and the ticker channel."""

    source = Source(
        key="coinbase",
        name="Coinbase Exchange",
        home="https://exchange.coinbase.com/",
        terms="https://www.coinbase.com/legal/market_data",
        licence="public market data; check the terms before passing it on",
        redistribution=Redistribution.UNCLEAR,
        pace=Pace.REALTIME,
        covers="best bid and ask of some hundred coins, most against the dollar",
        zone=ZoneInfo("UTC"),
        first_day=date.max,  # it tells of now alone
        schedule=Schedule(every=timedelta(minutes=1), days=EVERY_DAY),
        rate_type=RateType.MARKET,
    )

    def list_inquiry(self) -> Inquiry:
        """Ask for all products."""
        return Inquiry(url="https://api.exchange.coinbase.com/products", media=("application/json",))

    def names(self, content: bytes) -> Names:
        """Read the products that trade."""
        names: dict[str, Pair] = {}
        seen: set[str] = set()
        for product in _coinbase.json(content, list[_Product]):
            _coinbase.once(seen, product.id)
            base, quote = product.base_currency, product.quote_currency
            if product.id != f"{base}-{quote}":
                raise _coinbase.broken(f"[{shown(product.id)}] is not of [{shown(base)}] and [{shown(quote)}]")
            if product.trades and _CODE.fullmatch(base) and _CODE.fullmatch(quote):
                names[product.id] = Pair(_COMMON.get(base, base), _COMMON.get(quote, quote))
        if not names:
            raise _coinbase.broken("the list holds no product that trades")
        return names

    def asked(self) -> Sequence[Inquiry]:
        """Ask for nothing: no request gives all quotes."""
        return ()

    def ticks(self, content: bytes, about: str, names: Names) -> Iterator[Tick]:
        """Refuse whatever comes, as nothing was asked."""
        _ = content, about, names
        raise _coinbase.broken("an answer came, but it is heard over its socket alone")

    def sockets(self, names: Names) -> Iterator[Socket]:
        """Give one connection; each frame of its hello adds to what is subscribed."""
        products = list(names)
        hello = tuple(_subscription(products[at : at + _BATCH]) for at in range(0, len(products), _BATCH))
        yield Socket(url="wss://ws-feed.exchange.coinbase.com", hello=hello)

    def hear(self, frame: str | bytes, names: Names) -> Heard:
        """Read one frame."""
        try:
            ticker = _ticker.decode(frame)
        except msgspec.ValidationError as error:
            return _hear_other(frame, error)
        except (ValueError, RecursionError) as error:
            raise _coinbase.broken(f"a frame cannot be read: {error}") from error
        pair = names.get(ticker.product_id)
        if pair is None:
            return NOTHING_HEARD
        bid, ask = _side(ticker.best_bid, pair), _side(ticker.best_ask, pair)
        if ticker.sequence < 0 or (ticker.time is not None and ticker.time.tzinfo is not UTC):
            raise _coinbase.broken(f"{pair} has no count or no time of UTC: {ticker.sequence}, {ticker.time}")
        return (
            Heard((Tick("coinbase", pair, bid, ask, ticker.time, ticker.sequence),)) if bid and ask else NOTHING_HEARD
        )


def _side(text: str, pair: Pair) -> Decimal | None:
    return None if _NONE.fullmatch(text) else _coinbase.number(text, pair)


def _subscription(products: list[str]) -> str:
    frame = {"type": "subscribe", "product_ids": products, "channels": ["ticker"]}
    return msgspec.json.encode(frame).decode()


def _hear_other(frame: str | bytes, error: Exception) -> Heard:
    try:
        other = _other.decode(frame)
    except (ValueError, RecursionError):
        raise _coinbase.broken(f"a frame is not its own: {error}") from error
    if other.type == "error":
        words = ": ".join(part for part in (other.message, other.reason) if part)
        return Heard(refused=shown(words or "it gives no reason"))
    if other.type in {"ticker", ""}:
        raise _coinbase.broken(f"a frame is not its own: {error}") from error
    return NOTHING_HEARD


feed: Venue = CoinbaseFeed()
