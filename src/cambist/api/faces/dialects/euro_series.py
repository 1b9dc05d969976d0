"""The rates of the euro as the ECB's files and its SDMX service list them: its currencies and its days, our values.

A value is that of `/historical` and `/time-series` from EUR to the currency on the day. A day is listed if the ECB
fixes rates on it, and a currency on the days on which the ECB listed it (`reference.ecb_listings`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from cambist.errors import NoRate
from cambist.history.rate_matrix import RateMatrix
from cambist.history.series import read_series
from cambist.pricing.pair import Pair
from cambist.reference.ecb_listings import ECB_LISTINGS, FIRST_REFERENCE_DAY, target_days

EURO = "EUR"

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class EuroSeries:
    """The units of some currencies for one euro: a column for each of `codes`, NaN on days without a rate.

    `days` are those on which the ECB fixes rates, oldest first.
    """

    days: Sequence[date]
    codes: Sequence[str]
    columns: Sequence[Floats]


def newest_reference_day(matrix: RateMatrix) -> date:
    """Return the last day on which the ECB fixes rates and for which the euro was fixed.

    Errors: NoRate if there is none since 1999.
    """
    span = matrix.span(EURO)
    last = FIRST_REFERENCE_DAY - timedelta(days=1) if span is None else span[1]
    newest = max(target_days(last - timedelta(days=14), last), default=None)
    if newest is None:
        raise NoRate(f"No rate from [{EURO}] since [{FIRST_REFERENCE_DAY}]")
    return newest


def listed_currencies(first: date, last: date) -> list[str]:
    """Return the currencies that the ECB listed on any day between two days, in the order of its files."""
    return [
        code
        for code, lives in ECB_LISTINGS.items()
        if any(life.first_day <= last and (life.last_day is None or life.last_day >= first) for life in lives)
    ]


def read_euro_series(matrix: RateMatrix, codes: Iterable[str], first: date, last: date) -> EuroSeries:
    """Return the rates of some currencies on the days of the ECB from `first` to `last`, both inclusive."""
    days = list(target_days(max(first, matrix.first_day), min(last, matrix.last_day)))
    rows = np.fromiter((matrix.row(day) for day in days), np.intp, len(days))
    wanted = tuple(codes)
    return EuroSeries(days, wanted, [_column(matrix, code, days, rows) for code in wanted])


def _column(matrix: RateMatrix, code: str, days: Sequence[date], rows: NDArray[np.intp]) -> Floats:
    if not days:
        return np.empty(0)
    try:
        series = read_series(matrix, Pair(EURO, code), days[0], days[-1])
    except NoRate:
        return np.full(len(days), np.nan)
    values = series.values[rows - matrix.row(series.first_day)]
    return np.where(_is_listed(matrix, code, rows), values, np.nan)


def _is_listed(matrix: RateMatrix, code: str, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return on which days the ECB listed a currency; one that it never listed counts as always listed."""
    if code not in ECB_LISTINGS:
        return np.ones(len(rows), dtype=np.bool_)
    listed = np.zeros(len(rows), dtype=np.bool_)
    for life in ECB_LISTINGS[code]:
        last = matrix.last_day if life.last_day is None else life.last_day
        listed |= (rows >= matrix.row(life.first_day)) & (rows <= matrix.row(last))
    return listed
