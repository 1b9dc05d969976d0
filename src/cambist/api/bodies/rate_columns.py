"""Tables of rates, in long format: a row for each day, base and quote currency."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from math import isnan

from cambist.api.answer.answer_table import DATE, NUMBER, Cell, Column
from cambist.api.answer.series_rendering import dates_from
from cambist.history.series import Series
from cambist.pricing.number_format import plain_float

RATE_COLUMNS = (Column("base"), Column("quote"), Column("rate", NUMBER))
DAY_COLUMNS = (Column("date", DATE), *RATE_COLUMNS, Column("fixed_on", DATE))
"""A day's rate and the day of its fixing: an earlier one if it is carried forward, none if the law alone decides."""


def series_rows(series: Iterable[Series], ages_of: Callable[[Series], list[int | None]]) -> Iterator[tuple[Cell, ...]]:
    """Yield the rows of series one after the other, given how old the fixing of each day is.

    Days without a rate are left out.
    """
    for one in series:
        base, quote = one.pair.base, one.pair.quote
        days = dates_from(one.first_day, len(one.values))
        for place, (value, age) in enumerate(zip(one.values.tolist(), ages_of(one), strict=True)):
            if isnan(value):
                continue
            if age is None or 0 <= age <= place:
                fixed_on = None if age is None else days[place - age]
            else:
                fixed_on = str(one.first_day + timedelta(days=place - age))
            yield days[place], base, quote, plain_float(value), fixed_on
