"""The history of one source: its fixings by code, crossed into the pivot, and carried forward."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import nan

import numpy as np
from numpy.typing import NDArray

from cambist.history.carry_forward import Ages, Floats, UnitChange, carry_forward
from cambist.history.fixing import Fixing
from cambist.history.pair_series import PairSeries, pair_series_of
from cambist.history.rate_matrix import FIRST_DAY
from cambist.pricing.anchor import anchor_in, anchors_of
from cambist.pricing.pair import PIVOT, Pair
from cambist.reference.currency_tables import REDENOMINATIONS

Days = NDArray[np.int64]

Line = tuple[Days, Floats]
"""Days (counted from 1970-01-01) that ascend, and the rate of each."""


@dataclass(slots=True)
class SourceHistory:
    """The fixings of one source; `anchor` is the currency that all its pairs share, under each of its codes.

    If the source `outranks_pegs`, its rates are used even for pegged currencies; the rate of its own anchor always is.
    `alias` is a second code for the anchor that has this source's rate only. A `compiled` source compiles what others
    publish. `hour` is the hour (UTC) of the market that its fixings show, NaN if it is not known.
    """

    anchor: str
    fixings: Iterable[Fixing | PairSeries]
    key: str = ""
    outranks_pegs: bool = True
    alias: str = ""
    compiled: bool = False
    hour: float = nan
    _series: dict[str, dict[str, PairSeries]] = field(default_factory=dict)
    _lines: dict[str, Line | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        published = list(self.fixings)
        ready = [each for each in published if isinstance(each, PairSeries)]
        for series in (*ready, *pair_series_of(each for each in published if isinstance(each, Fixing))):
            anchor = anchor_in(series.pair, self.anchor)
            self._series.setdefault(anchor, {})[series.pair.other(anchor)] = series
        self.fixings = ()

    @property
    def last_row(self) -> int:
        """The newest day that the source fixed, as a row of the rate matrix."""
        lines = (series for line in self._series.values() for series in line.values())
        return max((int(series.rows.max()) for series in lines if len(series.rows)), default=0)

    @property
    def codes(self) -> set[str]:
        """The codes that the source has a rate of."""
        own = {self.alias, *self._series} if self._series else set()
        return (own | {code for of_anchor in self._series.values() for code in of_anchor}) - {"", PIVOT}

    def issues(self, code: str) -> bool:
        """Return whether a code is the source's own: that of its anchor, or its alias."""
        return code == self.alias or code in anchors_of(self.anchor)

    def line(self, code: str) -> Line | None:
        """Return the days and units of a code per pivot, both legs of one day; None if there are none.

        The days before a redenomination of the anchor are those of its old code.
        """
        if code not in self._lines:
            self._lines[code] = self._line(self.anchor if code == self.alias else code)
        return self._lines[code]

    def _line(self, code: str) -> Line | None:
        parts = [part for anchor in reversed(anchors_of(self.anchor)) if (part := self._line_by(anchor, code))]
        if len(parts) < 2:
            return parts[0] if parts else None
        rows, units = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        rows, last = np.unique(rows[::-1], return_index=True)  # the newer code of the anchor counts
        return rows, units[::-1][last]

    def _line_by(self, anchor: str, code: str) -> Line | None:
        of_anchor = self._series.get(anchor, {})
        if anchor == PIVOT:
            own = _per_anchor(of_anchor.get(code), anchor)
            return own if own is not None and len(own[0]) else None
        pivot = _per_anchor(of_anchor.get(PIVOT), anchor)
        if pivot is None or not len(pivot[0]):
            return None
        if code == anchor:
            return pivot[0], 1 / pivot[1]
        own = _per_anchor(of_anchor.get(code), anchor)
        if own is None:
            return None
        if len(own[0]) == len(pivot[0]) and np.array_equal(own[0], pivot[0]):
            return own[0], own[1] / pivot[1]
        rows, of_own, of_pivot = np.intersect1d(own[0], pivot[0], assume_unique=True, return_indices=True)
        return (rows, own[1][of_own] / pivot[1][of_pivot]) if len(rows) else None

    def leg(self, code: str) -> dict[str, PairSeries]:
        """Return what the source published of a code, by the code that its anchor had then."""
        return {anchor: series for anchor, of_anchor in self._series.items() if (series := of_anchor.get(code))}

    def carried(self, code: str, published: Days, days: int, first_row: int, wrong: Days) -> tuple[Floats, Ages]:
        """Return the units of a code per pivot on so many days from a row on, and their ages.

        What was `published` on some days is carried forward in the anchor of the source, at its newest rate of the
        pivot: a rate of roubles in euros stays what it was published as. Days on which that rate is `wrong` are left
        out.
        """
        cells, ages = np.full(days, np.nan), np.full(days, np.iinfo(np.int16).max, np.int16)
        own_code = self.anchor if code == self.alias else code
        for anchor in anchors_of(self.anchor):
            of_anchor = self._series.get(anchor, {})
            if anchor != PIVOT and PIVOT not in of_anchor:
                continue
            is_own = own_code == anchor
            own = _per_anchor(of_anchor.get(PIVOT if is_own else own_code), anchor)
            if own is None:
                continue
            kept = np.isin(own[0], published, assume_unique=True)
            if not kept.any():
                continue
            of_pair = PIVOT if is_own else own_code
            found, of_found = carry_forward(
                own[0][kept] - first_row, own[1][kept], days, _unit_changes(of_pair, anchor, first_row)
            )
            if is_own:
                found = 1 / found
            elif anchor != PIVOT:
                found = found / self._pivot(anchor, days, first_row, published, wrong)
            is_newer = of_found < ages
            cells[is_newer], ages[is_newer] = found[is_newer], of_found[is_newer]
        return cells, ages

    def _pivot(self, anchor: str, days: int, first_row: int, published: Days, wrong: Days) -> Floats:
        rows, rates = self._line_of(anchor)
        kept = ~np.isin(rows, wrong, assume_unique=True) | np.isin(rows, published, assume_unique=True)
        changes = _unit_changes(PIVOT, anchor, first_row)
        return carry_forward(rows[kept] - first_row, rates[kept], days, changes)[0]

    def _line_of(self, anchor: str) -> Line:
        return _per_anchor(self._series[anchor][PIVOT], anchor) or (np.empty(0, np.int64), np.empty(0))

    def merged(self, found: Iterable[PairSeries], first: int, last: int) -> SourceHistory:
        """Return the history with other fixings of the days from `first` to `last`: what is not found is gone."""
        new = {series.pair: series for series in found}
        known = {series.pair: series for of_anchor in self._series.values() for series in of_anchor.values()}
        merged = [_merged(known.get(pair), new.get(pair), pair, first, last) for pair in dict.fromkeys((*known, *new))]
        return SourceHistory(self.anchor, merged, self.key, self.outranks_pegs, self.alias, self.compiled, self.hour)


def _merged(known: PairSeries | None, new: PairSeries | None, pair: Pair, first: int, last: int) -> PairSeries:
    if known is None:
        return new or PairSeries(pair, np.empty(0, np.int64), np.empty(0))
    start, end = np.searchsorted(known.rows, (first, last + 1))
    middle = ([], []) if new is None else ([new.rows], [new.rates])
    rows = np.concatenate((known.rows[:start], *middle[0], known.rows[end:]))
    return PairSeries(pair, rows, np.concatenate((known.rates[:start], *middle[1], known.rates[end:])))


def changed_days(before: SourceHistory, after: SourceHistory, code: str) -> tuple[int, int] | None:
    """Return the first and the last day on which a source's rate of a code is another one; None if none is."""
    nothing: Line = np.empty(0, np.int64), np.empty(0)
    (old_rows, old), (new_rows, new) = before.line(code) or nothing, after.line(code) or nothing
    if np.array_equal(old_rows, new_rows):
        rows = old_rows[old != new]
    else:
        _, of_old, of_new = np.intersect1d(old_rows, new_rows, assume_unique=True, return_indices=True)
        rows = np.concatenate((np.setxor1d(old_rows, new_rows), new_rows[of_new][old[of_old] != new[of_new]]))
    return (int(rows.min()), int(rows.max())) if len(rows) else None


def _per_anchor(series: PairSeries | None, anchor: str) -> Line | None:
    if series is None:
        return None
    return series.rows, series.rates if series.pair.base == anchor else 1 / series.rates


def _unit_changes(code: str, anchor: str, first_row: int) -> list[UnitChange]:
    """Return the unit changes of `code` per `anchor`: the redenominations of either under its own code."""
    return [
        (
            (change.first_day - FIRST_DAY).days - first_row,
            float(change.factor if change.old == anchor else 1 / change.factor),
        )
        for change in REDENOMINATIONS
        if change.old == change.new and change.old in (code, anchor)
    ]
