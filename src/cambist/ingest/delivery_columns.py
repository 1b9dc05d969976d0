"""Turning a delivery into columns: units per pivot, medians of the other sources, legal rates, filed values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from math import nan

import numpy as np

from cambist.history.filed_values import FiledValue, FiledValues
from cambist.history.fixing import Fixing
from cambist.history.rate_matrix import BY_LAW, FIRST_DAY, RateMatrix
from cambist.ingest.fixing_columns import Bools, FixingColumns, Floats, Ints
from cambist.ingest.other_sources import MedianRange, OtherSources
from cambist.pricing.pair import PIVOT, Pair
from cambist.reference.tables import PEGS
from cambist.sources.base import Source

PEG_ANCHORS = frozenset(peg.anchor for peg in PEGS) - {PIVOT}
_PEGGED = frozenset(peg.code for peg in PEGS)


@dataclass(slots=True)
class DeliveryColumns:
    """Makes the columns of each code of a delivery; see `FixingValidator` for the fields.

    `_anchors` are the source's own rates per anchor, by day, of the pivot and of currencies that others are pegged to.
    """

    source: Source
    matrix: RateMatrix | None
    filed: FiledValues
    others: OtherSources | None
    _anchors: dict[str, dict[int, float]] = field(default_factory=dict)

    def code_of(self, pair: Pair) -> str:
        """Return the code that a pair prices: the source's anchor for its rate of the pivot."""
        code = pair.other(self.source.anchor)
        return self.source.anchor if code == PIVOT else code

    def record_anchors(self, fixings: Sequence[Fixing]) -> None:
        """Record the source's own rates of the pivot and of currencies that others are pegged to."""
        codes = {pair: pair.other(self.source.anchor) for pair in {fixing.pair for fixing in fixings}}
        anchors = {pair: code for pair, code in codes.items() if code in PEG_ANCHORS or code == PIVOT}
        for fixing in fixings:
            if fixing.pair in anchors and fixing.value > 0:
                own = self._anchors.setdefault(anchors[fixing.pair], {})
                own[day_number(fixing)] = self._per_anchor(fixing)
        # Stored fixings come last: they replace a delivered dollar rate that may be refused itself.
        for pair, values in self.filed.by_pair.items():
            code = pair.other(self.source.anchor)
            if code in PEG_ANCHORS or code == PIVOT:
                own = self._anchors.setdefault(code, {})
                own.update(
                    ((day - FIRST_DAY).days, self._filed_per_anchor(pair, value)) for day, value in values.items()
                )

    def columns(self, code: str, fixings: list[Fixing], places: list[int], days: Ints) -> FixingColumns:
        """Return the fixings of a code as columns; `days` are rows of the rate matrix."""
        rates = _rates(fixings)
        units = self._units(fixings, rates, days)
        low = high = pegs = np.full(len(fixings), nan)
        if self.others is not None:
            low, high = self.others.median_columns(code, days)
        is_by_law, cells = self._by_law(code, days)
        if is_by_law.any():
            low, high = np.where(is_by_law, nan, low), np.where(is_by_law, nan, high)
            pegs = np.where(is_by_law, self._pegged(code, days, cells), nan) if code in _PEGGED else pegs
        settled, corrections = self._compared_with_filed(fixings)
        return FixingColumns(
            fixings, places, _following(fixings), days, units, low, high, pegs, corrections, rates > 0, settled
        )

    def units(self, fixing: Fixing) -> float:
        """Return units of the fixing's code per pivot (of the anchor, if the code is the pivot); NaN if unknown."""
        return float(self._units([fixing], _rates([fixing]), np.array([day_number(fixing)]))[0])

    def others_on(self, code: str, day: date) -> MedianRange | None:
        """Return the middle rates of the other sources; None if there are none, or if the rate is fixed by law."""
        if self.others is None or self._by_law(code, np.array([(day - FIRST_DAY).days]))[0][0]:
            return None
        return self.others.median_range(code, day)

    def _units(self, fixings: list[Fixing], rates: Floats, days: Ints) -> Floats:
        anchor, pairs = self.source.anchor, {fixing.pair for fixing in fixings}
        bases = [fixing.pair.base for fixing in (fixings if len(pairs) > 1 else fixings[:1])]
        per_anchor: Floats = np.where(np.array([base == anchor for base in bases]), rates, 1 / rates)
        if anchor == PIVOT:
            return per_anchor
        if all(pair.other(anchor) == PIVOT for pair in pairs):
            return 1 / per_anchor
        own = self._anchors.get(PIVOT, {})
        pivots: Floats = np.array([own.get(day) or self._pivot_of_others(day) for day in days.tolist()])
        return per_anchor / pivots

    def _pivot_of_others(self, day: int) -> float:
        return nan if self.matrix is None else 1 / self.matrix.cell(FIRST_DAY + timedelta(days=day), self.source.anchor)

    def _per_anchor(self, fixing: Fixing) -> float:
        """Return units of the other side per one unit of the anchor."""
        rate = _rate(fixing)
        return rate if fixing.pair.base == self.source.anchor else 1 / rate

    def _filed_per_anchor(self, pair: Pair, value: FiledValue) -> float:
        unit = self.filed.units.get(pair, "")
        return self._per_anchor(Fixing(self.source.key, pair, FIRST_DAY, Decimal(value.digits), value.nominal, unit))

    def _by_law(self, code: str, days: Ints) -> tuple[Bools, Floats]:
        """Return for which days a code's rate was derived from a peg or a conversion, and the rates."""
        matrix = self.matrix
        if matrix is None or not matrix.source_indexes or code not in matrix.columns:
            return np.zeros(len(days), np.bool_), np.full(len(days), nan)
        rows = days - (matrix.first_day - FIRST_DAY).days
        is_inside = (rows >= 0) & (rows < len(matrix.listed_set_of_day))
        cells = np.where(is_inside, rows, 0) * len(matrix.codes) + matrix.columns[code]
        sources = np.asarray(matrix.source_indexes)[cells]
        return is_inside & (sources == BY_LAW), np.asarray(matrix.cells)[cells]

    def _pegged(self, code: str, days: Ints, cells: Floats) -> Floats:
        """Return the legal rates, by the source's own rate of the peg's anchor if it has one.

        Two sources that fix at different hours may differ more in the anchor than a peg is allowed to.
        """
        legal, anchor = cells.copy(), self.source.anchor
        pivots = np.ones(len(days)) if anchor == PIVOT else self._own(PIVOT, days)
        for peg in reversed([peg for peg in PEGS if peg.code == code]):
            own = np.ones(len(days)) if peg.anchor == anchor else self._own(peg.anchor, days)
            rates = own / pivots * float(peg.factor)
            holds = np.array([peg.holds_on(FIRST_DAY + timedelta(days=day)) for day in days.tolist()])
            legal = np.where(holds, np.where(np.isnan(rates), cells, rates), legal)
        return legal

    def _own(self, code: str, days: Ints) -> Floats:
        own = {} if code == PIVOT == self.source.anchor else self._anchors.get(code, {})
        return np.array([own.get(day, nan) for day in days.tolist()])

    def _compared_with_filed(self, fixings: list[Fixing]) -> tuple[Bools, Floats]:
        """Return which fixings are filed as they are, and the ratio to the filed value of those that are not."""
        settled, corrections = np.zeros(len(fixings), np.bool_), np.full(len(fixings), nan)
        if not any(self.filed.of(pair) for pair in {fixing.pair for fixing in fixings}):
            return settled, corrections
        for index, fixing in enumerate(fixings):
            stored = self.filed.of(fixing.pair).get(fixing.day)
            if stored is None or not fixing.value > 0:
                continue
            is_same = stored == (fixing.nominal, str(fixing.value))
            if is_same or (stored.nominal == fixing.nominal and Decimal(stored.digits) == fixing.value):
                settled[index] = True
            else:
                corrections[index] = self._per_anchor(fixing) / self._filed_per_anchor(fixing.pair, stored)
        return settled, corrections


@cache
def anchor_pairs(anchor: str) -> frozenset[Pair]:
    """Return the pairs of a source by which its other rates are converted: those of the pivot and of pegs' anchors."""
    codes = (PEG_ANCHORS | {PIVOT}) - {anchor}
    return frozenset(pair for code in codes for pair in (Pair(anchor, code), Pair(code, anchor)))


def _rates(fixings: list[Fixing]) -> Floats:
    """Return the prices of one unit of the base, of a precious metal one troy ounce."""
    return np.array([_rate(one) if one.unit else float(one.value) / one.nominal for one in fixings])


def _rate(fixing: Fixing) -> float:
    return float(fixing.rate) if fixing.unit else float(fixing.value) / fixing.nominal


def day_number(fixing: Fixing) -> int:
    """Return the day of a fixing as a row of the rate matrix."""
    return (fixing.day - FIRST_DAY).days


def _following(fixings: list[Fixing]) -> list[int]:
    """Return for each fixing the index of the next one of its pair, -1 if there is none."""
    if len({fixing.pair for fixing in fixings}) == 1:
        return [*range(1, len(fixings)), -1]
    found, next_of = [-1] * len(fixings), dict[Pair, int]()
    for index in range(len(fixings) - 1, -1, -1):
        found[index] = next_of.get(fixings[index].pair, -1)
        next_of[fixings[index].pair] = index
    return found
