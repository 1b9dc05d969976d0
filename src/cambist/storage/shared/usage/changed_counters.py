"""Read from a counter file what has changed since it was last written to the database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date

import numpy as np

from cambist.accounts.usage_counters import CounterTotal
from cambist.storage.shared.usage.counter_arrays import (
    Counts,
    Numbers,
    accounts_of_marks,
    checked_rows,
    marks_of,
    totals_of,
    used_accounts,
)
from cambist.storage.shared.usage.counter_file import CounterFile

_READ_AT_ONCE = 1024
"""The accounts whose rows are read together, which bounds the memory that it takes."""


@dataclass(slots=True)
class WrittenTotals:
    """What the database has of a counter file: totals by account, and calls by account and row; and the marks then."""

    marks: Counts | None = None
    totals: Counts = field(default_factory=lambda: np.zeros(0, np.uint64))
    calls: Counts = field(default_factory=lambda: np.zeros((0, 0), np.uint64))
    read_whole_on: date | None = None

    def extend(self, file: CounterFile) -> None:
        """Make room for all accounts of a file. Memory is only taken for the accounts that have calls."""
        if len(self.totals) < file.accounts:
            totals, calls = self.totals, self.calls
            self.totals = np.zeros(file.accounts, np.uint64)
            self.calls = np.zeros((file.accounts, len(file.layout.rows)), np.uint64)
            self.totals[: len(totals)] = totals
            if len(calls):
                used = np.flatnonzero(calls.any(axis=1))
                self.calls[used] = calls[used]


class ChangedCounters:
    """One reading of a counter file: `changed` are totals to write, `damaged` accounts with damaged counters."""

    def __init__(self, file: CounterFile, written: WrittenTotals, today: date) -> None:
        self.file = file
        self.damaged: list[int] = []
        self.changed: list[CounterTotal] = []
        self._written = written
        self._today = today
        self._read_rows: list[tuple[Numbers, Counts]] = []
        file.ensure_mapped(file.capacity - 1)
        written.extend(file)
        # Each is read before what it stands for: if a call is counted in between, the account is read again next time.
        self._marks = marks_of(file)
        self._marked = accounts_of_marks(file, written.marks, self._marks)
        self._totals = totals_of(file, self._marked)
        for accounts in self._accounts_to_read():
            self._read(accounts)

    def _accounts_to_read(self) -> Iterator[Numbers]:
        """Return the accounts whose rows may have changed, some at a time."""
        day = self.file.name.day or self._today
        if day < self._today and self._written.read_whole_on != self._today:
            # A worker that is killed between a row and the total leaves only the row: read all once after the day.
            found = used_accounts(self.file)
        else:
            found = self._marked[self._totals != self._written.totals[self._marked]]
        for start in range(0, len(found), _READ_AT_ONCE):
            yield found[start : start + _READ_AT_ONCE]

    def _read(self, accounts: Numbers) -> None:
        rows, is_valid = checked_rows(self.file, accounts)
        self.damaged += accounts[~is_valid].tolist()
        written = self._written.calls[accounts]
        self._read_rows.append((accounts, np.maximum(rows, written)))
        day, number, names = self.file.name.day or self._today, self.file.layout.number, self.file.layout.rows
        places, endpoints = np.nonzero(rows > written)
        for account, endpoint, calls in zip(
            accounts[places].tolist(), endpoints.tolist(), rows[places, endpoints].tolist(), strict=True
        ):
            self.changed.append(CounterTotal(day, number, account, names[endpoint], calls))

    def mark_written(self) -> None:
        """Record that the database has the changes."""
        written = self._written
        written.marks = self._marks
        written.totals[self._marked] = self._totals
        for accounts, rows in self._read_rows:
            written.calls[accounts] = rows
        written.read_whole_on = self._today
