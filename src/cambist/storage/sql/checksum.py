"""The checksum of a fixing's row: what tells a row that was damaged from one that was filed.

It is the CRC-32 of all that the row says, begun with what its series is of: a pair that turns into another betrays
itself too. A CRC finds every single flipped bit, and all but one in four billion of other damage.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import NamedTuple
from zlib import crc32

_MOMENT = "%Y-%m-%d %H:%M:%S.%f"


class Row(NamedTuple):
    """What a row of `fixings` says within its series."""

    day: date
    receipt_id: int
    nominal: int
    value: Decimal
    published_at: datetime | None


CONTENT = (
    f"CAST(printf('{'|'.join(['%s'] * len(Row._fields))}', {', '.join(f'fixings.{name}' for name in Row._fields)})"
    " AS BLOB)"
)
"""Has the database write a row as `content` does; as bytes, for damaged text may be none."""


def seed(source: str, base: str, quote: str, unit: str) -> int:
    """Give what the checksums of a series' rows begin with."""
    return crc32(f"{source}|{base}|{quote}|{unit}".encode())


def stored_row(row: Row) -> tuple[str | int | None, ...]:
    """Return the values of a row as SQLite's table holds them: moments are UTC without an offset."""
    published_at = row.published_at.astimezone(UTC).strftime(_MOMENT) if row.published_at else None
    return row.day.isoformat(), row.receipt_id, row.nominal, str(row.value), published_at


def content(row: Row) -> bytes:
    """Return a row as its checksum covers it."""
    return "|".join("" if value is None else str(value) for value in stored_row(row)).encode()


def is_intact(content: bytes, checksum: object, begun: int) -> bool:
    """Say whether a row is what was filed; `begun` is its series' seed."""
    return crc32(content, begun) == checksum


def read_row(content: bytes) -> Row:
    """Read a row that is intact."""
    day, receipt_id, nominal, value, published_at = content.decode().split("|")
    moment = datetime.strptime(published_at, _MOMENT).replace(tzinfo=UTC) if published_at else None
    return Row(date.fromisoformat(day), int(receipt_id), int(nominal), Decimal(value), moment)
