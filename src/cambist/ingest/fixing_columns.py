"""The fixings of one code in a delivery as arrays, in the order of their days, with what each is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from math import isnan

import numpy as np
from numpy.typing import NDArray

from cambist.history.fixing import Fixing
from cambist.history.rate_matrix import FIRST_DAY
from cambist.ingest.other_sources import MedianRange
from cambist.pricing.validation import OTHERS_MOVED, STUCK_DAYS, are_clearly_valid, are_on_peg

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

CARRY = timedelta(days=14)
"""How long a source's last fixing is compared with."""

LARGEST_MOVE = 0.25


@dataclass(slots=True)
class FixingColumns:
    """The fixings of one code as arrays of the same length.

    `places` are their indexes in the delivery, `following` those of the next fixing of the same pair within `fixings`,
    -1 if there is none. `units` are units per pivot. `low` and `high` are the two middle rates of the other sources,
    `pegs` the legal rates, `corrections` the ratios to the filed values of the same day; NaN where there is none.
    `is_positive` marks values above 0, `is_settled` fixings that are filed already, or accepted by the operator.
    """

    fixings: list[Fixing]
    places: list[int]
    following: list[int]
    days: Ints
    units: Floats
    low: Floats
    high: Floats
    pegs: Floats
    corrections: Floats
    is_positive: Bools
    is_settled: Bools

    def others(self, index: int) -> MedianRange | None:
        """Return the middle rates of the other sources for one fixing."""
        low = float(self.low[index])
        return None if isnan(low) else MedianRange(low, float(self.high[index]))


@dataclass(slots=True)
class JudgedColumns:
    """The fixings at `rows` of columns, which are validated one after the other.

    `is_plain` marks those that are valid if the one before was accepted. `unchanged_from` is the first of the fixings
    with the same rate without a break, as an index of `rows`. `moves` are the moves from the fixing before.
    """

    rows: Ints
    days: Ints
    units: Floats
    is_plain: Bools
    unchanged_from: Ints
    moves: Floats

    def day(self, index: int) -> date:
        """Return the day of a fixing."""
        return FIRST_DAY + timedelta(days=int(self.days[index]))


def judge_columns(columns: FixingColumns, rows: Ints, cut: int | None, factor: float) -> JudgedColumns:
    """Find the plain fixings; `cut` is the day of a redenomination under the same code, and `factor` its factor."""
    days, units = columns.days[rows], columns.units[rows]
    low, high, pegs = columns.low[rows], columns.high[rows], columns.pegs[rows]
    numbers = np.arange(len(rows))
    is_changed = np.ones(len(rows), np.bool_)
    is_changed[1:] = units[1:] != units[:-1]
    unchanged_from = np.maximum.accumulate(np.where(is_changed, numbers, 0))
    previous, moves = np.full(len(rows), np.nan), np.zeros(len(rows))
    previous[1:] = units[:-1]
    moves[1:] = np.minimum(np.abs(units[1:] / units[:-1] - 1), LARGEST_MOVE)
    if cut is not None:
        previous[1:][(days[:-1] < cut) & (cut <= days[1:])] /= factor
    is_near = np.zeros(len(rows), np.bool_)
    is_near[1:] = days[1:] - days[:-1] <= CARRY.days
    centre = (low + high) / 2
    moved = np.abs(centre / centre[unchanged_from] - 1)  # NaN where there are no others: not stuck
    is_stuck = ~is_changed & (numbers - unchanged_from >= STUCK_DAYS) & (moved > OTHERS_MOVED)
    others = np.minimum(np.maximum(units, low), high)
    is_valid = is_near & are_clearly_valid(units, previous, others) & are_on_peg(units, pegs) & ~is_stuck
    is_settled = columns.is_settled[rows]
    is_plain = is_settled | (is_valid & np.isnan(columns.corrections[rows]))
    return JudgedColumns(rows, days, units, is_plain, unchanged_from, moves)
