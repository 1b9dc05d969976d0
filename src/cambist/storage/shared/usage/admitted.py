"""Find the accounts whose requests other processes have newly admitted, without reading the others."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from cambist.storage.shared.usage.counter import BYTES, sum_of
from cambist.storage.shared.usage.counter_file import CounterFile
from cambist.storage.shared.usage.layout import MARKED_TOGETHER, MARKS

_BLOCK = 1 << MARKED_TOGETHER


class AdmittedCopy:
    """The counters of admitted requests as they were when `newly_admitted` looked last; empty at first."""

    def __init__(self) -> None:
        self._files: dict[CounterFile, _FileCopy] = {}

    def last_admitted(self, account: int) -> int:
        """Return the requests of an account that had been admitted then."""
        return sum(copy.total(account) for copy in self._files.values())

    def newly_admitted(self, files: Sequence[CounterFile], own_slots: Collection[int] = ()) -> Mapping[int, int]:
        """Return the accounts with requests admitted since the last call, and how many they had then.

        Who counts in `own_slots` knows of those requests: an account that only they have changed may be left out.
        """
        for gone in self._files.keys() - set(files):
            del self._files[gone]
        accounts: set[int] = set()
        changed = []
        for file in files:
            copy = self._files.setdefault(file, _FileCopy(file))
            for block, counters in copy.changed_blocks(own_slots):
                accounts.update(copy.changed_accounts(block, counters))
                changed.append((copy, block, counters))
        found = {account: self.last_admitted(account) for account in accounts}
        for copy, block, counters in changed:
            copy.replace(block, counters)
        return found


class _FileCopy:
    """A copy of one file by blocks of neighbouring accounts; a block that is missing was empty."""

    def __init__(self, file: CounterFile) -> None:
        self._file = file
        self._account_bytes = file.slots * BYTES
        self._marks = bytes(len(file.marks()) * BYTES)
        self._blocks: dict[int, bytes] = {}

    def total(self, account: int) -> int:
        """Return the copied total of an account."""
        return sum_of(memoryview(self._account(self._blocks.get(account // _BLOCK, b""), account % _BLOCK)).cast("Q"))

    def _account(self, block: bytes, place: int) -> bytes:
        return block[place * self._account_bytes : (place + 1) * self._account_bytes]

    def changed_blocks(self, own_slots: Collection[int]) -> Iterator[tuple[int, bytes]]:
        """Return the blocks that other slots have changed since the copy was made, with their counters now."""
        self._file.ensure_mapped(self._file.capacity - 1)
        for block in self._marked_blocks(own_slots):
            first = block * _BLOCK
            counters = self._file.counters_of(first, min(_BLOCK, self._file.accounts - first)).tobytes()
            if counters != self._blocks.get(block, b"") and any(counters):
                yield block, counters

    def _marked_blocks(self, own_slots: Collection[int]) -> Iterator[int]:
        before, self._marks = self._marks, self._file.marks().tobytes()
        if before == self._marks:
            return
        marks = zip(memoryview(before).cast("Q"), memoryview(self._marks).cast("Q"), strict=True)
        moved = {
            place % MARKS
            for place, (last, mark) in enumerate(marks)
            if mark != last and place // MARKS not in own_slots
        }
        if not moved:
            return
        # Blocks without any data are never read: that would take memory for accounts that do not call.
        yield from sorted({block for account in self._file.used() if (block := account // _BLOCK) % MARKS in moved})

    def changed_accounts(self, block: int, counters: bytes) -> Iterator[int]:
        """Return the accounts of a block whose counters differ from the copy."""
        last = self._blocks.get(block, b"").ljust(len(counters), b"\0")
        for place in range(len(counters) // self._account_bytes):
            if self._account(counters, place) != self._account(last, place):
                yield block * _BLOCK + place

    def replace(self, block: int, counters: bytes) -> None:
        """Replace the copy of a block."""
        self._blocks[block] = counters
