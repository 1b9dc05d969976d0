"""Carrying fixings forward over weekends, holidays and days on which a source is late, for at most two weeks."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from cambist.history.as_of import CARRY_DAYS

Floats = NDArray[np.float64]
Ages = NDArray[np.int16]

UnitChange = tuple[int, float]
"""The row from which a unit is another one under the same code, and the factor that converts an earlier value."""

NEVER = np.int16(30_000)
"""The age of a cell that has no value."""


def carry_forward(
    rows: NDArray[np.int64], values: Floats, days: int, changes: Iterable[UnitChange] = ()
) -> tuple[Floats, Ages]:
    """Carry fixings forward over `days` rows, each until the next one, at most CARRY_DAYS rows.

    Return the cells, and for each the number of days that its value was carried. Fixings outside the rows are dropped,
    but one from before the first row may be carried into it. A fixing that is carried past a unit change is converted
    into the new unit, as the law converts a debt.
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
    for change_row, factor in changes:
        over = (last < change_row - first) & (place >= change_row - first)
        carried[over] *= factor
    return carried[-first:], np.where(np.isnan(carried), NEVER, ages)[-first:].astype(np.int16)
