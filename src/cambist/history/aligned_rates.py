"""The rates of many sources as one array: a row for each source, a column for each day, in units per pivot.

It has the same rates as `SourceRates`, computed for all sources at once: a delivery is compared with all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np
from numpy.typing import NDArray

from cambist.history.as_of import CARRY_DAYS
from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import FIRST_DAY
from cambist.pricing.anchor import anchors_of
from cambist.pricing.pair import PIVOT, Pair
from cambist.reference.tables import REDENOMINATIONS

Floats = NDArray[np.float64]


class AlignedRates:
    """The series of several sources for the days from `first` to `last`.

    `lines` has the series by source, `anchors` the currency that all series of a source share.
    """

    def __init__(
        self, first: date, last: date, lines: Mapping[str, Mapping[Pair, PairSeries]], anchors: Mapping[str, str]
    ) -> None:
        self._begin = (first - FIRST_DAY).days - CARRY_DAYS
        self._days = np.arange((last - FIRST_DAY).days + 1 - self._begin)
        # A source has a row for each code of its anchor that its series may have, the oldest first.
        self._rows = [(source, anchor) for source in lines for anchor in reversed(anchors_of(anchors[source]))]
        self._lines: dict[str, dict[int, tuple[PairSeries, bool]]] = {}
        for row, (source, anchor) in enumerate(self._rows):
            self._add(row, anchor, lines[source])

    def _add(self, row: int, anchor: str, lines: Mapping[Pair, PairSeries]) -> None:
        """Note the series of a row by their other code, each with whether its base is the anchor."""
        for pair, line in lines.items():
            is_direct = pair.base == anchor
            if is_direct or pair.quote == anchor:
                of_code = self._lines.setdefault(pair.quote if is_direct else pair.base, {})
                if is_direct or row not in of_code:
                    of_code[row] = line, is_direct

    def units(self, code: str) -> Floats:
        """Return the last units of a code per pivot on each day, a row for each source that has the code.

        They are NaN if there are none or only older ones. The unit is that of the day, as in `carried` for one source.
        """
        found = self._lines.get(code, {})
        rows = [row for row, (_, anchor) in enumerate(self._rows) if anchor == code or row in found]
        units = self._per_anchor(code, rows) / self._per_anchor(PIVOT, rows)
        return self._carried(self._by_source([self._rows[row][0] for row in rows], units), code)

    def _per_anchor(self, code: str, rows: Sequence[int]) -> Floats:
        """Return the units of a code per unit of the anchor of some rows, on the days of publication."""
        units = np.full((len(rows), len(self._days)), np.nan)
        found = self._lines.get(code, {})
        places, lines = [], []
        for place, row in enumerate(rows):
            if self._rows[row][1] == code:
                units[place] = 1.0
            elif row in found:
                places.append(place)
                lines.append(found[row])
        if lines:
            lengths = [len(line.rows) for line, _ in lines]
            columns = np.concatenate([line.rows for line, _ in lines]) - self._begin
            rates = np.concatenate([line.rates for line, _ in lines])
            rates = np.where(np.repeat([is_direct for _, is_direct in lines], lengths), rates, 1 / rates)
            is_inside = (columns >= 0) & (columns < len(self._days))
            units[np.repeat(places, lengths)[is_inside], columns[is_inside]] = rates[is_inside]
        return units

    def _by_source(self, sources: Sequence[str], units: Floats) -> Floats:
        """Return one row for each source; a newer code of its anchor counts before an older one."""
        places: dict[str, int] = {}
        for source in sources:
            places.setdefault(source, len(places))
        if len(places) == len(sources):
            return units
        found = np.full((len(places), len(self._days)), np.nan)
        for source, row in zip(sources, units, strict=True):
            is_known = ~np.isnan(row)
            found[places[source], is_known] = row[is_known]
        return found

    def _carried(self, units: Floats, code: str) -> Floats:
        since = np.where(np.isnan(units), -1, self._days)
        np.maximum.accumulate(since, axis=1, out=since)
        rates = np.take_along_axis(units, np.maximum(since, 0), axis=1)
        rates[(since < 0) | (self._days - since > CARRY_DAYS)] = np.nan
        for change in REDENOMINATIONS:
            if change.old == change.new == code:
                cut = (change.first_day - FIRST_DAY).days - self._begin
                rates[(since < cut) & (cut <= self._days)] /= float(change.factor)
        return rates[:, CARRY_DAYS:]
