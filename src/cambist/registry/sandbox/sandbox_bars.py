"""Bars of a sandbox: they are computed when they are asked for, so that there are bars of any moment since 1970."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from math import inf

from cambist.history.bars import Bar, Interval, Ohlc
from cambist.pricing.pair import Pair
from cambist.sandbox.currency_bars import CurrencyBars
from cambist.sandbox.decimals import Decimals


class SimulatedBars:
    """Computes the bars of the simulated market of a seed, as a `BarReader`. Only completed bars are returned."""

    def __init__(self, seed: int, clock: Callable[[], datetime]) -> None:
        self._bars = CurrencyBars(seed)
        self._clock = clock
        self._first_starts = lru_cache(self._bars.first_starts)

    def newest_bars(
        self, pair: Pair, interval: Interval, start: datetime | None, end: datetime | None, limit: int
    ) -> list[Bar]:
        """Return the newest `limit` bars with start <= bar.start < end, newest first."""
        since = -inf if start is None else start.timestamp()
        before = inf if end is None else end.timestamp()
        columns = self._bars.newest(pair, interval.seconds, since, min(before, self._current_start(interval)), limit)
        bids, asks = _numbers(columns.bids), _numbers(columns.asks)
        return [
            Bar(datetime.fromtimestamp(at, UTC), Ohlc(*bids[row : row + 4]), Ohlc(*asks[row : row + 4]))
            for row, at in zip(range(0, len(bids), 4), columns.starts, strict=True)
        ]

    def first_starts(self, interval: Interval) -> Mapping[Pair, datetime]:
        """Return the start of each pair's first bar."""
        current = self._current_start(interval)
        starts = self._first_starts(interval.seconds)
        return {pair: datetime.fromtimestamp(start, UTC) for pair, start in starts.items() if start < current}

    def _current_start(self, interval: Interval) -> float:
        """Return the start of the interval that has not ended, in seconds since 1970."""
        now = self._clock().timestamp()
        return now - now % interval.seconds


def _numbers(prices: Decimals) -> list[Decimal]:
    columns = zip(prices.digits.tolist(), prices.exponents.tolist(), strict=True)
    return [Decimal(digits).scaleb(exponent) for digits, exponent in columns]
