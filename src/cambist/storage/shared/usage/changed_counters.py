"""Reading a page for a fold: only what has changed since the fold before, and everything once its day is over."""

from __future__ import annotations

from datetime import date

import numpy as np
from numpy.typing import NDArray

from cambist.accounts.usage_counters import CounterTotal
from cambist.storage.shared.usage.counter_file import CounterFile, changed


class Folded:
    """What of a page is in the book: the totals of its accounts, and their calls by endpoint."""

    def __init__(self) -> None:
        self.totals: NDArray[np.uint64] = np.zeros(0, np.uint64)
        self.calls: dict[tuple[int, str], int] = {}
        self.read_whole_on: date | None = None


class ChangedCounters:
    """One page as it was read for one fold."""

    def __init__(self, page: CounterFile, folded: Folded, today: date) -> None:
        self.page = page
        self.unsound: list[int] = []
        self._folded = folded
        self._today = today
        self._calls: dict[tuple[int, str], int] = {}
        day = page.name.day or today
        # Read before the rows: a call that these have already makes the account be read again next time.
        self._totals = page.totals()
        # Of a call whose worker was killed in the midst only the row may be there: after the day all are read once.
        whole = day < today and folded.read_whole_on != today
        for account in page.touched() if whole else changed(folded.totals, self._totals):
            self._read(account)
        self.changed = [
            CounterTotal(day, page.layout.number, account, endpoint, calls)
            for (account, endpoint), calls in self._calls.items()
        ]

    def _read(self, account: int) -> None:
        (_, *rows), sound = self.page.checked(account)
        if not sound:
            self.unsound.append(account)
        for endpoint, calls in zip(self.page.layout.rows, rows, strict=True):
            if calls > self._folded.calls.get((account, endpoint), 0):
                self._calls[account, endpoint] = calls

    def remember(self) -> None:
        """Note that the changes are in the book."""
        self._folded.totals = self._totals
        self._folded.calls |= self._calls
        self._folded.read_whole_on = self._today
