"""How far the price of a pair has moved within the last day and week, and between what it was."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cambist.history.price_samples import KEPT_FOR, PriceSample
from cambist.pricing.pair import PIVOT

_LATE = timedelta(minutes=15)
"""How much shorter than asked a window may be: a restart can cost a few samples."""


class PriceMove(NamedTuple):
    """A price now compared with the samples since `since`; `low` and `high` are parts of it now, at most and least 1.

    `samples` is how many prices there are in between.
    """

    ratio: float
    low: float
    high: float
    since: datetime
    samples: int


ReadMove = Callable[[str, str, float, timedelta], PriceMove | None]
"""Reads how a pair's price, given as base, quote and price, compares with those of a window, if they are known."""


def no_moves(_base: str, _quote: str, _mid: float, _window: timedelta) -> None:
    """Read moves where nothing is sampled."""


def compared(path: NDArray[np.float64], times: Sequence[datetime], mid: float) -> PriceMove:
    """Return how the price `mid` compares with earlier ones and their times, the oldest first."""
    parts = path / mid
    low, high = min(parts.min().item(), 1.0), max(parts.max().item(), 1.0)
    return PriceMove(1 / parts[0].item(), low, high, times[0], len(times))


class SampledPrices:
    """The samples of the last days in columns. One thread at a time may add; any may read."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {PIVOT: 0}
        self._held: tuple[tuple[datetime, ...], NDArray[np.float64]] = ((), np.empty((0, 1)))

    @property
    def newest(self) -> datetime | None:
        """The moment of the newest sample."""
        times = self._held[0]
        return times[-1] if times else None

    def add(self, samples: Iterable[PriceSample]) -> None:
        """Add newer samples, the oldest first, and forget those that are older than any window."""
        new = list(samples)
        if not new:
            return
        for sample in new:
            for code in sample.mids:
                self._codes.setdefault(code, len(self._codes))
        times, prices = self._held
        since = new[-1].at - KEPT_FOR
        first = sum(at < since for at in times)
        rows = np.full((len(times) - first + len(new), len(self._codes)), np.nan)
        rows[: len(times) - first, : prices.shape[1]] = prices[first:]
        for row, sample in zip(rows[len(times) - first :], new, strict=True):
            row[0] = 1.0
            row[[self._codes[code] for code in sample.mids]] = list(sample.mids.values())
        self._held = (*times[first:], *(sample.at for sample in new)), rows

    def move(self, base: str, quote: str, mid: float, now: datetime, window: timedelta) -> PriceMove | None:
        """Return how `mid`, the price of a pair at `now`, compares with a window's samples; None without its start."""
        times, prices = self._held
        columns = self._codes.get(base), self._codes.get(quote)
        if None in columns or max(columns) >= prices.shape[1]:  # type: ignore[type-var]
            return None
        begin = now - window
        first = next((row for row, at in enumerate(times) if at >= begin), len(times))
        if first and first < len(times) and times[first] > begin:
            first -= 1  # the last sample before the window begins is what the price was then
        path = prices[first:, columns[0]] / prices[first:, columns[1]]
        known = np.flatnonzero(~np.isnan(path))
        if not len(known):
            return None
        since = times[first + known[0]]
        if not begin - _LATE <= since <= begin + _LATE or times[-1] < now - _LATE:
            return None
        return compared(path[known], [times[first + row] for row in known], mid)
