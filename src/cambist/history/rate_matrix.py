"""The columnar image: what every currency was worth on every day, ready to be read.

A cell is the units of a currency that one unit of the pivot buys, float64, NaN where there is none. Days are
rows, currencies columns. What a day reads is already decided in it: carried forward, pegged, converted, ended.
An era is a run of days that list the same currencies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from math import isnan

FIRST_DAY = date(1970, 1, 1)

NOBODY = 254
"""The voice of a cell that no source spoke for: an empty one, or the pivot's own."""

BY_LAW = 255
"""The voice of a cell that a peg or a conversion decides."""


@dataclass(frozen=True)
class RateMatrix:
    """One immutable state of the history.

    `cells` holds days x codes float64, row by row. `listed_sets` has the sets of currencies that days list, each as a
    tuple of columns, and `listed_set_of_day` one index into it for each day. `revision` names the data that the matrix
    was built from. `last_fixing` is the newest day that any source fixed, `last_fixings` that of each of `sources`, and
    `fixed_at` the time zone and hour that each source's fixings are of. `source_indexes` and `ages` hold a byte a cell:
    the index in `sources` of the source that the value comes from (or NOBODY, or BY_LAW), and for how many days the
    value was carried forward. `damaged` counts the rows of the archive that were left out because they are not what was
    stored, or are missing.
    """

    revision: str
    first_day: date
    last_fixing: date
    codes: tuple[str, ...] = field(repr=False)
    listed_sets: tuple[tuple[int, ...], ...] = field(repr=False)
    listed_set_of_day: Sequence[int] = field(repr=False)
    cells: memoryview[float] = field(repr=False)
    sources: tuple[str, ...] = ()
    last_fixings: tuple[date, ...] = ()
    fixed_at: tuple[tuple[str, str], ...] = ()
    damaged: int = 0
    source_indexes: memoryview[int] = field(default=memoryview(b""), repr=False)
    ages: memoryview[int] = field(default=memoryview(b""), repr=False)
    columns: Mapping[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", {code: column for column, code in enumerate(self.codes)})

    @cached_property
    def last_day(self) -> date:
        """The last day that has a row."""
        return self.first_day + timedelta(days=len(self.listed_set_of_day) - 1)

    def row(self, day: date) -> int:
        """Give the day's row; outside the image it is none of its rows."""
        return (day - self.first_day).days

    def has(self, day: date) -> bool:
        """Say whether the day has a row."""
        return 0 <= self.row(day) < len(self.listed_set_of_day)

    def cell(self, day: date, code: str) -> float:
        """Give what one pivot unit buys of `code` on a day; NaN where there is none."""
        column = self.columns.get(code)
        if column is None or not self.has(day):
            return float("nan")
        return self.cells[self.row(day) * len(self.codes) + column]

    def source_and_age(self, day: date, code: str) -> tuple[int, int]:
        """Give whose word a cell is, as a place in `sources`, and how many days it was carried."""
        return self.sources_and_ages(day, (code,))[0]

    def sources_and_ages(self, day: date, codes: Iterable[str]) -> list[tuple[int, int]]:
        """Give voice and age of several codes, as `source_index` does."""
        if not self.has(day) or not self.source_indexes:
            return [(NOBODY, 0) for _ in codes]
        start = self.row(day) * len(self.codes)
        places = (start + column if (column := self.columns.get(code)) is not None else -1 for code in codes)
        return [(NOBODY, 0) if place < 0 else (self.source_indexes[place], self.ages[place]) for place in places]

    def span(self, code: str) -> tuple[date, date] | None:
        """Give the first day with a value of `code`, and the last of which something was said: no day lies ahead.

        None where there is none at all. A day that only carries a fixing of before says nothing of its own.
        """
        column = self.columns.get(code)
        if column is None:
            return None
        width, end = len(self.codes), (self.row(self.last_fixing) + 1) * len(self.codes)
        there = [not isnan(cell) for cell in self.cells[column:end:width].tolist()]
        if not any(there):
            return None
        ages = self.ages[column:end:width].tolist() or [0] * len(there)
        said = [row for row, (is_there, age) in enumerate(zip(there, ages, strict=True)) if is_there and not age]
        first = there.index(True)
        return self._day(first), self._day(max(said, default=first))

    def _day(self, row: int) -> date:
        return self.first_day + timedelta(days=row)
