"""A counter file: a memory-mapped file of counters by account, row and writer slot.

Each slot has one writer at a time; every process may read. The first accounts have disk space when the file is created;
those after them get it before their first call is counted, so that accounts that never call take none: writing into a
hole on a full disk would end the process with SIGBUS. Truncating a mapped file ends the processes that have it mapped
in the same way, which cannot be prevented. A file that was truncated before is found when it is mapped.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

from cambist.errors import StoreBroken
from cambist.storage.shared.usage.counter import ALL_BITS, BYTES, COUNT, FACTOR, INVERSE, count_of, is_valid, with_check
from cambist.storage.shared.usage.layout import (
    LONGEST_HEADER,
    MARKED_TOGETHER,
    MARKS,
    CounterFileLayout,
    CounterFileName,
    read_layout,
)
from cambist.storage.shared.usage.sparse_space import accounts_with_data, extend


@dataclass(slots=True, eq=False)
class CountingPlace:
    """Where one slot of a mapped file counts: the slot's counter of account 0, and the distances from it.

    `rows` are the distances of rows from their account's total; `mark` is the first mark of the slot. `allocate` gives
    an account its disk space; a slot in which it was counted before knows that it has it.
    """

    counters: memoryview[int]
    accounts: int
    first: int
    per_account: int
    rows: dict[str, int]
    mark: int
    allocate: Callable[[int], None]

    def spend(self, account: int, row: int, calls: int) -> None:
        """Add calls to the row at this distance and to the total of a mapped account.

        Errors: StoreBroken if the account has no disk space yet and the disk is full.
        """
        counters = self.counters
        total = self.first + account * self.per_account
        # The total is written after the row: whoever sees it sees the row as well. The mark is moved last: whoever sees
        # that sees both. Calls are added to counters as `counter` says: this runs for every request.
        at, added = total + row, FACTOR if calls == 1 else calls * FACTOR
        if not counters[total]:
            self.allocate(account)
        counters[at] = counters[at] + added & ALL_BITS
        counters[total] = counters[total] + added & ALL_BITS
        at = self.mark + (account >> MARKED_TOGETHER) % MARKS
        counters[at] = counters[at] + 1 & COUNT

    def count_many(self, account: int, count: int) -> None:
        """Add several to the total of a mapped account. Errors: StoreBroken as in `spend`."""
        counters = self.counters
        at = self.first + account * self.per_account
        if not counters[at]:
            self.allocate(account)
        counters[at] = counters[at] + count * FACTOR & ALL_BITS
        at = self.mark + (account >> MARKED_TOGETHER) % MARKS
        counters[at] = counters[at] + 1 & COUNT

    def count(self, account: int) -> None:
        """Add one to the total of a mapped account. Errors: StoreBroken as in `spend`."""
        counters = self.counters
        at = self.first + account * self.per_account
        if not counters[at]:
            self.allocate(account)
        counters[at] = counters[at] + FACTOR & ALL_BITS
        at = self.mark + (account >> MARKED_TOGETHER) % MARKS
        counters[at] = counters[at] + 1 & COUNT


class CounterFile:
    """One mapped file. `faults` returns what is damaged.

    Of a file that is marked as damaged, each counter is checked when it is read, and invalid ones are left out.
    """

    def __init__(self, folder: Path, name: CounterFileName) -> None:
        """Map the file. Errors: FileNotFoundError; ValueError if the header is invalid or of another file."""
        self.name = name
        self._is_damaged = name.damaged
        self._file = os.open(folder / str(name), os.O_RDWR | os.O_CLOEXEC)
        weakref.finalize(self, os.close, self._file)
        self.layout, self._header = read_layout(os.pread(self._file, LONGEST_HEADER, 0))
        if (self.layout.stem, self.layout.generation) != (name.stem, name.generation):
            raise ValueError("its header is that of another file")
        self.slots = self.layout.slots
        self.rows = {row: number for number, row in enumerate(self.layout.rows, 1)}
        self.accounts = 0
        self._first = self._header // BYTES
        self._first_mark = self._first - 1 - self.layout.marks_bytes // BYTES
        self._per_account = self.layout.counters_per_account
        self._growing = threading.Lock()
        self._map()

    def _map(self) -> None:
        """Map the whole file as it is now. Other threads may still use the old map."""
        size = os.fstat(self._file).st_size
        if size < self._header:
            raise ValueError("it is cut off within its header")
        self.counters = memoryview(mmap.mmap(self._file, size - size % BYTES)).cast("Q")
        self.accounts = (len(self.counters) - self._first) // self._per_account

    def is_in(self, folder: Path) -> bool:
        """Return whether the file with this name in the folder is the one that is mapped."""
        try:
            return os.path.samestat((folder / str(self.name)).stat(), os.fstat(self._file))
        except FileNotFoundError:
            return False

    @property
    def capacity(self) -> int:
        """The accounts that the file has space for; more than `accounts` if another process has made it grow."""
        return count_of(self.counters[self._first - 1])

    def faults(self) -> list[str]:
        """Check every counter. Return a sentence for each fault, with what is lost."""
        capacity, faults = self.capacity, []
        if not capacity:
            faults.append("its number of accounts is damaged")
        if self.accounts < capacity:
            faults.append(f"it is cut off, and the accounts from {self.accounts} to {capacity - 1} are lost")
        damaged = {
            account: sum(not is_valid(counter) for counter in self.counters_of(account) if counter)
            for account in self.counted()
        }
        lost = (
            f"{bad} counters of the account {account} are damaged, and lost" for account, bad in damaged.items() if bad
        )
        return [*faults, *lost]

    def counters_of(self, account: int, count: int = 1) -> memoryview[int]:
        """Return the counters of a mapped account, or of so many neighbours."""
        start = self._first + account * self._per_account
        return self.counters[start : start + count * self._per_account]

    def marks(self) -> memoryview[int]:
        """Return the marks of all slots, those of the first slot first."""
        return self.counters[self._first_mark : self._first - 1]

    def place(self, slot: int) -> CountingPlace:
        """Return where a slot counts in the file as it is mapped now. The slot must be the caller's own."""
        return CountingPlace(
            counters=self.counters,
            accounts=self.accounts,
            first=self._first + slot,
            per_account=self._per_account,
            rows={row: number * self.slots for row, number in self.rows.items()},
            mark=self._first_mark + slot * MARKS,
            allocate=self.allocate,
        )

    def allocate(self, account: int) -> None:
        """Give an account its disk space, if it has none. Errors: StoreBroken if the disk is full."""
        try:
            os.posix_fallocate(self._file, self._size(account), self._per_account * BYTES)
        except OSError as error:
            raise StoreBroken(f"No space for the usage counters of account {account}: {error.strerror}") from error

    def used(self) -> Iterator[int]:
        """Return the mapped accounts that may have been counted: others are never read, which would take memory."""
        return accounts_with_data(self._file, self._header, self._per_account * BYTES, self.accounts)

    def counted(self) -> Iterator[int]:
        """Return the mapped accounts that were counted, read without the map: in it, every page that is read stays."""
        size = self._per_account * BYTES
        unused = bytes(size)
        return (account for account in self.used() if os.pread(self._file, size, self._size(account)) != unused)

    def ensure_mapped(self, account: int) -> bool:
        """Return whether the file has an account. Maps the file again if another process has made it grow."""
        if account >= self.accounts and self.capacity > self.accounts:
            with self._growing, suppress(ValueError):
                self._map()
        return 0 <= account < self.accounts

    def grow(self, account: int) -> None:
        """Extend the file for an account. Errors: OSError if the disk is full; ValueError if the file is cut off."""
        with self._growing:
            fcntl.flock(self._file, fcntl.LOCK_EX)
            try:
                self._allocate(self.layout.capacity_for(account))
            finally:
                fcntl.flock(self._file, fcntl.LOCK_UN)
            self._map()

    def _allocate(self, wanted: int) -> None:
        """Extend the file; never shrink it, because another process may have extended it further."""
        size = os.fstat(self._file).st_size
        if size < self._header or size < self._size(self.capacity):
            raise ValueError(f"it is cut off at {size} bytes")
        capacity = max(self.capacity, wanted)
        missing = self._size(capacity) - size
        if missing > 0:
            extend(self._file, size, missing)
        self.counters[self._first - 1] = with_check(capacity)

    def _size(self, accounts: int) -> int:
        return self.layout.size(self._header, accounts)

    def spend(self, account: int, row: int, slot: int, calls: int) -> None:
        """Add calls to a row and to the total of a mapped account. The slot must be the caller's own."""
        self.place(slot).spend(account, row * self.slots, calls)

    def set_value(self, account: int, slot: int, value: int) -> None:
        """Store a value for a mapped account. The slot must be the caller's own. Errors: StoreBroken."""
        at = self._first + account * self._per_account + slot
        if not self.counters[at]:
            self.allocate(account)
        self.counters[at] = with_check(value)

    def repair(self, slot: int) -> None:
        """Raise the totals of a slot to the sum of their rows: its last writer may have been killed between the two.

        Nobody else may write to the slot meanwhile. A total above the sum of its rows stays: a row was lost.
        """
        for account in self.counted():
            at = self._first + account * self._per_account + slot
            total, *rows = self.counters[at : at - slot + self._per_account : self.slots].tolist()
            if any(rows) and (counted := sum(map(count_of, rows))) > count_of(total):
                self.counters[at] = with_check(counted)
        # It may also have been killed before it moved the mark.
        first_mark = self._first_mark + slot * MARKS
        for mark in range(first_mark, first_mark + MARKS):
            self.counters[mark] = self.counters[mark] + 1 & COUNT

    def total(self, account: int) -> int:
        """Return the total of an account over all slots; 0 for an account that the file does not have."""
        if account >= self.accounts and not self.ensure_mapped(account):
            return 0
        if self._is_damaged:
            # Of the total and the sum of the rows, the larger one has lost less.
            total, *rows = self.row_totals(account)
            return max(total, sum(rows))
        start = self._first + account * self._per_account
        return sum(self.counters[start : start + self.slots]) * INVERSE & ALL_BITS

    def row_totals(self, account: int) -> list[int]:
        """Return the totals of all rows of a mapped account, row 0 first, without invalid counters."""
        return self.checked_totals(account)[0]

    def checked_totals(self, account: int) -> tuple[list[int], bool]:
        """Return the totals as `row_totals` does, and whether all counters are valid."""
        counters = self.counters_of(account).tolist()
        rows = (counters[start : start + self.slots] for start in range(0, len(counters), self.slots))
        totals = [sum(count_of(counter) for counter in row if counter) for row in rows]
        return totals, all(map(is_valid, filter(None, counters)))

    def max_value(self, account: int) -> int:
        """Return the largest value over all slots of a mapped account."""
        return max(map(count_of, self.counters_of(account)))


def create_counter_file(folder: Path, layout: CounterFileLayout) -> bool:
    """Create an empty file in one step. Return False if another process has created it first.

    Errors: OSError if the disk is full.
    """
    with NamedTemporaryFile(dir=folder, prefix=f".{layout.name}.", buffering=0) as file:
        header = layout.header()
        file.write(header)
        os.posix_fallocate(file.fileno(), 0, layout.size(len(header), layout.step))
        os.fsync(file.fileno())
        try:
            os.link(file.name, folder / str(layout.name))
        except FileExistsError:
            return False
        return True
