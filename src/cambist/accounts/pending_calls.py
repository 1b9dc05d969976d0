"""Calls that are counted in memory, because no counter file can be made: the disk is full."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from datetime import date

from cambist.accounts.usage_counters import UsageCounters
from cambist.errors import StoreBroken


class PendingCalls:
    """Calls by account, endpoint and day; `counters` count them when there is room, `warn` is told of both."""

    def __init__(self, counters: UsageCounters, warn: Callable[[str], None]) -> None:
        self.calls: Counter[tuple[int, str, date]] = Counter()
        self._counters = counters
        self._warn = warn
        self._lock = threading.Lock()

    def add(self, account: int, endpoint: str, calls: int, day: date, broken: StoreBroken) -> None:
        """Count calls in memory, for this reason."""
        with self._lock:
            if not self.calls:
                self._warn(f"Usage: no room; answers go on and are counted in memory: {broken}")
            self.calls[account, endpoint, day] += calls

    def days(self) -> set[date]:
        """Return the days on which there are calls."""
        with self._lock:
            return {day for _, _, day in self.calls}

    def on(self, account: int, day: date) -> int:
        """Return the calls of an account on a day."""
        with self._lock:
            return sum(calls for (who, _, when), calls in self.calls.items() if (who, when) == (account, day))

    def count(self) -> None:
        """Count all in files, if there is room now."""
        while self.calls:
            with self._lock:
                pending, calls = next(iter(self.calls.items()))
                try:
                    self._counters.spend(pending[0], pending[1], calls, pending[2])
                except StoreBroken:
                    return
                del self.calls[pending]
            if not self.calls:
                self._warn("Usage: there is room again, all calls are counted")
