"""The price samples that a worker holds, for how far prices have moved."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Lock

from cambist.api.state.reader_pool import ReaderPool
from cambist.errors import StoreBroken, StoreBusy
from cambist.history.price_moves import PriceMove, SampledPrices
from cambist.history.price_samples import KEPT_FOR, PriceSampleReader

_LOOK_EVERY = timedelta(seconds=20)
_AT_ONCE = 288
"""How many samples one read brings, those of a day: a week of them could take longer than a request may wait."""


class PriceMoves:
    """Answers how far prices have moved, from samples that are read when they are first asked for.

    While the database cannot be read it goes on with those that it has, and asks as seldom as otherwise: requests do
    not wait for it one after the other. May raise WouldBlock.
    """

    def __init__(self, samples: PriceSampleReader, pool: ReaderPool, clock: Callable[[], datetime]) -> None:
        self._samples = samples
        self._call = pool.call
        self._clock = clock
        self._lock = Lock()
        self._held = SampledPrices()
        self._looked_at: datetime | None = None

    def __call__(self, base: str, quote: str, mid: float, window: timedelta) -> PriceMove | None:
        """Return how a pair's price `mid` compares with those of a window; None if it was not sampled throughout."""
        now = self._clock()
        if self._looked_at is None or not timedelta() <= now - self._looked_at < _LOOK_EVERY:
            self._look(now)
        return self._held.move(base, quote, mid, now, window)

    def _look(self, now: datetime) -> None:
        read = _AT_ONCE
        while read == _AT_ONCE:
            try:
                new = self._call(self._samples.after, self._held.newest or now - KEPT_FOR, _AT_ONCE)
            except (StoreBusy, StoreBroken):
                new = ()
            read = len(new)
            with self._lock:
                newest = self._held.newest
                self._held.add(sample for sample in new if newest is None or sample.at > newest)
        self._looked_at = now
