"""Read fixings from the archive's tables. The checksum of every row is verified first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date
from functools import cache, lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple
from zlib import crc32

from sqlalchemy import Connection, Row, Select

from cambist.history.damaged_rows import DamagedRow, DamageReport
from cambist.history.filed_values import FiledValue
from cambist.history.fixing import GRAM, GRAMS_OF_A_TROY_OUNCE, Fixing, ReceivedFixing
from cambist.history.rate_matrix import FIRST_DAY
from cambist.pricing.pair import Pair
from cambist.storage.sql.backends import backend_named
from cambist.storage.sql.checksum import is_intact, parse_row, series_seed
from cambist.storage.sql.selects import select_revision, select_series

_LONGEST_HISTORY = 65_536
"""Days: the most that are kept parsed."""

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


def read_revision(connection: Connection) -> int:
    """Return the number of the last delivery that changed something."""
    return int(connection.execute(select_revision()).scalar_one())


def last_versions(connection: Connection, source: str, query: Select[int, bytes, bytes, int]) -> Iterator[Fixing]:
    """Return the last version of each pair and day. A damaged one is left out: those before it are outdated."""
    all_of_source = all_series(connection, source)
    with connection.execute(query) as rows:
        for (number, _), versions in groupby(rows, key=itemgetter(0, 1)):
            _, _, content, checksum = list(versions)[-1]
            series = all_of_source[number]
            if is_intact(content, checksum, series.seed):
                row = parse_row(content)
                yield Fixing(source, series.pair, row.day, row.value, row.nominal, series.unit, row.published_at)


def parse_received(row: Row[*tuple[Any, ...]]) -> ReceivedFixing | None:
    """Parse a row of `select_received`; None if it is damaged."""
    if not is_intact(row.content, row.checksum, series_seed(row.source, row.base, row.quote, row.unit)):
        return None
    day, delivery, nominal, value, published_at = parse_row(row.content)
    fixing = Fixing(row.source, Pair(row.base, row.quote), day, value, nominal, row.unit, published_at)
    return ReceivedFixing(fixing, row.received_at.replace(tzinfo=UTC), row.origin, delivery)


class LastRows(NamedTuple):
    """The content of the last row of each day of a series, the content of its damaged rows, and how many were read.

    A day whose last row is damaged is missing: the rows before it are outdated.
    """

    by_day: dict[bytes, bytes]
    damaged: list[bytes]
    rows: int


def read_last_rows(
    connection: Connection,
    series: StoredSeries,
    days: tuple[date, date] | None = None,
    up_to: int | None = None,
) -> LastRows:
    """Return the last rows of a series, oldest day first.

    With `days`, only those between two days; with `up_to`, only those of deliveries up to that number.
    """
    query = _rows_of_series(connection.dialect.name, between=days is not None, is_bounded=up_to is not None)
    bounds = (*map(str, days or ()), *(() if up_to is None else (up_to,)))
    # Through the driver, because there are millions of rows: each costs little more than a microsecond.
    return last_of(connection.exec_driver_sql(query, (series.number, *bounds)).fetchall(), series.seed)


def last_of(rows: Sequence[Any], seed: int) -> LastRows:
    """Return the last of the rows (content and checksum) of a series, which are ordered by day and delivery."""
    last: dict[bytes, bytes] = {}
    damaged: list[bytes] = []
    for content, checksum in rows:
        if crc32(content, seed) == checksum:
            last[content[:10]] = content
        else:
            last.pop(content.partition(b"|")[0], None)
            damaged.append(content)
    return LastRows(last, damaged, len(rows))


@cache
def _rows_of_series(backend: str, *, between: bool, is_bounded: bool) -> str:
    """Return the statement that reads the rows of a series, or only those between two days or up to a delivery."""
    of = backend_named(backend)
    days = f" AND day BETWEEN {of.placeholder} AND {of.placeholder}" if between else ""
    last = f" AND delivery_id <= {of.placeholder}" if is_bounded else ""
    rows = f"SELECT {of.content}, checksum FROM fixings WHERE series_id = {of.placeholder}{days}{last}"  # noqa: S608  no input in it
    return f"{rows} ORDER BY day, delivery_id"


def read_filed_values(connection: Connection, series: StoredSeries, first: date, last: date) -> dict[date, FiledValue]:
    """Return the values of a series between two days."""
    found = read_last_rows(connection, series, (first, last))
    parts = [content.split(b"|") for content in found.by_day.values()]
    return {_parsed_day(day): FiledValue(int(nominal), value.decode()) for day, _, nominal, value, _ in parts}


def rates_of(last: LastRows, unit: str) -> tuple[list[int], list[float]]:
    """Return the days of rows, counted from 1970-01-01, and their rates."""
    ounces = GRAMS_PER_OUNCE if unit == GRAM else 1.0
    parts = [content.split(b"|") for content in last.by_day.values()]
    rates = [float(value) / int(nominal) * ounces for _, _, nominal, value, _ in parts]
    return [day_number(day) for day in last.by_day], rates


class SeriesRates(NamedTuple):
    """A pair's days since 1970-01-01 and its rates, and from how many rows they were read."""

    days: list[int]
    rates: list[float]
    rows: int


def read_rates(
    connection: Connection, source: str, series: StoredSeries, damage: DamageReport, up_to: int | None = None
) -> SeriesRates:
    """Return a pair's rates with corrections applied, up to a delivery. Damaged rows are added to `damage`."""
    last = read_last_rows(connection, series, up_to=up_to)
    damage.rows += [_damaged_row(source, series.pair, content) for content in last.damaged]
    return SeriesRates(*rates_of(last, series.unit), last.rows)


@lru_cache(maxsize=_LONGEST_HISTORY)
def _parsed_day(day: bytes) -> date:
    return date.fromisoformat(day.decode())


@lru_cache(maxsize=_LONGEST_HISTORY)
def day_number(day: bytes) -> int:
    """Return a day as a number counted from 1970-01-01. Errors: ValueError."""
    return (_parsed_day(day) - FIRST_DAY).days


def _damaged_row(source: str, pair: Pair, content: bytes) -> DamagedRow:
    day, delivery = [*content.split(b"|"), b""][:2]
    return DamagedRow(source, pair, day.decode(errors="replace"), delivery.decode(errors="replace"))


def parse_day(content: bytes | None) -> date | None:
    """Parse a day that no checksum covers; None if it is damaged."""
    try:
        return date.fromisoformat((content or b"").decode())
    except ValueError:
        return None
