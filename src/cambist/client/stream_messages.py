"""The messages of the price stream: what a client sends, and what the service sends. No I/O."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from enum import StrEnum
from typing import Annotated

import msgspec

from cambist.client.answers import Timestamp
from cambist.client.errors import ServiceError, error_of_status, printable

_MAX_TIMESTAMP_MS = 253_402_300_799_999
"""The last millisecond of the year 9999, the last that a datetime can hold."""


class Stream(StrEnum):
    """The streams: `fx` has every change, `fx1s` at most one price a second for each pair."""

    FX = "fx"
    FX1S = "fx1s"


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """Bid and ask of a pair, such as `EURUSD`, and the market's time.

    `fixed_on` is the day of the oldest daily fixing in the price; None if all of it is traded.
    """

    symbol: str
    bid: Decimal
    ask: Decimal
    as_of: Timestamp
    fixed_on: dt.date | None = None

    @property
    def mid(self) -> Decimal:
        """The middle of bid and ask."""
        return (self.bid + self.ask) / 2

    @property
    def spread(self) -> Decimal:
        """The difference between ask and bid."""
        return self.ask - self.bid


class Subscribed(msgspec.Struct, frozen=True):
    """The connection is open, and prices follow. `unknown` has the pairs that the service does not know."""

    unknown: tuple[str, ...] = ()


class Disconnected(msgspec.Struct, frozen=True):
    """The connection is lost. The client connects again, and the last prices may be old."""

    reason: str


Event = Price | Subscribed | Disconnected


class Frame(msgspec.Struct, frozen=True):
    """A frame of the service, with the fields that the client uses."""

    op: str
    status: int = 200
    msg: str = ""
    ignored: tuple[str, ...] = ()
    sym: str = ""
    bid: Decimal = Decimal("NaN")
    ask: Decimal = Decimal("NaN")
    tsp: Annotated[int, msgspec.Meta(ge=0, le=_MAX_TIMESTAMP_MS)] = 0
    fixed_on: dt.date | None = None

    @property
    def price(self) -> Price | None:
        """The price that the frame has; None if it has none."""
        if self.op != "price" or not (self.bid.is_finite() and self.ask.is_finite()):
            return None
        as_of = Timestamp.parse(self.tsp)
        return Price(symbol=printable(self.sym), bid=self.bid, ask=self.ask, as_of=as_of, fixed_on=self.fixed_on)


_DECODER = msgspec.json.Decoder(Frame)
_REFUSED_PARTS = {"auth": "the key", "subscribe": "the pairs"}


def parse_frame(text: str | bytes) -> Frame:
    """Parse a frame of the service. Errors: ValueError."""
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        raise ValueError("the server there does not send a price stream") from None


def auth_message(key: str) -> str:
    """Return the message that opens a session."""
    return msgspec.json.encode({"op": "auth", "key": key}).decode()


def subscribe_message(stream: str, pairs: Sequence[str]) -> str:
    """Return the message that subscribes to these pairs in place of those before."""
    return msgspec.json.encode({"op": "subscribe", "stream": stream, "pairs": pairs}).decode()


def stream_error(frame: Frame, request: str = "") -> ServiceError:
    """Return the error that a frame stands for, as the reply to a request or as the end of the stream."""
    verb = f"refuses {_REFUSED_PARTS[request]}" if request in _REFUSED_PARTS else "ends"
    return error_of_status(frame.status)(f"The stream {verb}: {printable(frame.msg)}", frame.status)
