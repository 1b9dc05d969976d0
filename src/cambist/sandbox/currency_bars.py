"""Bars of the simulated market: what its rate books show in any minute, hour or day, computed from the price paths.

A bar has the prices of all ticks in its period: two a second while the market is open. Only pairs of two currencies
have bars. Faults are not in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from math import exp
from typing import NamedTuple

import numpy as np

from cambist.pricing.pair import PIVOT, Pair
from cambist.sandbox.decimals import Decimals, Floats
from cambist.sandbox.extremes import PairPath
from cambist.sandbox.price_paths import PricePaths
from cambist.sandbox.quoted_hours import currency_pairs, is_quoted, open_hours, quoted_days
from cambist.sandbox.quoting import TICK_SECONDS, rounded_together, spread_of

_DAY, _HOUR = 86_400, 3600


class _Period(NamedTuple):
    """The period of a bar, and the starts of its parts: its open hours, or the period itself if it is shorter."""

    start: int
    parts: Sequence[int]


class BarColumns(NamedTuple):
    """Bars, newest first. Open, high, low and close follow each other in `bids` and `asks`, four rows for each bar."""

    starts: list[int]
    bids: Decimals
    asks: Decimals


class CurrencyBars:
    """The bars of the market of one seed. Lengths, starts and limits are in seconds since 1970."""

    def __init__(self, seed: int) -> None:
        self._paths = PricePaths(seed, ())

    def newest(self, pair: Pair, length: int, since: float, before: float, limit: int) -> BarColumns:
        """Return the newest bars of a minute, an hour or a day that start at or after `since` and before `before`.

        A pair that is not quoted directly has none.
        """
        periods = list(islice(_periods(pair, length, since, before), limit)) if is_quoted(pair) else []
        if not periods:
            return BarColumns([], *(rounded_together(np.zeros(0)) for _ in range(2)))
        prices = self._prices(pair, periods[::-1], min(length, _HOUR)).reshape(-1, 4)[::-1].ravel()
        half = self._spread(pair) / 2
        bids, asks = (rounded_together(prices * side).shortened() for side in (1 - half, 1 + half))
        return BarColumns([period.start for period in periods], bids, asks)

    def first_starts(self, length: int) -> dict[Pair, int]:
        """Return the start of each pair's first bar."""
        return {pair: next(_oldest(pair, length)).start for pair in sorted(currency_pairs())}

    def _prices(self, pair: Pair, periods: Sequence[_Period], length: int) -> Floats:
        """Return open, high, low and close of the price for each period, the oldest first."""
        path = PairPath(self._paths.path(pair.base), self._paths.path(pair.quote))
        firsts = np.cumsum([0, *(len(period.parts) for period in periods[:-1])]).tolist()
        parts = np.array([part for period in periods for part in period.parts], np.float64)
        extremes = path.extremes(parts, firsts, length)
        opens = path.over(np.array([period.parts[0] for period in periods], np.float64))
        closes = path.over(np.array([period.parts[-1] + length - TICK_SECONDS for period in periods]))
        columns = np.stack([opens, extremes.highest, extremes.lowest, closes], axis=1)
        # As in a rate book: the exponential of numpy may differ in the last bit.
        return np.array([exp(height) for height in columns.ravel().tolist()])

    def _spread(self, pair: Pair) -> float:
        sides = (code for code in (pair.base, pair.quote) if code != PIVOT)
        return max(spread_of(code, self._paths.level(code).volatility_class) for code in sides)


def _periods(pair: Pair, length: int, since: float, before: float) -> Iterator[_Period]:
    """Yield the periods of bars that start within limits, the newest first."""
    days = quoted_days(pair)
    first, end = (int(min(max(limit, 0), len(days) * _DAY) // _DAY) for limit in (since, before + _DAY - 1))
    for row in (np.flatnonzero(days[first:end])[::-1] + first).tolist():
        for period in reversed(_periods_of_day(row, length)):
            if since <= period.start < before:
                yield period


def _oldest(pair: Pair, length: int) -> Iterator[_Period]:
    for row in np.flatnonzero(quoted_days(pair)):
        yield from _periods_of_day(int(row), length)


def _periods_of_day(row: int, length: int) -> list[_Period]:
    hours = open_hours(row)
    if length == _DAY:
        return [_Period(row * _DAY, hours)] if hours else []
    return [_Period(start, (start,)) for hour in hours for start in range(hour, hour + _HOUR, length)]
