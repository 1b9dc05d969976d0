"""Read the series of many pairs at once, between two days: what a delivery is compared with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

import numpy as np
from sqlalchemy import Connection, select

from cambist.history.archive import PairFilter
from cambist.history.pair_series import PairSeries
from cambist.pricing.pair import Pair
from cambist.storage.sql.backends import backend_named
from cambist.storage.sql.checksum import series_seed
from cambist.storage.sql.reading import StoredSeries, last_of, rates_of
from cambist.storage.sql.schema import series

_AT_ONCE = 500
"""From how many series one statement reads."""


def read_pair_series(
    connection: Connection, wanted: PairFilter, first: date, last: date
) -> Iterator[tuple[str, PairSeries]]:
    """Return the series of the wanted pairs of all sources, with corrections applied and without damaged rows."""
    chosen = [
        (row.source, StoredSeries(row.id, pair, row.unit, series_seed(row.source, row.base, row.quote, row.unit)))
        for row in connection.execute(select(series).order_by(series.c.id)).all()
        if wanted(row.source, pair := Pair(row.base, row.quote))
    ]
    for begin in range(0, len(chosen), _AT_ONCE):
        part = chosen[begin : begin + _AT_ONCE]
        rows = _rows_by_series(connection, [stored.number for _, stored in part], first, last)
        for source, stored in part:
            days, rates = rates_of(last_of(rows.get(stored.number, ()), stored.seed), stored.unit)
            if days:
                yield source, PairSeries(stored.pair, np.array(days, np.int64), np.array(rates, np.float64))


def _rows_by_series(
    connection: Connection, numbers: Sequence[int], first: date, last: date
) -> dict[int, list[tuple[bytes, int]]]:
    """Return content and checksum of the rows between two days by their series, ordered by day and delivery."""
    of = backend_named(connection.dialect.name)
    query = (
        f"SELECT series_id, {of.content}, checksum FROM fixings "  # noqa: S608  numbers only
        f"WHERE series_id IN ({', '.join(map(str, numbers))}) AND day BETWEEN {of.placeholder} AND {of.placeholder} "
        f"ORDER BY series_id, day, delivery_id"
    )
    found: dict[int, list[tuple[bytes, int]]] = {}
    for number, content, checksum in connection.exec_driver_sql(query, (str(first), str(last))):
        found.setdefault(number, []).append((content, checksum))
    return found
