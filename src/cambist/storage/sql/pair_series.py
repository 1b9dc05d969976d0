"""Read the series of many pairs at once, between two days: what a delivery is compared with."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import groupby
from operator import itemgetter
from zlib import crc32

import numpy as np
from sqlalchemy import Connection, select

from cambist.history.archive import PairFilter
from cambist.history.fixing import GRAM
from cambist.history.pair_series import PairSeries
from cambist.pricing.pair import Pair
from cambist.storage.sql.checksum import CONTENT, series_seed
from cambist.storage.sql.reading import GRAMS_PER_OUNCE
from cambist.storage.sql.schema import series

_QUERY = f"""
SELECT series_id, CAST(julianday(day) - 2440587.5 AS INTEGER), CAST(value AS REAL) / nominal, checksum, {CONTENT}
FROM fixings WHERE series_id IN (:wanted) AND day BETWEEN ? AND ? ORDER BY series_id, day, receipt_id
"""  # noqa: S608  no input in it


def read_pair_series(
    connection: Connection, wanted: PairFilter, first: date, last: date
) -> Iterator[tuple[str, PairSeries]]:
    """Return the series of the wanted pairs of all sources, with corrections applied and without damaged rows."""
    found = {row.id: row for row in connection.execute(select(series)) if wanted(row.source, Pair(row.base, row.quote))}
    query = _QUERY.replace(":wanted", ",".join(map(str, found)))
    rows = connection.exec_driver_sql(query, (first.isoformat(), last.isoformat())).fetchall()
    for number, of_series in groupby(rows, key=itemgetter(0)):
        row = found[number]
        seed = series_seed(row.source, row.base, row.quote, row.unit)
        rates = {day: rate for _, day, rate, checksum, content in of_series if crc32(content, seed) == checksum}
        if not rates:
            continue
        ounces = GRAMS_PER_OUNCE if row.unit == GRAM else 1.0
        days, values = np.fromiter(rates, np.int64), np.fromiter(rates.values(), np.float64)
        yield row.source, PairSeries(Pair(row.base, row.quote), days, values * ounces)
