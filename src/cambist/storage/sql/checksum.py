"""The checksum of a fixing's row, by which damage is detected.

It is the CRC-32 of the values of the row, seeded with source, pair and unit of its series, so that a damaged series is
detected as well. A CRC detects every single flipped bit, and all but one in four billion of other changes.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import NamedTuple
from zlib import crc32

_MOMENT = "%Y-%m-%d %H:%M:%S.%f"


class FixingRow(NamedTuple):
    """The values of a row of `fixings` within its series."""

    day: date
    receipt_id: int
    nominal: int
    value: Decimal
    published_at: datetime | None


_FIELDS = FixingRow._fields
CONTENT = (
    f"CAST(printf('{'|'.join(['%s'] * len(_FIELDS))}', {', '.join(f'fixings.{name}' for name in _FIELDS)}) AS BLOB)"
)
"""The SQL expression for `row_content`. Bytes, because damaged text may not be UTF-8."""


def series_seed(source: str, base: str, quote: str, unit: str) -> int:
    """Return the seed of the checksums of a series."""
    return crc32(f"{source}|{base}|{quote}|{unit}".encode())


def stored_row(row: FixingRow) -> tuple[str | int | None, ...]:
    """Return the values as SQLite stores them: times are UTC without an offset."""
    published_at = row.published_at.astimezone(UTC).strftime(_MOMENT) if row.published_at else None
    return row.day.isoformat(), row.receipt_id, row.nominal, str(row.value), published_at


def row_content(row: FixingRow) -> bytes:
    """Return the bytes of a row that its checksum covers."""
    return "|".join("" if value is None else str(value) for value in stored_row(row)).encode()


def is_intact(content: bytes, checksum: object, seed: int) -> bool:
    """Return whether the checksum of a row is right; `seed` is that of its series."""
    return crc32(content, seed) == checksum


def parse_row(content: bytes) -> FixingRow:
    """Parse the content of an intact row."""
    day, receipt_id, nominal, value, published_at = content.decode().split("|")
    moment = datetime.strptime(published_at, _MOMENT).replace(tzinfo=UTC) if published_at else None
    return FixingRow(date.fromisoformat(day), int(receipt_id), int(nominal), Decimal(value), moment)
