"""The checksum of a fixing's row: what tells a row that was damaged from one that was filed.

It is the CRC-32 of all that the row says, begun with what its series is of: a pair that turns into another betrays
itself too. A CRC finds every single flipped bit, and all but one in four billion of other damage.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import NamedTuple
from zlib import crc32

CONTENT = (
    "CAST(printf('%s|%s|%s|%s|%s', fixings.day, fixings.receipt_id, fixings.nominal, fixings.value,"
    " fixings.published_at) AS BLOB)"
)
"""Has the database write a row as `content` does; as bytes, for damaged text may be none."""

_MOMENT = "%Y-%m-%d %H:%M:%S.%f"


class Row(NamedTuple):
    """What a row of `fixings` says within its series."""

    day: date
    receipt_id: int
    nominal: int
    value: Decimal
    published_at: datetime | None


def seed(source: str, base: str, quote: str, unit: str) -> int:
    """Give what the checksums of a series' rows begin with."""
    return crc32(f"{source}|{base}|{quote}|{unit}".encode())


def content(day: str, receipt_id: int, nominal: int, value: str, published_at: str | None) -> bytes:
    """Write a row as its checksum covers it."""
    return f"{day}|{receipt_id}|{nominal}|{value}|{published_at or ''}".encode()


def is_intact(content: bytes, checksum: object, begun: int) -> bool:
    """Say whether a row is what was filed; `begun` is its series' seed."""
    return crc32(content, begun) == checksum


def read_row(content: bytes) -> Row:
    """Read a row that is intact."""
    day, receipt_id, nominal, value, published_at = content.decode().split("|")
    moment = datetime.strptime(published_at, _MOMENT).replace(tzinfo=UTC) if published_at else None
    return Row(date.fromisoformat(day), int(receipt_id), int(nominal), Decimal(value), moment)


def written(moment: datetime | None) -> str | None:
    """Write a moment as SQLite's tables hold it: UTC without an offset."""
    return None if moment is None else moment.astimezone(UTC).strftime(_MOMENT)
