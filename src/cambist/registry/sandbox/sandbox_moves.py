"""How far prices of a sandbox have moved: computed when it is asked, because a sandbox stores no samples."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import numpy as np

from cambist.errors import NoRate, UnknownSymbol
from cambist.history.price_moves import PriceMove, compared
from cambist.pricing.pair import PIVOT
from cambist.registry.sandbox.sandbox_snapshots import COINS_BY_SIZE
from cambist.sandbox.market import SimulatedMarket

_SAMPLES = 96
"""How many prices of a window are computed."""


class SimulatedMoves:
    """Compares a price with those that the market of a seed had; None for a code that it does not quote."""

    def __init__(self, seed: int, clock: Callable[[], datetime]) -> None:
        self._market = SimulatedMarket(seed, COINS_BY_SIZE)
        self._clock = clock

    def __call__(self, base: str, quote: str, mid: float, window: timedelta) -> PriceMove | None:
        """Return how a pair's price `mid` compares with those of a window."""
        now = self._clock()
        times = [now - window + window / _SAMPLES * number for number in range(_SAMPLES)]
        try:
            path = [self._mid(base, at) / self._mid(quote, at) for at in times]
        except (NoRate, UnknownSymbol):
            return None
        return compared(np.array(path), times, mid)

    def _mid(self, code: str, at: datetime) -> float:
        return 1.0 if code == PIVOT else float(self._market.quote(code, at).worth(code))
