"""A page: a mapped file of cells by account, row and column.

Each column has one writer at a time; everyone may read. Disk space is taken when the file is made or grows, so that a
full disk is an error there, and not the end (SIGBUS) of a process that writes into a hole. Whoever cuts off a file that
is mapped ends its processes so; that cannot be survived. A file that was cut before is noticed when it is mapped.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import threading
import weakref
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np
from numpy.typing import NDArray

from cambist.storage.shared.usage.counter import BYTES, CHECK, COUNT, FACTOR, is_sound, sealed, sound_count
from cambist.storage.shared.usage.layout import LONGEST_HEADER, CounterFileLayout, CounterFileName, read_layout


class CounterFile:
    """One file, mapped as it is; `check` tells whether it can be relied on.

    A page named damaged is read cell by cell, what does not check left out.
    """

    def __init__(self, folder: Path, name: CounterFileName) -> None:
        """Map the file. Errors: FileNotFoundError; ValueError when its header is not one of this name."""
        self.name = name
        self._file = os.open(folder / str(name), os.O_RDWR | os.O_CLOEXEC)
        weakref.finalize(self, os.close, self._file)
        self.layout, self._header = read_layout(os.pread(self._file, LONGEST_HEADER, 0))
        if (self.layout.stem, self.layout.generation) != (name.stem, name.generation):
            raise ValueError("its header is that of another page")
        self.columns = self.layout.columns
        self.rows = {row: number for number, row in enumerate(self.layout.rows, 1)}
        self.accounts = 0
        self._first = self._header // BYTES
        self._of_account = self.layout.cells_of_account
        self._growing = threading.Lock()
        self._map()

    def _map(self) -> None:
        """Map the whole file as it is now; cells that are held by other threads go on living in the old map."""
        size = os.fstat(self._file).st_size
        if size < self._header:
            raise ValueError("it is cut off within its header")
        self.cells = memoryview(mmap.mmap(self._file, size - size % BYTES)).cast("Q")
        self.accounts = (len(self.cells) - self._first) // self._of_account

    def is_in(self, folder: Path) -> bool:
        """Tell whether the file of this name in the folder is still the one that is mapped."""
        try:
            return os.path.samestat((folder / str(self.name)).stat(), os.fstat(self._file))
        except FileNotFoundError:
            return False

    @property
    def room(self) -> int:
        """For how many accounts the file has room; more than `accounts` when another process made it grow."""
        return sound_count(self.cells[self._first - 1])

    def faults(self) -> list[str]:
        """Check the whole page: say what is not as it was written, and what is lost."""
        room, faults = self.room, []
        if not room:
            faults.append("its number of accounts is not what was written")
        if self.accounts < room:
            faults.append(f"it is cut off, and the accounts from {self.accounts} to {room - 1} are lost")
        untouched = bytes(self._of_account * BYTES)
        for account in range(self.accounts):
            slot = self._slot(account)
            if slot.tobytes() != untouched and (bad := sum(not is_sound(cell) for cell in slot)):
                faults.append(f"{bad} cells of the account {account} are not what was written, and lost")
        return faults

    def _slot(self, account: int) -> memoryview[int]:
        start = self._first + account * self._of_account
        return self.cells[start : start + self._of_account]

    def reach(self, account: int) -> bool:
        """Tell whether the page has an account, after mapping anew what another process made grow."""
        if account >= self.accounts and self.room > self.accounts:
            with self._growing, suppress(ValueError):
                self._map()
        return 0 <= account < self.accounts

    def grow(self, account: int) -> None:
        """Make room for an account. Errors: OSError when the disk is full; ValueError when the file is cut off."""
        with self._growing:
            fcntl.flock(self._file, fcntl.LOCK_EX)
            try:
                self._take_space(self.layout.room_for(account))
            finally:
                fcntl.flock(self._file, fcntl.LOCK_UN)
            self._map()

    def _take_space(self, wanted: int) -> None:
        """Let the file grow; never shrink it, whatever others have made of it meanwhile."""
        size = os.fstat(self._file).st_size
        if size < self._header or size < self._size(self.room):
            raise ValueError(f"it is cut off at {size} bytes")
        room = max(self.room, wanted)
        missing = self._size(room) - size
        if missing > 0:
            os.posix_fallocate(self._file, size, missing)
        self.cells[self._first - 1] = sealed(room)

    def _size(self, accounts: int) -> int:
        return self.layout.size(self._header, accounts)

    def spend(self, account: int, row: int, column: int, calls: int) -> None:
        """Add calls to a row and to the total of an account within `accounts`, in a column of the caller's own."""
        cells = self.cells
        total = self._first + account * self._of_account + column
        # The total comes last: whoever sees it has the row as well. Sealing is written out, for it is done per request.
        at = total + row * self.columns
        count = (cells[at] & COUNT) + calls
        cells[at] = count | count * FACTOR & CHECK
        count = (cells[total] & COUNT) + calls
        cells[total] = count | count * FACTOR & CHECK

    def count(self, account: int, column: int) -> None:
        """Add one to the total of an account within `accounts`, in a column of the caller's own."""
        at = self._first + account * self._of_account + column
        count = (self.cells[at] & COUNT) + 1
        self.cells[at] = count | count * FACTOR & CHECK

    def put(self, account: int, column: int, value: int) -> None:
        """Store a value for an account within `accounts`, in a column of the caller's own."""
        self.cells[self._first + account * self._of_account + column] = sealed(value)

    def mend(self, column: int) -> None:
        """Bring the totals of a column up to their rows; whoever had it was killed between the two.

        Nobody else writes the column meanwhile. A total that is above its rows has lost one of them, and stays.
        """
        for account in range(self.accounts):
            at = self._first + account * self._of_account + column
            total, *rows = self.cells[at : at - column + self._of_account : self.columns].tolist()
            counted = sum(map(sound_count, rows))
            if counted > sound_count(total):
                self.cells[at] = sealed(counted)

    def total(self, account: int) -> int:
        """Give the total of an account, all columns together; 0 for one that the page does not have."""
        if account >= self.accounts and not self.reach(account):
            return 0
        if self.name.damaged:
            return self._salvaged_total(account)
        start = self._first + account * self._of_account
        # The checks add up above the counts, where they are cut off.
        return sum(self.cells[start : start + self.columns]) & COUNT

    def _salvaged_total(self, account: int) -> int:
        """Take the total or its parts, whichever has lost less."""
        total, *parts = self.row_totals(account)
        return max(total, sum(parts))

    def totals(self) -> NDArray[np.uint64]:
        """Give the totals of all accounts, unchecked: what differs from an earlier reading was counted since."""
        self.reach(self.room - 1)
        totals: NDArray[np.uint64] = self._accounts_cells()[:, : self.columns].sum(axis=1) & np.uint64(COUNT)
        return totals

    def touched(self) -> Iterable[int]:
        """Give the accounts of which any cell was ever written."""
        self.reach(self.room - 1)
        found: list[int] = np.flatnonzero(self._accounts_cells().any(axis=1)).tolist()
        return found

    def _accounts_cells(self) -> NDArray[np.uint64]:
        """Give the cells of all accounts, a row an account."""
        cells = np.frombuffer(self.cells, np.uint64)[self._first :]
        return cells[: self.accounts * self._of_account].reshape(self.accounts, self._of_account)

    def row_totals(self, account: int) -> list[int]:
        """Give the checked totals of all rows of an account within `accounts`, row 0 first."""
        return self.checked(account)[0]

    def checked(self, account: int) -> tuple[list[int], bool]:
        """Give the totals as `row_totals` does, and whether every cell checked."""
        cells = self._slot(account).tolist()
        rows = (cells[start : start + self.columns] for start in range(0, len(cells), self.columns))
        totals = [sum(sound_count(cell) for cell in row if cell) for row in rows]
        return totals, sum(cells) & COUNT == sum(totals)

    def largest(self, account: int) -> int:
        """Give the largest value that any column has for an account within `accounts`."""
        return max(map(sound_count, self._slot(account)))


def changed(before: NDArray[np.uint64], now: NDArray[np.uint64]) -> list[int]:
    """Give the accounts whose totals are others than before; those that came since had none."""
    known = np.zeros(len(now), np.uint64)
    known[: len(before)] = before[: len(now)]
    found: list[int] = np.flatnonzero(now != known).tolist()
    return found


def create_counter_file(folder: Path, layout: CounterFileLayout) -> bool:
    """Put an empty page into the folder, whole; tell whether it was us who did, for another may have been faster.

    Errors: OSError when the disk is full.
    """
    with NamedTemporaryFile(dir=folder, prefix=f".{layout.name}.", buffering=0) as file:
        header = layout.write()
        file.write(header)
        os.posix_fallocate(file.fileno(), 0, layout.size(len(header), layout.step))
        os.fsync(file.fileno())
        try:
            os.link(file.name, folder / str(layout.name))
        except FileExistsError:
            return False
        return True
