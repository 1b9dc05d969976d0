"""Read fixings from the archive's tables. The checksum of every row is verified first."""

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
from cambist.storage.sql.checksum import CONTENT, is_intact, parse_row, series_seed
from cambist.storage.sql.selects import select_series

_QUERY = f"""
SELECT CAST(julianday(day) - 2440587.5 AS INTEGER), nominal, CAST(value AS BLOB), checksum, {CONTENT}, receipt_id
FROM fixings WHERE series_id = ? ORDER BY day, receipt_id
"""  # noqa: S608  no input in it
"""2440587.5 is the Julian date of 1970-01-01."""

GRAMS_PER_OUNCE = float(GRAMS_OF_A_TROY_OUNCE)


class StoredSeries(NamedTuple):
    """A pair as a source publishes it, and the seed of the checksums of its rows."""

    number: int
    pair: Pair
    unit: str
    seed: int


def all_series(connection: Connection, source: str) -> dict[int, StoredSeries]:
    """Return the series of a source by number."""
    return {
        row.id: StoredSeries(
            row.id, Pair(row.base, row.quote), row.unit, series_seed(source, row.base, row.quote, row.unit)
        )
        for row in connection.execute(select_series(source))
    }


def last_versions(connection: Connection, source: str, query: Select[int, bytes, bytes, int]) -> Iterator[Fixing]:
    """Return the last version of each pair and day. A damaged one is left out: those before it are outdated."""
    all_of_source = all_series(connection, source)
    for (number, _), versions in groupby(connection.execute(query), key=itemgetter(0, 1)):
        _, _, content, checksum = list(versions)[-1]
        series = all_of_source[number]
        if is_intact(content, checksum, series.seed):
            row = parse_row(content)
            yield Fixing(source, series.pair, row.day, row.value, row.nominal, series.unit, row.published_at)


def parse_received(row: Row[*tuple[Any, ...]]) -> ReceivedFixing | None:
    """Parse a row of `select_received`; None if it is damaged."""
    if not is_intact(row.content, row.checksum, series_seed(row.source, row.base, row.quote, row.unit)):
        return None
    day, _, nominal, value, published_at = parse_row(row.content)
    fixing = Fixing(row.source, Pair(row.base, row.quote), day, value, nominal, row.unit, published_at)
    return ReceivedFixing(fixing, row.received_at.replace(tzinfo=UTC), row.origin)


class SeriesRates(NamedTuple):
    """A pair's days since 1970-01-01 and its rates, and from how many rows they were read."""

    days: list[int]
    rates: list[float]
    rows: int


def read_rates(connection: Connection, source: str, series: StoredSeries, damage: DamageReport) -> SeriesRates:
    """Return a pair's rates with corrections applied. Damaged rows are added to `damage`."""
    # Through the driver, because there are millions of rows: each costs little more than a microsecond.
    rows = connection.exec_driver_sql(_QUERY, (series.number,)).fetchall()
    ounces, seed = GRAMS_PER_OUNCE if series.unit == GRAM else 1, series.seed
    intact = [row for row in rows if crc32(row[4], seed) == row[3]]
    last = {row[0]: float(row[2]) / row[1] * ounces for row in intact}
    if len(intact) < len(rows):
        damaged = [row for row in rows if crc32(row[4], seed) != row[3]]
        damage.rows += [_damaged_row(source, series.pair, row[4]) for row in damaged]
        _remove_outdated(last, damaged, intact)
    return SeriesRates(list(last), list(last.values()), len(rows))


def _remove_outdated(last: dict[int, float], damaged: Iterable[Row[*tuple[Any, ...]]], intact: Iterable[Any]) -> None:
    """Remove the days whose last row is damaged: the version before is outdated."""
    newest = {row[0]: row[5] for row in intact}
    for row in damaged:
        if row[0] in newest and newest[row[0]] < row[5]:
            last.pop(row[0], None)


def _damaged_row(source: str, pair: Pair, content: bytes) -> DamagedRow:
    day, receipt = [*content.split(b"|"), b""][:2]
    return DamagedRow(source, pair, day.decode(errors="replace"), receipt.decode(errors="replace"))


def parse_day(content: bytes | None) -> date | None:
    """Parse a day that no checksum covers; None if it is damaged."""
    try:
        return date.fromisoformat((content or b"").decode())
    except ValueError:
        return None
