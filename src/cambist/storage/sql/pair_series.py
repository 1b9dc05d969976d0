"""Read the series of many pairs at once, between two days: what a delivery is compared with."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import numpy as np
from sqlalchemy import Connection, select

from cambist.history.archive import PairFilter
from cambist.history.pair_series import PairSeries
from cambist.pricing.pair import Pair
from cambist.storage.sql.checksum import series_seed
from cambist.storage.sql.reading import StoredSeries, rates_of, read_last_rows
from cambist.storage.sql.schema import series


def read_pair_series(
    connection: Connection, wanted: PairFilter, first: date, last: date
) -> Iterator[tuple[str, PairSeries]]:
    """Return the series of the wanted pairs of all sources, with corrections applied and without damaged rows."""
    for row in connection.execute(select(series).order_by(series.c.id)).all():
        pair = Pair(row.base, row.quote)
        if not wanted(row.source, pair):
            continue
        stored = StoredSeries(row.id, pair, row.unit, series_seed(row.source, row.base, row.quote, row.unit))
        days, rates = rates_of(read_last_rows(connection, stored, (first, last)), row.unit)
        if days:
            yield row.source, PairSeries(pair, np.array(days, np.int64), np.array(rates, np.float64))
