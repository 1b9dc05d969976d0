"""A stream that listens on loopback, and the bytes of clients that use no library."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from cambist.accounts.api_key import Digest
from cambist.accounts.meter import Meter
from cambist.accounts.plan import default_plans, read_plans
from cambist.accounts.principal import Principals, StoredKey
from cambist.history.corrections import no_feed
from cambist.stream.admission import StreamAdmission
from cambist.stream.billing import Billing
from cambist.stream.broadcaster import Broadcaster
from cambist.stream.context import StreamContext
from cambist.stream.corrections import CORRECTIONS, Corrections
from cambist.stream.prices import Prices

HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
CONTINUED, TEXT, PING = 0, 1, 9
_MASK = b"\0\0\0\0"


def context(ledger: Any, keys: Mapping[Digest, StoredKey] | None = None) -> StreamContext:
    """Return what the connections share, with these keys and without a book."""
    billing = Billing(Meter(ledger, {}))
    admission = StreamAdmission(Principals(dict(keys or {}), read_plans(default_plans(), "plans.toml")), billing)
    prices = Prices({}, lambda: datetime.now(UTC))
    corrections = Corrections(no_feed, lambda: datetime.now(UTC).date())
    return StreamContext(admission, billing, prices, Broadcaster(prices), {CORRECTIONS: corrections})


def frame(payload: bytes, kind: int = TEXT, *, is_last: bool = True) -> bytes:
    """Return a frame of a client (RFC 6455, 5.2)."""
    return beginning(len(payload), kind, is_last=is_last) + payload


def beginning(size: int, kind: int = TEXT, *, is_last: bool = True) -> bytes:
    """Return the header of a frame of a client that declares a size in bytes."""
    first = kind | (0x80 if is_last else 0)
    if size <= 125:
        return bytes((first, 0x80 | size)) + _MASK
    if size < 1 << 16:
        return struct.pack("!BBH", first, 0xFE, size) + _MASK
    return struct.pack("!BBQ", first, 0xFF, size) + _MASK
