"""Coverage: from which day to which day each source has fixings of a pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta

import numpy as np
from msgspec import Struct

from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.pair import PIVOT, Pair


class PairCoverage(Struct, frozen=True):
    """The first and last day of one source's fixings of one pair."""

    source: str
    pair: Pair
    first: date
    last: date


ReadCoverage = Callable[[], Sequence[PairCoverage]]
"""Reads the coverage of all sources. Errors: RateUnavailable, StoreBusy."""


def no_coverage() -> Sequence[PairCoverage]:
    """Read the coverage where nothing is archived."""
    return ()


def coverage_of_matrix(matrix: RateMatrix, source: str) -> list[PairCoverage]:
    """Return the coverage of a rate matrix all of whose rates are of one source: each code against the pivot.

    Days after the last fixing, to which it was only carried forward, do not count.
    """
    has_value = ~np.isnan(matrix.cells_by_day[: matrix.row(matrix.last_fixing) + 1])
    firsts, lasts = has_value.argmax(axis=0), len(has_value) - 1 - has_value[::-1].argmax(axis=0)
    return [
        PairCoverage(source, Pair(code, PIVOT), _day(matrix, firsts[column]), _day(matrix, lasts[column]))
        for column, code in enumerate(matrix.codes)
        if code != PIVOT and has_value[firsts[column], column]
    ]


def _day(matrix: RateMatrix, row: int) -> date:
    return matrix.first_day + timedelta(days=int(row))
