"""Rate changes: which rates of past days are other ones in one rate matrix than in another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import inf, isnan, log

import numpy as np

from cambist.history.carry_forward import Floats
from cambist.history.rate_matrix import BY_LAW, RateMatrix
from cambist.verdicts.facts import Bools

LEAST_CHANGE = 0.001
"""Rates that differ by less are not listed."""


@dataclass(frozen=True, slots=True)
class RateChange:
    """A day on which a code has another rate than before, in units per US dollar; None for no rate."""

    code: str
    day: date
    before: float | None
    after: float | None

    @property
    def size(self) -> float:
        """How far the rates are apart (log); infinite if there is none on one side."""
        return inf if self.before is None or self.after is None else abs(log(self.after / self.before))


def rate_changes(before: RateMatrix, after: RateMatrix, until: date) -> list[RateChange]:
    """Return the changes of all days up to one, by code and day. Both matrices begin with the same day.

    Rates that follow from another code's by law are left out: that one is listed.
    """
    rows = min(before.row(until), after.row(until), before.row(before.last_day), after.row(after.last_day)) + 1
    found: list[RateChange] = []
    for code in sorted(before.columns.keys() | after.columns.keys()):
        old, new = _column(before, code, rows), _column(after, code, rows)
        with np.errstate(invalid="ignore"):
            is_other = (np.abs(np.log(new / old)) > LEAST_CHANGE) | (np.isnan(old) != np.isnan(new))
        is_other &= ~(_is_by_law(before, code, rows) & _is_by_law(after, code, rows))
        found += [
            RateChange(code, before.first_day + timedelta(days=row), _known(float(old[row])), _known(float(new[row])))
            for row in np.flatnonzero(is_other).tolist()
        ]
    return found


def _column(matrix: RateMatrix, code: str, rows: int) -> Floats:
    column = matrix.columns.get(code)
    return np.full(rows, np.nan) if column is None else matrix.cells_by_day[:rows, column]


def _is_by_law(matrix: RateMatrix, code: str, rows: int) -> Bools:
    column = matrix.columns.get(code)
    if column is None or not len(matrix.source_indexes):
        return np.full(rows, column is None)
    sources: Bools = np.asarray(matrix.source_indexes).reshape(-1, len(matrix.codes))[:rows, column] == BY_LAW
    return sources


def _known(value: float) -> float | None:
    return None if isnan(value) else value


def summarize_changes(changes: Sequence[RateChange], most: int = 3) -> str:
    """Return how many days of how many codes have changed, with the largest changes of a rate."""
    codes = {each.code for each in changes}
    largest: dict[str, RateChange] = {}
    for each in sorted((each for each in changes if each.size != inf), key=lambda each: -each.size):
        largest.setdefault(each.code, each)
    named = list(largest.values())[:most]
    examples = "; ".join(f"{each.code} on {each.day}: {each.before:.10g}, now {each.after:.10g}" for each in named)
    return f"{len(changes)} days of {len(codes)} codes" + (f" ({examples})" if examples else "")


def changes_as_csv(changes: Iterable[RateChange]) -> str:
    """Return changes as CSV, a line each; an empty field means no rate."""
    lines = [f"{each.code},{each.day},{_digits(each.before)},{_digits(each.after)}" for each in changes]
    return "\n".join(["code,day,before,after", *lines, ""])


def _digits(value: float | None) -> str:
    return "" if value is None else f"{value:.10g}"
