"""Messages: what a client may say, and every frame that the server writes, to the letter. Pure.

A server frame is made once with its WebSocket header, so that one value serves all who get it, and several frames
joined go out in one write.
"""

from __future__ import annotations

import struct
from enum import StrEnum

import msgspec

from cambist.errors import BadParameter

LONGEST = 256 * 1024
"""What a client's message may take, in bytes: twenty thousand pairs."""

PING = b"\x89\x00"
_TEXT = 0x81
_SHORT, _MIDDLE = 126, 1 << 16
_ENCODER = msgspec.json.Encoder()


class Op(StrEnum):
    """All that an `op` may be; clients know no others."""

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


class Asked(msgspec.Struct, frozen=True):
    """What a client says. `pairs` is None where it names none; a list may also come as text with commas."""

    op: str
    key: str = ""
    stream: str = ""
    pairs: list[str] | str | None = None

    @property
    def names(self) -> list[str] | None:
        """The names of pairs, each once, in their order; None where none were given."""
        if self.pairs is None:
            return None
        listed = self.pairs.split(",") if isinstance(self.pairs, str) else self.pairs
        return list(dict.fromkeys(stripped for name in listed if (stripped := name.strip())))


_ASKED = msgspec.json.Decoder(Asked)


def read(text: bytes) -> Asked:
    """Read a client's text frame. Errors: BadParameter saying what is wrong with it."""
    try:
        return _ASKED.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadParameter(f"A frame takes a JSON object with an [op]: {error}") from None


def answer(op: Op, status: int, now: float, msg: str, **more: object) -> bytes:
    """Write a frame that answers or announces; `now` is in seconds since 1970, `more` comes after the text."""
    return framed(_ENCODER.encode({"op": op, "status": status, "tsp": milliseconds(now), "msg": msg, **more}))


def price(symbol: str, bid: str, ask: str, tsp: int, fixed_on: str = "") -> bytes:
    """Return a frame with a price: sides as decimal strings, `tsp` its market time in milliseconds since 1970.

    `fixed_on` is the day of the oldest daily fixing in it, empty where all of it is traded.
    """
    fixing = f',"fixed_on":"{fixed_on}"' if fixed_on else ""
    return framed(f'{{"op":"price","sym":"{symbol}","bid":"{bid}","ask":"{ask}","tsp":{tsp}{fixing}}}'.encode())


def subscribed(count: int) -> str:
    """Say to how many streams a connection is subscribed."""
    return f"Subscribed to {count} stream{'' if count == 1 else 's'}"


def milliseconds(seconds: float) -> int:
    """Give a moment in whole milliseconds since 1970."""
    return int(seconds * 1000)


def framed(payload: bytes) -> bytes:
    """Put the header of an unmasked, whole text frame before a payload."""
    size = len(payload)
    if size < _SHORT:
        return bytes((_TEXT, size)) + payload
    if size < _MIDDLE:
        return struct.pack("!BBH", _TEXT, 126, size) + payload
    return struct.pack("!BBQ", _TEXT, 127, size) + payload
