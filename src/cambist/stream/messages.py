"""Messages: the requests that a client may send, and every frame that the server writes. Pure.

A frame of the server is built once with its WebSocket header, so that one value serves every client, and several frames
joined go out in one write.
"""

from __future__ import annotations

import struct
from enum import StrEnum

import msgspec

from cambist.errors import BadParameter

MAX_MESSAGE_BYTES = 256 * 1024
"""The longest message of a client: about twenty thousand pairs."""

PING_FRAME = b"\x89\x00"
_TEXT = 0x81
_SHORT, _MIDDLE = 126, 1 << 16
_ENCODER = msgspec.json.Encoder()


class Op(StrEnum):
    """All values of `op`; clients know no others."""

    CONNECT = "connect"
    AUTH = "auth"
    SUBSCRIBE = "subscribe"
    UNSUBSCRIBE = "unsubscribe"
    STATUS = "status"
    SHUTDOWN = "shutdown"
    PRICE = "price"
    ERROR = "error"


class StreamName(StrEnum):
    """The streams: of every change, and of at most one a second and pair."""

    FX = "fx"
    FX1S = "fx1s"


class StreamRequest(msgspec.Struct, frozen=True):
    """A message of a client. `pairs` is None where it names none; a list may also come as text with commas."""

    op: str
    key: str = ""
    stream: str = ""
    pairs: list[str] | str | None = None

    @property
    def names(self) -> list[str] | None:
        """The names of pairs, each once, in their order; None where `pairs` is missing."""
        if self.pairs is None:
            return None
        listed = self.pairs.split(",") if isinstance(self.pairs, str) else self.pairs
        return list(dict.fromkeys(stripped for name in listed if (stripped := name.strip())))


_DECODER = msgspec.json.Decoder(StreamRequest)


def parse_request(text: bytes) -> StreamRequest:
    """Parse a client's text frame. Errors: BadParameter saying what is wrong with it."""
    try:
        return _DECODER.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadParameter(f"A frame takes a JSON object with an [op]: {error}") from None


def status_frame(op: Op, status: int, now: float, msg: str, **more: object) -> bytes:
    """Return a frame that answers or announces; `now` is in seconds since 1970, `more` comes after the text."""
    return text_frame(_ENCODER.encode({"op": op, "status": status, "tsp": milliseconds(now), "msg": msg, **more}))


def price_frame(symbol: str, bid: str, ask: str, tsp: int, fixed_on: str = "") -> bytes:
    """Return a frame with a price: sides as decimal strings, `tsp` its market time in milliseconds since 1970.

    `fixed_on` is the day of the oldest daily fixing in it, empty where all of it is traded.
    """
    fixing = f',"fixed_on":"{fixed_on}"' if fixed_on else ""
    return text_frame(f'{{"op":"price","sym":"{symbol}","bid":"{bid}","ask":"{ask}","tsp":{tsp}{fixing}}}'.encode())


def milliseconds(seconds: float) -> int:
    """Return a moment in whole milliseconds since 1970."""
    return int(seconds * 1000)


def text_frame(payload: bytes) -> bytes:
    """Return a payload with the header of an unmasked, whole text frame before it."""
    size = len(payload)
    if size < _SHORT:
        return bytes((_TEXT, size)) + payload
    if size < _MIDDLE:
        return struct.pack("!BBH", _TEXT, 126, size) + payload
    return struct.pack("!BBQ", _TEXT, 127, size) + payload
