"""Building the rate matrix from the fixings of all sources.

Of each code and day the preferred fixing is published, or the one that its verdict names. It is carried forward, pegs
and conversions are applied, and the listed currencies of each day are found.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from cambist.history.carry_forward import NEVER, Ages, Floats
from cambist.history.code_rates import NO_COLUMN, CodeRates, Outcomes, anchor_name, code_rates
from cambist.history.rate_matrix import BY_LAW, FIRST_DAY, NOBODY, RateMatrix
from cambist.history.source_history import SourceHistory
from cambist.pricing.anchor import anchors_of
from cambist.pricing.pair import PIVOT
from cambist.pricing.parity import Parity, parities_on, parity_periods, parity_spans
from cambist.pricing.quote import Derivation
from cambist.reference.assets import METALS
from cambist.reference.currency_tables import CURRENCIES, PEGS, Currency

__all__ = ["SourceHistory", "build_excerpt", "build_rate_matrix", "lives_between", "splice_excerpt"]

_OFF_PEG = 0.03
_PEGGED = frozenset(peg.code for peg in PEGS)

NO_OUTCOMES: Mapping[str, Outcomes] = {}


@dataclass(slots=True)
class _Column:
    """Units per pivot by day, the index of the source of each, the age of its fixing, whether others confirm it."""

    cells: Floats
    sources: NDArray[np.uint8]
    ages: Ages
    is_confirmed: NDArray[np.bool_]

    @classmethod
    def empty(cls, days: int) -> _Column:
        return cls(
            np.full(days, np.nan),
            np.full(days, NOBODY, np.uint8),
            np.full(days, NEVER, np.int16),
            np.zeros(days, np.bool_),
        )


@dataclass(slots=True)
class _Draft:
    days: int
    first_row: int = 0
    columns: dict[str, _Column] = field(default_factory=dict)
    ranked: Sequence[SourceHistory] = ()

    @property
    def first_day(self) -> date:
        """The day of the first row."""
        return FIRST_DAY + timedelta(days=self.first_row)

    def column(self, code: str) -> _Column:
        if code not in self.columns:
            self.columns[code] = _Column.empty(self.days)
        return self.columns[code]


def build_rate_matrix(
    histories: Iterable[SourceHistory], last_day: date, revision: str, outcomes: Mapping[str, Outcomes] = NO_OUTCOMES
) -> RateMatrix:
    """Return the matrix of all days from 1970 to `last_day`.

    The histories come best source first; `outcomes` are the verdicts that differ from what is preferred, by code.
    """
    return _build(list(histories), 0, (last_day - FIRST_DAY).days + 1, revision, outcomes)


def build_excerpt(
    histories: Iterable[SourceHistory], first_row: int, days: int, outcomes: Mapping[str, Outcomes] = NO_OUTCOMES
) -> RateMatrix:
    """Return so many days of the matrix from a row on, each as in the whole matrix."""
    return _build(list(histories), first_row, days, "", outcomes)


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


def _build(
    ranked: list[SourceHistory], first_row: int, days: int, revision: str, outcomes: Mapping[str, Outcomes]
) -> RateMatrix:
    draft = _Draft(days, first_row, ranked=ranked)
    pivot = draft.column(PIVOT)
    pivot.cells[:], pivot.ages[:] = 1.0, 0
    found = {code: rates for code in _codes(ranked) if (rates := code_rates(code, ranked)) is not None}
    wrong = {
        history.key: np.array(sorted(outcomes.get(anchor_name(history.anchor, history.key), ())), np.int64)
        for history in ranked
    }
    for code, rates in found.items():
        _fill(draft, rates, outcomes.get(code, {}), wrong)
    _clear_outsidelives_between(draft)
    _fix_parities(draft)
    return _matrix(draft, tuple(history.key for history in ranked), revision)


def _codes(ranked: Iterable[SourceHistory]) -> list[str]:
    """Return the codes with a column of their own, anchors' codes among them."""
    found = dict.fromkeys(code for history in ranked for code in sorted(history.codes))
    return [code for code in found if code in CURRENCIES or code in METALS]


def _fill(draft: _Draft, rates: CodeRates, outcomes: Outcomes, wrong: Mapping[str, NDArray[np.int64]]) -> None:
    """Fill the column of a code: each day has what was published of it, or of the last day before that has anything."""
    published = rates.published(outcomes)
    is_said = published != NO_COLUMN
    if not is_said.any():
        return
    said_days, said = rates.days[is_said] - draft.first_row, published[is_said]
    column, numbers = draft.column(rates.code), {id(history): n for n, history in enumerate(draft.ranked)}
    last = np.searchsorted(said_days, np.arange(draft.days), side="right") - 1
    source_of_day = np.where(last >= 0, said[np.maximum(last, 0)], NO_COLUMN)
    # Only what the law fixes is compared with it.
    agreed = rates.confirmed(published)[is_said] if rates.code in _PEGGED else np.zeros(len(said), np.bool_)
    confirmed = np.append(agreed, False)[last]
    for number in np.unique(said[said >= 0]).tolist():
        history, is_here = rates.histories[number], source_of_day == number
        cells, ages = history.carried(
            rates.code,
            rates.days[published == number],
            draft.days,
            draft.first_row,
            wrong[history.key],
        )
        is_here &= ~np.isnan(cells)
        column.cells[is_here], column.ages[is_here] = cells[is_here], ages[is_here]
        column.sources[is_here], column.is_confirmed[is_here] = numbers[id(history)], confirmed[is_here]


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
    begins = _first_rows(draft)
    for parity, first, end in parity_spans(draft.first_day, draft.days):
        if (start := max(first, begins.get(parity.anchor, end))) < end:
            _fix(draft, parity, slice(start, end))


def _first_rows(draft: _Draft) -> dict[str, int]:
    """Return from which row on each code has a column: what only the law fixes has one when its anchor has."""
    begins = dict.fromkeys(draft.columns, 0)
    for first, _ in parity_periods(draft.first_day, draft.days):
        for parity in parities_on(draft.first_day + timedelta(days=first)):
            if parity.code not in begins and parity.anchor in begins:
                begins[parity.code] = first
    return begins


def _fix(draft: _Draft, parity: Parity, part: slice) -> None:
    anchor = draft.column(parity.anchor)
    column = draft.column(parity.code)
    fixed = ~np.isnan(anchor.cells[part])
    legal = anchor.cells[part] * float(parity.factor)
    if parity.made is Derivation.PEGGED:
        # Two central banks that agree on a rate off a peg know that it has broken.
        with np.errstate(invalid="ignore"):
            is_broken = column.is_confirmed[part] & (np.abs(column.cells[part] / legal - 1) > _OFF_PEG)
        is_above_law = _outranks_pegs(draft, parity.code)[column.sources[part]] | is_broken
        fixed &= np.isnan(column.cells[part]) | ~is_above_law
    else:
        fixed[:] = True
    column.cells[part][fixed] = legal[fixed]
    column.sources[part][fixed] = BY_LAW
    column.ages[part][fixed] = anchor.ages[part][fixed]


def _outranks_pegs(draft: _Draft, code: str) -> NDArray[np.bool_]:
    """Return for each source index whether the source outranks a peg of the currency."""
    outranking = np.zeros(256, dtype=np.bool_)
    outranking[: len(draft.ranked)] = [
        history.outranks_pegs or code in anchors_of(history.anchor) for history in draft.ranked
    ]
    return outranking


def _matrix(draft: _Draft, sources: tuple[str, ...], revision: str) -> RateMatrix:
    last_rows = [history.last_row for history in draft.ranked]
    codes = tuple(sorted(code for code, column in draft.columns.items() if not np.isnan(column.cells).all()))
    columns = [draft.columns[code] for code in codes]
    cells = np.column_stack([column.cells for column in columns])
    listed_sets, listed_set_of_day = _eras(draft, codes)
    return RateMatrix(
        revision=revision,
        first_day=draft.first_day,
        last_fixing=FIRST_DAY + timedelta(days=max(last_rows, default=0)),
        codes=codes,
        listed_sets=listed_sets,
        listed_set_of_day=listed_set_of_day,
        cells=memoryview(cells.tobytes()).cast("d"),
        sources=sources,
        last_fixings=tuple(FIRST_DAY + timedelta(days=row) for row in last_rows),
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
