"""Building the rate matrix from the fixings of all sources.

Fixings are carried forward and crossed into the pivot, the best source is chosen for each cell, pegs and conversions
are applied, and the listed currencies of each day are found.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from cambist.history.carry_forward import NEVER, Ages, Floats
from cambist.history.rate_matrix import BY_LAW, FIRST_DAY, NOBODY, RateMatrix
from cambist.history.source_history import SourceHistory
from cambist.pricing.anchor import anchors_of
from cambist.pricing.pair import PIVOT
from cambist.pricing.parity import Parity, parities_on, parity_periods
from cambist.pricing.quote import Derivation
from cambist.reference.assets import METALS
from cambist.reference.tables import CURRENCIES, Currency

__all__ = ["PATIENCE", "SourceHistory", "build_excerpt", "build_rate_matrix", "lives_between", "splice_excerpt"]

PATIENCE = 5
"""How many days a better source may be behind a worse one and still be used: its longest run of holidays."""


@dataclass(slots=True)
class _Column:
    """Units per pivot by day, the index of the source of each, and the age of its fixing in days."""

    cells: Floats
    sources: NDArray[np.uint8]
    ages: Ages

    @classmethod
    def empty(cls, days: int) -> _Column:
        return cls(np.full(days, np.nan), np.full(days, NOBODY, np.uint8), np.full(days, NEVER, np.int16))

    def fill(self, cells: Floats, ages: Ages, source: int) -> None:
        """Use a source where there is no value yet, or where the better source's value is much older."""
        better = ~np.isnan(cells) & (np.isnan(self.cells) | (ages + PATIENCE < self.ages))
        self.cells[better] = cells[better]
        self.sources[better] = source
        self.ages[better] = ages[better]


@dataclass(slots=True)
class _Draft:
    days: int
    first_row: int = 0
    columns: dict[str, _Column] = field(default_factory=dict)
    anchors: list[str] = field(default_factory=list)
    outranking: list[bool] = field(default_factory=list)
    last_rows: list[int] = field(default_factory=list)

    @property
    def first_day(self) -> date:
        """The day of the first row."""
        return FIRST_DAY + timedelta(days=self.first_row)

    def column(self, code: str) -> _Column:
        if code not in self.columns:
            self.columns[code] = _Column.empty(self.days)
        return self.columns[code]


def build_rate_matrix(histories: Iterable[SourceHistory], last_day: date, revision: str) -> RateMatrix:
    """Return the matrix of all days from 1970 to `last_day`. The histories come best source first."""
    return _build(list(histories), 0, (last_day - FIRST_DAY).days + 1, revision)


def build_excerpt(histories: Iterable[SourceHistory], first_row: int, days: int) -> RateMatrix:
    """Return so many days of the matrix from a row on, each as in the whole matrix."""
    return _build(list(histories), first_row, days, "")


def splice_excerpt(
    base: RateMatrix, first_row: int, days: int, codes: Iterable[str], parts: Iterable[RateMatrix]
) -> RateMatrix:
    """Return so many days of some codes of a matrix from a row on, with the days of `parts` in place of its own."""
    draft = _Draft(days, first_row)
    start = base.row(draft.first_day)
    chosen = [code for code in (PIVOT, *codes) if code in base.columns]
    for code in chosen:
        _copy_column(draft.column(code), base, code, slice(start, start + days), 0)
    for part in parts:
        at = (part.first_day - draft.first_day).days
        for code in (PIVOT, *codes):
            _copy_column(draft.column(code), part, code, slice(0, len(part.listed_set_of_day)), at)
    return _matrix(draft, base.sources, "")


def _copy_column(column: _Column, matrix: RateMatrix, code: str, rows: slice, at: int) -> None:
    """Copy the column of a code, which is empty if a matrix does not have it, to the rows from `at` on."""
    to, found = slice(at, at + rows.stop - rows.start), matrix.columns.get(code)
    if found is None:
        column.cells[to], column.sources[to], column.ages[to] = np.nan, NOBODY, NEVER
        return
    width = len(matrix.codes)
    column.cells[to] = matrix.cells_by_day[rows, found]
    column.sources[to] = np.asarray(matrix.source_indexes).reshape(-1, width)[rows, found]
    column.ages[to] = np.asarray(matrix.ages).reshape(-1, width)[rows, found]


def _build(ranked: list[SourceHistory], first_row: int, days: int, revision: str) -> RateMatrix:
    draft = _Draft(days, first_row)
    draft.column(PIVOT).fill(np.ones(draft.days), np.zeros(draft.days, np.int16), NOBODY)
    # The issuer of a currency is its best source; after that the rank of the sources decides.
    for number, history in enumerate(ranked):
        draft.anchors.append(history.anchor)
        draft.outranking.append(history.outranks_pegs)
        draft.last_rows.append(history.last_row)
        _fill(draft, history.own(days, first_row), number)
    for number, history in enumerate(ranked):
        _fill(draft, history.others(days, first_row), number)
    _clear_outsidelives_between(draft)
    _fix_parities(draft)
    return _matrix(draft, tuple(history.key for history in ranked), revision)


def _fill(draft: _Draft, columns: Iterable[tuple[str, Floats, Ages]], number: int) -> None:
    for code, cells, ages in columns:
        if code != PIVOT and (code in CURRENCIES or code in METALS):
            draft.column(code).fill(cells, ages, number)


def _clear_outsidelives_between(draft: _Draft) -> None:
    """Remove the values of a currency before its first and after its last day."""
    for code, column in draft.columns.items():
        if code in CURRENCIES:
            outside = ~lives_between(CURRENCIES[code], draft.days, draft.first_day)
            column.cells[outside] = np.nan
            column.sources[outside] = NOBODY
            column.ages[outside] = NEVER


def lives_between(currency: Currency, days: int, start: date) -> NDArray[np.bool_]:
    """Return for so many days from `start` on whether a currency is money."""
    lives = np.zeros(days, dtype=np.bool_)
    for life in currency.lives:
        end = days if life.last_day is None else (life.last_day - start).days + 1
        lives[max(0, (life.first_day - start).days) : max(0, end)] = True
    return lives


def _fix_parities(draft: _Draft) -> None:
    """Apply conversions everywhere, and pegs where no source that outranks pegs publishes the currency."""
    for first, end in parity_periods(draft.first_day, draft.days):
        for parity in parities_on(draft.first_day + timedelta(days=first)):
            _fix(draft, parity, slice(first, end))


def _fix(draft: _Draft, parity: Parity, part: slice) -> None:
    anchor = draft.columns.get(parity.anchor)
    if anchor is None:
        return
    column = draft.column(parity.code)
    fixed = ~np.isnan(anchor.cells[part])
    if parity.made is Derivation.PEGGED:
        fixed &= np.isnan(column.cells[part]) | ~_outranks_pegs(draft, parity.code)[column.sources[part]]
    else:
        fixed[:] = True
    column.cells[part][fixed] = anchor.cells[part][fixed] * float(parity.factor)
    column.sources[part][fixed] = BY_LAW
    column.ages[part][fixed] = anchor.ages[part][fixed]


def _outranks_pegs(draft: _Draft, code: str) -> NDArray[np.bool_]:
    """Return for each source index whether the source outranks a peg of the currency."""
    outranking = np.zeros(256, dtype=np.bool_)
    outranking[: len(draft.anchors)] = [
        outranks or code in anchors_of(anchor) for outranks, anchor in zip(draft.outranking, draft.anchors, strict=True)
    ]
    return outranking


def _matrix(draft: _Draft, sources: tuple[str, ...], revision: str) -> RateMatrix:
    codes = tuple(sorted(code for code, column in draft.columns.items() if not np.isnan(column.cells).all()))
    columns = [draft.columns[code] for code in codes]
    cells = np.column_stack([column.cells for column in columns])
    listed_sets, listed_set_of_day = _eras(draft, codes)
    return RateMatrix(
        revision=revision,
        first_day=draft.first_day,
        last_fixing=FIRST_DAY + timedelta(days=max(draft.last_rows, default=0)),
        codes=codes,
        listed_sets=listed_sets,
        listed_set_of_day=listed_set_of_day,
        cells=memoryview(cells.tobytes()).cast("d"),
        sources=sources,
        last_fixings=tuple(FIRST_DAY + timedelta(days=row) for row in draft.last_rows),
        source_indexes=memoryview(np.column_stack([column.sources for column in columns]).tobytes()),
        ages=memoryview(
            np.column_stack([np.minimum(column.ages, 255) for column in columns]).astype(np.uint8).tobytes()
        ),
    )


def _eras(draft: _Draft, codes: tuple[str, ...]) -> tuple[tuple[tuple[int, ...], ...], array[int]]:
    """Return the sets of listed currencies, which exist on a day and have a value, and the index of each day's set."""
    listed = np.column_stack([_mask(draft.columns[code].cells, code, draft.first_day) for code in codes])
    numbers: dict[bytes, int] = {}
    listed_set_of_day = array("H", (numbers.setdefault(flags.tobytes(), len(numbers)) for flags in listed))
    return tuple(tuple(n for n, flag in enumerate(flags) if flag) for flags in numbers), listed_set_of_day


def _mask(cells: Floats, code: str, start: date) -> NDArray[np.bool_]:
    mask = ~np.isnan(cells)
    if code not in CURRENCIES:
        return np.zeros_like(mask)
    return mask & lives_between(CURRENCIES[code], len(cells), start)
