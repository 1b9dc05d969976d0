"""The rate matrix: the rate of every currency on every day, ready to be read.

Days are rows, currencies are columns. A cell is the units of a currency for one unit of the pivot (float64), or NaN if
there is no rate. Everything is already applied: fixings are carried forward, pegs and conversions derived, and
currencies have no rate before their first and after their last day.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

FIRST_DAY = date(1970, 1, 1)

NOBODY = 254
"""The source index of a cell without a source: an empty one, or the pivot's own."""

BY_LAW = 255
"""The source index of a cell that was derived from a peg or a conversion."""

Span = tuple[date, date]
"""The first day on which a code has a value, and the last one on which it was fixed."""


@dataclass(frozen=True)
class RateMatrix:
    """One immutable state of the history.

    `cells` holds days x codes float64, row by row. `listed_sets` has the sets of currencies that days list, each as a
    tuple of columns, and `listed_set_of_day` one index into it for each day. `revision` names the data that the matrix
    was built from. `last_fixing` is the newest day that any source fixed, `last_fixings` that of each of `sources`, and
    `fixed_at` the time zone and hour that each source's fixings are of. `source_indexes` and `ages` hold a byte a cell:
    the index in `sources` of the source that the value comes from (or NOBODY, or BY_LAW), and for how many days the
    value was carried forward. `spans` are those of `codes`, if they were found before: to find one takes a look at all
    days. `damaged` counts the rows of the archive that were left out because they are not what was stored, or are
    missing. `edition` names this state of the history to clients, and `digest` is the SHA-256 of what it says; both are
    empty for a matrix that is not recorded. An excerpt has some days only, and knows no spans.
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
    edition: str = ""
    digest: str = ""
    is_excerpt: bool = False
    source_indexes: memoryview[int] = field(default=memoryview(b""), repr=False)
    ages: memoryview[int] = field(default=memoryview(b""), repr=False)
    spans: tuple[Span | None, ...] = field(default=(), repr=False)
    columns: Mapping[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", {code: column for column, code in enumerate(self.codes)})

    @cached_property
    def cells_by_day(self) -> NDArray[np.float64]:
        """The cells as an array of days and codes."""
        return np.asarray(self.cells).reshape(-1, len(self.codes))

    @cached_property
    def _spans(self) -> dict[str, Span | None]:
        """The spans of codes that were asked for, of a matrix without `spans`."""
        return {}

    @cached_property
    def last_day(self) -> date:
        """The last day that has a row."""
        return self.first_day + timedelta(days=len(self.listed_set_of_day) - 1)

    def row(self, day: date) -> int:
        """Return the row of a day. For a day outside the matrix it is not a valid row."""
        return (day - self.first_day).days

    def has(self, day: date) -> bool:
        """Return whether a day has a row."""
        return 0 <= self.row(day) < len(self.listed_set_of_day)

    def has_rows(self, first: int, last: int) -> bool:
        """Return whether the days from one to another, counted from 1970-01-01, have rows with sources and ages."""
        start = self.row(FIRST_DAY)
        return 0 <= first + start <= last + start < len(self.listed_set_of_day) and len(self.source_indexes) > 0

    def cell(self, day: date, code: str) -> float:
        """Return the units of `code` for one unit of the pivot on a day; NaN if there is no rate."""
        column = self.columns.get(code)
        if column is None or not self.has(day):
            return float("nan")
        return self.cells[self.row(day) * len(self.codes) + column]

    def source_and_age(self, day: date, code: str) -> tuple[int, int]:
        """Return the source index of a cell, and for how many days its value was carried forward."""
        return self.sources_and_ages(day, (code,))[0]

    def sources_and_ages(self, day: date, codes: Iterable[str]) -> list[tuple[int, int]]:
        """Return source index and age of several codes, as `source_and_age` does."""
        if not self.has(day) or not self.source_indexes:
            return [(NOBODY, 0) for _ in codes]
        start = self.row(day) * len(self.codes)
        places = (start + column if (column := self.columns.get(code)) is not None else -1 for code in codes)
        return [(NOBODY, 0) if place < 0 else (self.source_indexes[place], self.ages[place]) for place in places]

    def span(self, code: str) -> Span | None:
        """Return the first day with a value of `code`, and the last one on which it was fixed; None if it has no value.

        Days to which a fixing was only carried forward do not count.
        """
        if self.is_excerpt:
            return None
        if self.spans and (column := self.columns.get(code)) is not None:
            return self.spans[column]
        if code not in self._spans:
            self._spans[code] = self._find_span(code)
        return self._spans[code]

    def _find_span(self, code: str) -> Span | None:
        column = self.columns.get(code)
        if column is None:
            return None
        width, end = len(self.codes), (self.row(self.last_fixing) + 1) * len(self.codes)
        has_value = ~np.isnan(np.asarray(self.cells[column:end:width]))
        valued = np.flatnonzero(has_value)
        if not len(valued):
            return None
        is_fixed = has_value & (np.asarray(self.ages[column:end:width]) == 0) if len(self.ages) else has_value
        fixed, first = np.flatnonzero(is_fixed), int(valued[0])
        return self._day(first), self._day(int(fixed[-1]) if len(fixed) else first)

    def _day(self, row: int) -> date:
        return self.first_day + timedelta(days=row)
