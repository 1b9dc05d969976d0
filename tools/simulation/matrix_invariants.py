"""The invariant of the rate matrix: each cell equals a rate that is computed plainly from the archive."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from math import isclose, isnan

import numpy as np
from tools.simulation.newest_values import NewestValues, Place, SettledValue
from tools.simulation.reference_rates import CARRIED_DAYS, ReferenceRates
from tools.simulation.reference_verdicts import ReferenceVerdicts
from tools.simulation.violation import require

from cambist.history.rate_matrix import RateMatrix
from cambist.sources.base import Source

MATRIX = "the matrix equals one built from the archive"

_EXACT = 1e-12
_DAY = timedelta(days=1)


class MatrixInvariants:
    """Compares each rate matrix with rates that are computed plainly, for some codes.

    Each matrix whose number is a multiple of `whole_every` is compared as a whole. Of the others, the days before the
    first one on which something was filed, or a verdict has changed, are compared with the matrix before.
    `reference` has what is computed.
    """

    def __init__(self, sources: Sequence[Source], codes: Iterable[str], whole_every: int = 1) -> None:
        self._sources = sources
        self._codes = sorted(codes)
        self._whole_every = whole_every
        self._count = 0
        self.reference = ReferenceRates(ReferenceVerdicts(sources))
        self._days: tuple[date, date] | None = None
        self._changed_from: date | None = None
        self._last: RateMatrix | None = None
        self._compared_to = date.min

    def put(self, place: Place, value: SettledValue) -> set[str]:
        """Take in a value that was filed; return the codes whose rates may change."""
        changed = self.reference.verdicts.put(place, value)
        day = date.fromisoformat(place[3])
        first, last = self._days or (day, day)
        self._days = min(first, day), max(last, day)
        self.note_changed(day)
        return changed

    def note_changed(self, day: date) -> None:
        """Note that something was filed on a day, or that its verdict has changed."""
        self._changed_from = min(self._changed_from or day, day)

    def reset(self, newest: NewestValues) -> None:
        """Begin again with what a database has after its machine lost power."""
        self.reference = ReferenceRates(ReferenceVerdicts(self._sources))
        self._days, self._last = None, None
        for values in newest.by_source.values():
            for place, value in values.items():
                self.put(place, value)

    def check(self, matrix: RateMatrix, today: date) -> None:
        """Check the days that have fixings, and those after them, as long as a rate is carried, and two more."""
        if self._days is None:
            return
        first = self._days[0] - _DAY
        last = min(max(self._days[1], today) + (CARRIED_DAYS + 2) * _DAY, matrix.last_day)
        self._count, begin = self._count + 1, first
        if self._last is not None and self._count % self._whole_every:
            begin = max(first, min(self._changed_from or self._compared_to, self._compared_to))
            self._check_same(matrix, self._last, first, begin)
        for offset in range((last - begin).days + 1):
            for code in self._codes:
                self._check_cell(matrix, code, begin + offset * _DAY)
        self._last, self._compared_to, self._changed_from = matrix, last, None

    def _check_same(self, matrix: RateMatrix, before: RateMatrix, first: date, end: date) -> None:
        """Check that nothing has changed on the days before `end`."""
        rows, rows_before = (slice(each.row(first), each.row(end)) for each in (matrix, before))
        for code in self._codes:
            if code in before.columns and code in matrix.columns:
                values = matrix.cells_by_day[rows, matrix.columns[code]]
                old = before.cells_by_day[rows_before, before.columns[code]]
                is_same = np.array_equal(values, old, equal_nan=True)
                require(is_same, MATRIX, f"{code} has changed before {end}, where nothing was filed")

    def _check_cell(self, matrix: RateMatrix, code: str, day: date) -> None:
        expected = self.reference.rate(code, day)
        value = matrix.cell(day, code) if code in matrix.columns else float("nan")
        if expected is None:
            require(isnan(value), MATRIX, f"{code} on {day} is {value}, but no source has it")
            return
        require(isclose(value, expected[0], rel_tol=_EXACT), MATRIX, f"{code} on {day} is {value}, not {expected[0]}")
        place = matrix.row(day) * len(matrix.codes) + matrix.columns[code]
        age = matrix.ages[place]
        require(age == expected[1], MATRIX, f"{code} on {day} is carried for {age} days, not {expected[1]}")
