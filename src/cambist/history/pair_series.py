"""A pair series: all fixings of one pair from one source, as arrays of days and rates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from cambist.history.fixing import Fixing
from cambist.history.rate_matrix import FIRST_DAY
from cambist.pricing.pair import Pair


@dataclass(frozen=True, slots=True)
class PairSeries:
    """The days on which a pair was fixed, as rows of the rate matrix that ascend, and its rates (float64)."""

    pair: Pair
    rows: NDArray[np.int64]
    rates: NDArray[np.float64]


def between(series: PairSeries | None, first: date, last: date) -> PairSeries | None:
    """Return the part of a series from one day to another; None if nothing is left of it."""
    if series is None:
        return None
    start, end = np.searchsorted(series.rows, ((first - FIRST_DAY).days, (last - FIRST_DAY).days + 1))
    return PairSeries(series.pair, series.rows[start:end], series.rates[start:end]) if start < end else None


def pair_series_of(fixings: Iterable[Fixing]) -> Iterator[PairSeries]:
    """Yield the series of each pair in the fixings."""
    found: dict[Pair, dict[int, float]] = {}
    for fixing in fixings:
        rate = float(fixing.rate) if fixing.unit else float(fixing.value) / fixing.nominal
        found.setdefault(fixing.pair, {})[(fixing.day - FIRST_DAY).days] = rate
    for pair, rates in found.items():
        rows = sorted(rates)
        yield PairSeries(pair, np.array(rows, np.int64), np.array([rates[row] for row in rows], np.float64))
