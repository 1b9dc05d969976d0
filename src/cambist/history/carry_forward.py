"""Carrying fixings forward: over weekends, holidays and late sources, at most two weeks."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from cambist.history.as_of import CARRY_DAYS

Floats = NDArray[np.float64]
Ages = NDArray[np.int16]

Cut = tuple[int, float]
"""A row from which a unit is another under the same code, and what a value before it is multiplied by."""

NEVER = np.int16(30_000)
"""The age of a cell that has no value."""


def spread(rows: NDArray[np.int64], values: Floats, days: int, cuts: Iterable[Cut] = ()) -> tuple[Floats, Ages]:
    """Spread fixings over `days` rows, each up to its successor; give the cells and how many days each was carried.

    Rows outside are dropped, but one before the first row may be carried into it. Over a `cut` a carried fixing is
    expressed in the new unit: the law converts it as it converts a debt.
    """
    first = -CARRY_DAYS
    kept = (rows >= first) & (rows < days)
    last = np.full(days - first, -1, dtype=np.int64)
    place = np.arange(days - first, dtype=np.int64)
    cells = np.full(days - first, np.nan)
    cells[rows[kept] - first] = values[kept]
    last[rows[kept] - first] = rows[kept] - first
    last = np.maximum.accumulate(last)
    ages = np.where(last >= 0, place - last, NEVER)
    carried = np.where(ages <= CARRY_DAYS, cells[last], np.nan)
    for cut_row, factor in cuts:
        over = (last < cut_row - first) & (place >= cut_row - first)
        carried[over] *= factor
    return carried[-first:], np.where(np.isnan(carried), NEVER, ages)[-first:].astype(np.int16)
