"""Read all rows of many series in a period, with the numbers of their deliveries."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from math import nan
from typing import Any
from zlib import crc32

import numpy as np
from sqlalchemy import Connection, select

from cambist.history.archive import PairFilter
from cambist.history.fixing import GRAM
from cambist.history.known_fixings import KnownFixings
from cambist.pricing.pair import Pair
from cambist.storage.sql.backends import backend_of
from cambist.storage.sql.checksum import series_seed
from cambist.storage.sql.reading import GRAMS_PER_OUNCE, StoredSeries, day_number, parse_day
from cambist.storage.sql.schema import series

_Parsed = tuple[int, int, int, float]


def read_known_fixings(
    connection: Connection, sources: Collection[str], wanted: PairFilter, days: tuple[date, date]
) -> KnownFixings:
    """Return everything that was received about the wanted pairs of some sources between two days."""
    names: list[tuple[str, Pair]] = []
    stored: dict[int, tuple[int, StoredSeries]] = {}
    for row in _wanted_series(connection, sources, wanted):
        pair = Pair(row.base, row.quote)
        seed = series_seed(row.source, row.base, row.quote, row.unit)
        stored[row.id] = len(names), StoredSeries(row.id, pair, row.unit, seed)
        names.append((row.source, pair))
    parsed = _parse(_rows(connection, list(stored), days), stored)
    columns = np.array([each[:3] for each in parsed], np.int64).reshape(-1, 3)
    rates = np.array([each[3] for each in parsed], np.float64)
    return KnownFixings(tuple(names), columns[:, 0], columns[:, 1], columns[:, 2], rates)


def read_days_received_after(
    connection: Connection, delivery: int, sources: Collection[str], wanted: PairFilter, days: tuple[date, date]
) -> list[date] | None:
    """Return the days between two of which wanted pairs were received after a delivery; None if one is damaged."""
    numbers = [row.id for row in _wanted_series(connection, sources, wanted)]
    if not numbers:
        return []
    of = backend_of(connection)
    query = (
        f"SELECT DISTINCT {of.day_content('day')} FROM fixings WHERE series_id IN ({','.join(map(str, numbers))}) "  # noqa: S608  no input in it
        f"AND day BETWEEN {of.placeholder} AND {of.placeholder} AND delivery_id > {of.placeholder}"
    )
    found = connection.exec_driver_sql(query, (*map(str, days), delivery)).scalars()
    received = [parse_day(content) for content in found]
    return None if None in received else sorted(day for day in received if day is not None)


def _wanted_series(connection: Connection, sources: Collection[str], wanted: PairFilter) -> list[Any]:
    chosen = select(series).where(series.c.source.in_(sources)).order_by(series.c.id)
    return [row for row in connection.execute(chosen) if wanted(row.source, Pair(row.base, row.quote))]


def _rows(connection: Connection, numbers: Sequence[int], days: tuple[date, date]) -> Sequence[Any]:
    if not numbers:
        return ()
    of = backend_of(connection)
    # The numbers are those of our own rows. Through the driver, as for the rate matrix: there may be many rows.
    query = (
        f"SELECT series_id, {of.content}, checksum FROM fixings "  # noqa: S608  no input in it
        f"WHERE series_id IN ({','.join(map(str, numbers))}) AND day BETWEEN {of.placeholder} AND {of.placeholder} "
        "ORDER BY series_id, day, delivery_id"
    )
    return connection.exec_driver_sql(query, tuple(map(str, days))).fetchall()


def _parse(rows: Sequence[Any], stored: dict[int, tuple[int, StoredSeries]]) -> list[_Parsed]:
    found: list[_Parsed] = []
    for number, content, checksum in rows:
        index, each = stored[number]
        parts = content.split(b"|")
        if crc32(content, each.seed) == checksum:
            rate = float(parts[3]) / int(parts[2])
            if each.unit == GRAM:
                rate *= GRAMS_PER_OUNCE
            found.append((index, day_number(parts[0]), int(parts[1]), rate))
        else:
            found += _damaged(index, parts)
    return found


def _damaged(index: int, parts: list[bytes]) -> list[_Parsed]:
    """Return a damaged row without a rate, if its day and delivery can be read at all."""
    try:
        return [(index, day_number(parts[0]), int(parts[1]), nan)]
    except (ValueError, IndexError):
        return []
