"""Messages: parse the requests of clients, and build the frames of the server. Pure.

Frames include their WebSocket header, so that the same bytes can be sent to all clients, and several in one write.
"""

from __future__ import annotations

import struct
from enum import StrEnum

import msgspec

from cambist.errors import BadParameter

MAX_MESSAGE_BYTES = 256 * 1024
"""The longest message of a client: about twenty thousand pairs."""

MAX_MESSAGE_BYTES_BEFORE_AUTH = 4 * 1024
"""The longest message of a client that has not authenticated: a key takes far less."""

PING_FRAME = b"\x89\x00"
_TEXT = 0x81
_MAX_SHORT, _MAX_MEDIUM = 125, (1 << 16) - 1
_ENCODER = msgspec.json.Encoder()


class Op(StrEnum):
    """All values of `op`."""

    CONNECT = "connect"
    AUTH = "auth"
    SUBSCRIBE = "subscribe"
    UNSUBSCRIBE = "unsubscribe"
    STATUS = "status"
    SHUTDOWN = "shutdown"
    PRICE = "price"
    CORRECTION = "correction"
    ALERT = "alert"
    ERROR = "error"


class StreamName(StrEnum):
    """The streams: `fx` has every change, `fx1s` at most one price a second for each pair."""

    FX = "fx"
    FX1S = "fx1s"


class StreamRequest(msgspec.Struct, frozen=True):
    """A message of a client. `pairs` is a list, a string with commas, or None if it is missing.

    `since` is the number of the last alert that the client had.
    """

    op: str
    key: str = ""
    stream: str = ""
    pairs: list[str] | str | None = None
    since: int | None = None

    @property
    def names(self) -> list[str] | None:
        """The names in `pairs`, without duplicates, in their order; None if `pairs` is missing."""
        if self.pairs is None:
            return None
        listed = self.pairs.split(",") if isinstance(self.pairs, str) else self.pairs
        return list(dict.fromkeys(stripped for name in listed if (stripped := name.strip())))


_DECODER = msgspec.json.Decoder(StreamRequest)


def parse_request(text: bytes) -> StreamRequest:
    """Parse a client's text frame. Errors: BadParameter."""
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise BadParameter(f"A frame takes a JSON object with an [op]: {error}") from None


def status_frame(op: Op, status: int, now: float, msg: str, **more: object) -> bytes:
    """Return a reply or an announcement. `now` is in seconds since 1970; `more` are additional fields."""
    return text_frame(_ENCODER.encode({"op": op, "status": status, "tsp": milliseconds(now), "msg": msg, **more}))


def price_frame(symbol: str, bid: str, ask: str, tsp: int, fixed_on: str = "") -> bytes:
    """Return a frame with a price. `tsp` is its market time in milliseconds since 1970.

    `fixed_on` is the day of the oldest daily fixing that the price uses; empty if it uses none.
    """
    fixing = f',"fixed_on":"{fixed_on}"' if fixed_on else ""
    return text_frame(f'{{"op":"price","sym":"{symbol}","bid":"{bid}","ask":"{ask}","tsp":{tsp}{fixing}}}'.encode())


def milliseconds(seconds: float) -> int:
    """Return a Unix time in whole milliseconds, rounded down."""
    return int(seconds * 1000)


def text_frame(payload: bytes) -> bytes:
    """Return a payload as an unmasked, unfragmented text frame (RFC 6455, 5.2)."""
    size = len(payload)
    if size <= _MAX_SHORT:
        return bytes((_TEXT, size)) + payload
    if size <= _MAX_MEDIUM:
        return struct.pack("!BBH", _TEXT, 126, size) + payload
    return struct.pack("!BBQ", _TEXT, 127, size) + payload
