"""The rates of many sources as one array: a row for each source, a column for each day, in units per pivot.

It has the same rates as `SourceRates`, computed for all sources at once: a delivery is compared with all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
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
        self._sources: list[str] = []
        self._anchors: list[str] = []
        self._lines: dict[str, dict[int, tuple[PairSeries, bool]]] = {}
        for source, of_source in lines.items():
            for anchor in reversed(anchors_of(anchors[source])):
                self._add_row(source, anchor, of_source)
        self._pivots: Floats | None = None

    def _add_row(self, source: str, anchor: str, lines: Mapping[Pair, PairSeries]) -> None:
        """Add a row; its series are found by the other code, each with whether its base is the anchor."""
        row = len(self._sources)
        self._sources.append(source)
        self._anchors.append(anchor)
        for pair, line in lines.items():
            is_direct = pair.base == anchor
            if is_direct or pair.quote == anchor:
                of_code = self._lines.setdefault(pair.other(anchor), {})
                if is_direct or row not in of_code:
                    of_code[row] = line, is_direct

    def units(self, code: str) -> Floats:
        """Return the last units of a code per pivot on each day, a row for each source that has the code.

        They are NaN if there are none or only older ones. The unit is that of the day, as in `carried` for one source.
        """
        if self._pivots is None:
            self._pivots = self._per_anchor(PIVOT)
        units = self._per_anchor(code) / self._pivots
        return self._carried(self._by_source(units), code)

    def _per_anchor(self, code: str) -> Floats:
        """Return the units of a code per unit of each row's anchor, on the days of publication."""
        units = np.full((len(self._sources), len(self._days)), np.nan)
        units[[anchor == code for anchor in self._anchors]] = 1.0
        found = self._lines.get(code)
        if found:
            lengths = [len(line.rows) for line, _ in found.values()]
            rows = np.repeat(np.fromiter(found, np.int64), lengths)
            columns = np.concatenate([line.rows for line, _ in found.values()]) - self._begin
            rates = np.concatenate([line.rates for line, _ in found.values()])
            is_direct = np.repeat([is_direct for _, is_direct in found.values()], lengths)
            is_inside = (columns >= 0) & (columns < len(self._days))
            units[rows[is_inside], columns[is_inside]] = np.where(is_direct, rates, 1 / rates)[is_inside]
        return units

    def _by_source(self, units: Floats) -> Floats:
        """Return one row for each source that has something; a newer code of its anchor counts before an older one."""
        is_known = ~np.isnan(units)
        rows = np.flatnonzero(is_known.any(axis=1))
        places: dict[str, int] = {}
        place_of = {row: places.setdefault(self._sources[row], len(places)) for row in rows.tolist()}
        if len(places) == len(rows):
            return units[rows]
        found = np.full((len(places), len(self._days)), np.nan)
        for row, place in place_of.items():
            found[place, is_known[row]] = units[row, is_known[row]]
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
