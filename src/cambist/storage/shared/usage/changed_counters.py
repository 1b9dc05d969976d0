"""Read from a counter file what has changed since it was last written to the database."""

from __future__ import annotations

from datetime import date

import numpy as np
from numpy.typing import NDArray

from cambist.accounts.usage_counters import CounterTotal
from cambist.storage.shared.usage.counter_file import CounterFile, changed_accounts


class WrittenTotals:
    """What the database has of a counter file: the totals of its accounts, and their calls by endpoint."""

    def __init__(self) -> None:
        self.totals: NDArray[np.uint64] = np.zeros(0, np.uint64)
        self.calls: dict[tuple[int, str], int] = {}
        self.read_whole_on: date | None = None


class ChangedCounters:
    """One reading of a counter file: `changed` are totals to write, `damaged` accounts with damaged counters."""

    def __init__(self, file: CounterFile, written: WrittenTotals, today: date) -> None:
        self.file = file
        self.damaged: list[int] = []
        self._written = written
        self._today = today
        self._calls: dict[tuple[int, str], int] = {}
        day = file.name.day or today
        # Read before the rows: if a call is counted in between, the account is read again next time.
        self._totals = file.totals()
        # A worker that is killed between a row and the total leaves only the row: read all accounts once after the day.
        whole = day < today and written.read_whole_on != today
        for account in file.used_accounts() if whole else changed_accounts(written.totals, self._totals):
            self._read(account)
        self.changed = [
            CounterTotal(day, file.layout.number, account, endpoint, calls)
            for (account, endpoint), calls in self._calls.items()
        ]

    def _read(self, account: int) -> None:
        (_, *rows), valid = self.file.checked_totals(account)
        if not valid:
            self.damaged.append(account)
        for endpoint, calls in zip(self.file.layout.rows, rows, strict=True):
            if calls > self._written.calls.get((account, endpoint), 0):
                self._calls[account, endpoint] = calls

    def mark_written(self) -> None:
        """Record that the database has the changes."""
        self._written.totals = self._totals
        self._written.calls |= self._calls
        self._written.read_whole_on = self._today
