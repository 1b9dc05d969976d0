"""A publication: what one source published, carried forward and expressed against the pivot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from cambist.history.carry_forward import Ages, Floats, UnitChange, carry_forward
from cambist.history.fixing import Fixing
from cambist.history.pair_series import PairSeries, pair_series_of
from cambist.history.rate_matrix import FIRST_DAY
from cambist.pricing.pair import PIVOT
from cambist.reference.tables import REDENOMINATIONS


@dataclass(slots=True)
class SourceHistory:
    """What one source published: its anchor (the currency that all its pairs share) and its fixings.

    Publications are given best first. One that `outranks_pegs` is heard where the law pegs a currency; its anchor's own
    rate is heard always. `alias` is a code that stands for the anchor at this source's rate alone.
    """

    anchor: str
    fixings: Iterable[Fixing | PairSeries]
    key: str = ""
    outranks_pegs: bool = True
    alias: str = ""
    _lines: dict[str, PairSeries] = field(default_factory=dict)

    def __post_init__(self) -> None:
        given = list(self.fixings)
        ready = [each for each in given if isinstance(each, PairSeries)]
        found = [*ready, *pair_series_of(each for each in given if isinstance(each, Fixing))]
        self._lines = {line.pair.other(self.anchor): line for line in found}
        self.fixings = ()

    @property
    def last_row(self) -> int:
        """The newest day that it fixed, as a row of the image."""
        return max((int(line.rows.max()) for line in self._lines.values() if len(line.rows)), default=0)

    def own(self, days: int) -> Iterator[tuple[str, Floats, Ages]]:
        """Give the anchor's own column, under its code and its alias: the word of who knows best."""
        pivot = self._pivot(days)
        if pivot is not None:
            for code in filter(None, (self.anchor, self.alias)):
                yield code, 1 / pivot[0], pivot[1]

    def others(self, days: int) -> Iterator[tuple[str, Floats, Ages]]:
        """Give every other column, crossed through the anchor: as old as the older of its two fixings."""
        pivot = self._pivot(days)
        if pivot is None:
            return
        for code in self._lines:
            if code != PIVOT:
                units, ages = self._per_anchor(code, days)
                yield code, units / pivot[0], np.maximum(ages, pivot[1])

    def _pivot(self, days: int) -> tuple[Floats, Ages] | None:
        if self.anchor == PIVOT:
            return np.ones(days), np.zeros(days, dtype=np.int16)
        return self._per_anchor(PIVOT, days) if PIVOT in self._lines else None

    def _per_anchor(self, code: str, days: int) -> tuple[Floats, Ages]:
        """Give units of `code` per one anchor: carried as published, then turned the right way round."""
        line = self._lines[code]
        rates = line.rates if line.pair.base == self.anchor else 1 / line.rates
        return carry_forward(line.rows, rates, days, _cuts(code, self.anchor))


def _cuts(code: str, anchor: str) -> list[UnitChange]:
    """Give what happens to units of `code` per one `anchor` where either is cut under its own code."""
    return [
        ((change.first_day - FIRST_DAY).days, float(change.factor if change.old == anchor else 1 / change.factor))
        for change in REDENOMINATIONS
        if change.old == change.new and change.old in (code, anchor)
    ]
