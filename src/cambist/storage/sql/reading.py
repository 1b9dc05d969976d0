"""Reading fixings from the archive's tables: every row is held against its checksum before it is believed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple
from zlib import crc32

from sqlalchemy import Connection, Row, Select

from cambist.history.damaged_rows import DamagedRow, DamageReport
from cambist.history.fixing import GRAM, GRAMS_OF_A_TROY_OUNCE, Fixing, ReceivedFixing
from cambist.pricing.pair import Pair
from cambist.storage.sql.checksum import CONTENT, is_intact, read_row, seed
from cambist.storage.sql.selects import series_of

_LINE = f"""
SELECT CAST(julianday(day) - 2440587.5 AS INTEGER), nominal, CAST(value AS BLOB), checksum, {CONTENT}, receipt_id
FROM fixings WHERE series_id = ? ORDER BY day, receipt_id
"""  # noqa: S608  no input in it
"""2440587.5 is the Julian date at which 1970 began."""

_GRAMS_OF_A_TROY_OUNCE = float(GRAMS_OF_A_TROY_OUNCE)


class StoredSeries(NamedTuple):
    """A pair as a source publishes it, and what its rows' checksums begin with."""

    number: int
    pair: Pair
    unit: str
    begun: int


def all_series(connection: Connection, source: str) -> dict[int, StoredSeries]:
    """Read the pairs of a source, by number."""
    return {
        row.id: StoredSeries(row.id, Pair(row.base, row.quote), row.unit, seed(source, row.base, row.quote, row.unit))
        for row in connection.execute(series_of(source))
    }


def cells(connection: Connection, source: str, query: Select[int, bytes, bytes, int]) -> Iterator[Fixing]:
    """Read each cell's last version. One whose last row is damaged is left out: the row before was corrected by it."""
    known = all_series(connection, source)
    for (number, _), versions in groupby(connection.execute(query), key=itemgetter(0, 1)):
        _, _, content, checksum = list(versions)[-1]
        series = known[number]
        if is_intact(content, checksum, series.begun):
            row = read_row(content)
            yield Fixing(source, series.pair, row.day, row.value, row.nominal, series.unit, row.published_at)


def known_of(row: Row[*tuple[Any, ...]]) -> ReceivedFixing | None:
    """Read a row of `received`; None where it is damaged."""
    if not is_intact(row.content, row.checksum, seed(row.source, row.base, row.quote, row.unit)):
        return None
    day, _, nominal, value, published_at = read_row(row.content)
    fixing = Fixing(row.source, Pair(row.base, row.quote), day, value, nominal, row.unit, published_at)
    return ReceivedFixing(fixing, row.received_at.replace(tzinfo=UTC), row.origin)


class StoredLine(NamedTuple):
    """A pair's days since 1970 began and its rates, and how many rows they were read from."""

    days: list[int]
    rates: list[float]
    rows: int


def line_of(connection: Connection, source: str, series: StoredSeries, damage: DamageReport) -> StoredLine:
    """Read a pair's line, corrections in place of what they correct.

    The driver is asked directly: there are millions of rows, and each costs little more than a microsecond.
    """
    rows = connection.exec_driver_sql(_LINE, (series.number,)).fetchall()
    ounces, begun = _GRAMS_OF_A_TROY_OUNCE if series.unit == GRAM else 1, series.begun
    sound = [row for row in rows if crc32(row[4], begun) == row[3]]
    last = {row[0]: float(row[2]) / row[1] * ounces for row in sound}
    if len(sound) < len(rows):
        damaged = [row for row in rows if crc32(row[4], begun) != row[3]]
        damage.rows += [_named(source, series.pair, row[4]) for row in damaged]
        _leave_out(last, damaged, sound)
    return StoredLine(list(last), list(last.values()), len(rows))


def _leave_out(last: dict[int, float], damaged: Iterable[Row[*tuple[Any, ...]]], sound: Iterable[Any]) -> None:
    """Leave out the days whose last row is damaged: what it corrected holds no longer."""
    newest = {row[0]: row[5] for row in sound}
    for row in damaged:
        if row[0] in newest and newest[row[0]] < row[5]:
            last.pop(row[0], None)


def _named(source: str, pair: Pair, content: bytes) -> DamagedRow:
    day, receipt = [*content.split(b"|"), b""][:2]
    return DamagedRow(source, pair, day.decode(errors="replace"), receipt.decode(errors="replace"))


def day_of(content: bytes | None) -> date | None:
    """Read a day that no checksum covers; None where it is none."""
    try:
        return date.fromisoformat((content or b"").decode())
    except ValueError:
        return None
