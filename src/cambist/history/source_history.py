"""The history of one source: its fixings, carried forward and crossed into the pivot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from cambist.history.carry_forward import Ages, Floats, UnitChange, carry_forward
from cambist.history.fixing import Fixing
from cambist.history.pair_series import PairSeries, pair_series_of
from cambist.history.rate_matrix import FIRST_DAY
from cambist.pricing.anchor import anchor_in, anchors_of
from cambist.pricing.pair import PIVOT
from cambist.reference.tables import REDENOMINATIONS


@dataclass(slots=True)
class SourceHistory:
    """The fixings of one source; `anchor` is the currency that all its pairs share, under each of its codes.

    If the source `outranks_pegs`, its rates are used even for pegged currencies; the rate of its own anchor always is.
    `alias` is a second code for the anchor that has this source's rate only.
    """

    anchor: str
    fixings: Iterable[Fixing | PairSeries]
    key: str = ""
    outranks_pegs: bool = True
    alias: str = ""
    _series: dict[str, dict[str, PairSeries]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        published = list(self.fixings)
        ready = [each for each in published if isinstance(each, PairSeries)]
        found = [*ready, *pair_series_of(each for each in published if isinstance(each, Fixing))]
        for series in found:
            anchor = anchor_in(series.pair, self.anchor)
            self._series.setdefault(anchor, {})[series.pair.other(anchor)] = series
        self.fixings = ()

    @property
    def last_row(self) -> int:
        """The newest day that the source fixed, as a row of the rate matrix."""
        lines = (series for line in self._series.values() for series in line.values())
        return max((int(series.rows.max()) for series in lines if len(series.rows)), default=0)

    def own(self, days: int, first_row: int = 0) -> Iterator[tuple[str, Floats, Ages]]:
        """Yield the columns of the anchor, under its codes and its alias: so many days from a row on."""
        for anchor in self._series:
            pivot = self._pivot(anchor, days, first_row)
            if pivot is not None:
                for code in filter(None, (anchor, self.alias if anchor == self.anchor else "")):
                    yield code, 1 / pivot[0], pivot[1]

    def others(self, days: int, first_row: int = 0) -> Iterator[tuple[str, Floats, Ages]]:
        """Yield every other column, crossed through the anchor and as old as the older of its two fixings.

        A code that was priced in several codes of the anchor has a column for each, the newest first.
        """
        for anchor in sorted(self._series, key=anchors_of(self.anchor).index):
            pivot = self._pivot(anchor, days, first_row)
            if pivot is None:
                continue
            for code in self._series[anchor]:
                if code != PIVOT:
                    units, ages = self._per_anchor(anchor, code, days, first_row)
                    yield code, units / pivot[0], np.maximum(ages, pivot[1])

    def _pivot(self, anchor: str, days: int, first_row: int) -> tuple[Floats, Ages] | None:
        if anchor == PIVOT:
            return np.ones(days), np.zeros(days, dtype=np.int16)
        return self._per_anchor(anchor, PIVOT, days, first_row) if PIVOT in self._series[anchor] else None

    def _per_anchor(self, anchor: str, code: str, days: int, first_row: int) -> tuple[Floats, Ages]:
        """Return the units of `code` for one anchor, carried forward."""
        series = self._series[anchor][code]
        rates = series.rates if series.pair.base == anchor else 1 / series.rates
        return carry_forward(series.rows - first_row, rates, days, _unit_changes(code, anchor, first_row))


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
