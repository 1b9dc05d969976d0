"""Tables of rates, in long format: a row for each day, base and quote currency."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isnan

from cambist.api.answer.answer_table import DATE, NUMBER, Cell, Column
from cambist.api.answer.series_rendering import dates_from
from cambist.history.series import Series
from cambist.pricing.number_format import plain_float

RATE_COLUMNS = (Column("base"), Column("quote"), Column("rate", NUMBER))
DAY_COLUMNS = (Column("date", DATE), *RATE_COLUMNS)


def series_rows(series: Iterable[Series]) -> Iterator[tuple[Cell, ...]]:
    """Yield the rows of series one after the other; days without a rate are left out."""
    for one in series:
        base, quote = one.pair.base, one.pair.quote
        for day, value in zip(dates_from(one.first_day, len(one.values)), one.values.tolist(), strict=True):
            if not isnan(value):
                yield day, base, quote, plain_float(value)
