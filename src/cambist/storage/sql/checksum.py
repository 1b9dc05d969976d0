"""The checksum of a fixing's row, by which damage is detected.

It is the CRC-32 of the values of the row, seeded with source, pair and unit of its series, so that a damaged series is
detected as well. A CRC detects every single flipped bit, and all but one in four billion of other changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple
from zlib import crc32

from cambist.history.fixing import Fixing

_MOMENT = "%Y-%m-%d %H:%M:%S.%f"


class FixingRow(NamedTuple):
    """The values of a row of `fixings` within its series."""

    day: date
    delivery_id: int
    nominal: int
    value: Decimal
    published_at: datetime | None


ROW_FIELDS = FixingRow._fields
"""The columns that the checksum covers, in the order of the content of a row."""

COLUMNS = ("series_id", *ROW_FIELDS, "checksum")
"""The columns of the rows that `stored_rows` returns."""

StoredRow = tuple[int, str, int, int, str, str | None, int]


def series_seed(source: str, base: str, quote: str, unit: str) -> int:
    """Return the seed of the checksums of a series."""
    return crc32(f"{source}|{base}|{quote}|{unit}".encode())


def stored_rows(series_id: int, seed: int, delivery_id: int, fixings: Iterable[Fixing]) -> Iterator[StoredRow]:
    """Yield the rows of fixings of one series with days and times as text: times are UTC without an offset."""
    for fixing in fixings:
        day, nominal, value, published_at = _iso(fixing.day), fixing.nominal, str(fixing.value), None
        if fixing.published_at is not None:
            published_at = fixing.published_at.astimezone(UTC).strftime(_MOMENT)
        content = row_content(day, delivery_id, nominal, value, published_at)
        yield series_id, day, delivery_id, nominal, value, published_at, crc32(content, seed)


def row_content(day: str, delivery_id: int, nominal: int, value: str, published_at: str | None) -> bytes:
    """Return the bytes of a row that its checksum covers, from its values as text."""
    return f"{day}|{delivery_id}|{nominal}|{value}|{published_at or ''}".encode()


def is_intact(content: bytes, checksum: object, seed: int) -> bool:
    """Return whether the checksum of a row is right; `seed` is that of its series."""
    return crc32(content, seed) == checksum


def parse_row(content: bytes) -> FixingRow:
    """Parse the content of an intact row."""
    day, delivery_id, nominal, value, published_at = content.decode().split("|")
    moment = datetime.strptime(published_at, _MOMENT).replace(tzinfo=UTC) if published_at else None
    return FixingRow(date.fromisoformat(day), int(delivery_id), int(nominal), Decimal(value), moment)


@lru_cache(maxsize=65_536)
def _iso(day: date) -> str:
    """Return a day as text; cached, because the pairs of a source have the same days."""
    return day.isoformat()
