"""Fixings with the deliveries that they came in, to read the days of a period as they were known at any delivery."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cambist.history.pair_series import PairSeries
from cambist.pricing.pair import Pair

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class KnownFixings:
    """All that was received about some pairs and days, as arrays of the same length.

    `names` has the source and the pair of each series. `series` are indexes in it, `rows` days counted from 1970-01-01,
    `deliveries` the numbers of the deliveries, and `rates` units of the quote currency, NaN for a damaged row. They are
    ordered by series, day and delivery.
    """

    names: tuple[tuple[str, Pair], ...]
    series: Ints
    rows: Ints
    deliveries: Ints
    rates: NDArray[np.float64]

    def at(self, delivery: int, assumed_until: int | None = None) -> dict[str, list[PairSeries]]:
        """Return the series of each source as they were known after a delivery.

        With `assumed_until`, days up to that one of which nothing was known have what was received for them first.
        """
        is_kept = self.deliveries <= delivery
        if assumed_until is not None:
            is_kept |= self._is_first() & (self.rows <= assumed_until) & ~self._is_known_by(delivery)
        series, rows, rates = self.series[is_kept], self.rows[is_kept], self.rates[is_kept]
        is_last = np.ones(len(rows), np.bool_)
        is_last[:-1] = (series[1:] != series[:-1]) | (rows[1:] != rows[:-1])
        is_last &= ~np.isnan(rates)  # what a damaged row corrected does not return
        series, rows, rates = series[is_last], rows[is_last], rates[is_last]
        ends = np.searchsorted(series, np.arange(len(self.names) + 1))
        found: dict[str, list[PairSeries]] = {}
        for number, (source, pair) in enumerate(self.names):
            part = slice(int(ends[number]), int(ends[number + 1]))
            found.setdefault(source, []).append(PairSeries(pair, rows[part], rates[part]))
        return found

    def deliveries_after(self, delivery: int) -> list[int]:
        """Return the numbers of the deliveries after a delivery that have any of these fixings, in their order."""
        found: list[int] = np.unique(self.deliveries[self.deliveries > delivery]).tolist()
        return found

    def _is_first(self) -> NDArray[np.bool_]:
        """Return which rows are the first of their series and day."""
        is_first = np.ones(len(self.rows), np.bool_)
        is_first[1:] = (self.series[1:] != self.series[:-1]) | (self.rows[1:] != self.rows[:-1])
        return is_first

    def _is_known_by(self, delivery: int) -> NDArray[np.bool_]:
        """Return of which rows the first of their series and day was received by a delivery."""
        is_first = self._is_first()
        groups = np.cumsum(is_first) - 1
        known: NDArray[np.bool_] = (self.deliveries[is_first] <= delivery)[groups] if len(groups) else is_first
        return known
