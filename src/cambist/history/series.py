"""Series: the rates of one pair, day by day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from math import isnan

import numpy as np
from numpy.typing import NDArray

from cambist.errors import NoRate
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.pair import Pair
from cambist.pricing.parity import legal_rate, parity_periods


@dataclass(frozen=True, slots=True)
class Series:
    """The midpoints of a pair for each calendar day from `first_day` (float64). A day without a rate has NaN."""

    pair: Pair
    first_day: date
    values: NDArray[np.float64]


def read_series(matrix: RateMatrix, pair: Pair, start: date, end: date) -> Series:
    """Return the series of a pair from `start` to `end`, both inclusive. Errors: NoRate if no day has a rate."""
    first, last = max(start, matrix.first_day), min(end, matrix.last_day)
    values = _values(matrix, pair, first, last) if first <= last else np.array([np.nan])
    if isnan(np.minimum.reduce(values)) and np.isnan(values).all():
        raise NoRate(f"No rate from [{pair.base}] to [{pair.quote}] between [{start}] and [{end}]")
    return Series(pair, first, values)


def _values(matrix: RateMatrix, pair: Pair, first: date, last: date) -> NDArray[np.float64]:
    values = _column(matrix, pair.quote, first, last) / _column(matrix, pair.base, first, last)
    if isnan(np.minimum.reduce(values)):
        _fill_by_law(values, pair, first)
    return values


def _fill_by_law(values: NDArray[np.float64], pair: Pair, first: date) -> None:
    """Fill the days without a market rate with the rate by law, if there is one."""
    for start, end in parity_periods(first, len(values)):
        fixed = legal_rate(pair.base, pair.quote, first + timedelta(days=start))
        if fixed is not None:
            period = values[start:end]
            period[np.isnan(period)] = float(fixed)


def _column(matrix: RateMatrix, code: str, first: date, last: date) -> NDArray[np.float64]:
    column = matrix.columns.get(code)
    if column is None:
        return np.full((last - first).days + 1, np.nan)
    return matrix.cells_by_day[matrix.row(first) : matrix.row(last) + 1, column]
