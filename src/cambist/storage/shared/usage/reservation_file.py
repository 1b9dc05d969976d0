"""The reservations of all processes of a machine, in a memory-mapped file.

Each process writes a block of its own, which it holds by a file lock as a thread holds its writer slot: the kernel
releases it when the process ends in any way, and the others then clear what it had reserved. A word has an account and
its calls. All words have eight bytes and are read and written at once.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import compress
from operator import ne
from pathlib import Path
from tempfile import NamedTemporaryFile

from cambist.errors import StoreBroken, StoreBusy
from cambist.storage.atomic_file import unwritable

WORD = 8
MAGIC = int.from_bytes(b"CMBRSV01", "little")
OWNERS = 64
"""How many processes can reserve at once."""

ACCOUNTS = 256
"""How many accounts a process can reserve for at once: more than it has answers in the making."""

_FLAGS = 1
"""The first of the words with a byte for each process, which is not 0 while anything is in its block."""

_USED = _FLAGS + OWNERS // WORD
"""The first of the words that say how many words of each block are in use."""

_BLOCKS = _USED + OWNERS
_WORDS = _BLOCKS + OWNERS * ACCOUNTS
_CALLS_BITS = 33
_CALLS = (1 << _CALLS_BITS) - 1
_RETRY_SECONDS = 1


class ReservationFile:
    """The `Reservations` protocol over the file. A process must not fork after it has reserved something."""

    def __init__(self, path: Path) -> None:
        """Map the file; create it if it does not exist. Errors: StoreBroken."""
        self._path = path
        try:
            if not path.exists():
                _create(path)
            self._file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            size = os.fstat(self._file).st_size
            memory = mmap.mmap(self._file, _WORDS * WORD if size == _WORDS * WORD else WORD)
        except (OSError, ValueError) as error:
            reason = error if isinstance(error, OSError) else OSError(str(error))
            raise StoreBroken(unwritable("usage counters in", path, reason)) from error
        self._words = memoryview(memory).cast("Q")
        if size != _WORDS * WORD or self._words[0] != MAGIC:
            raise StoreBroken(f"The file {path} is damaged, or of another version: stop the service and remove it")
        self._used = self._words[_USED:_BLOCKS]
        flags = self._words[_FLAGS:_USED]
        self._flags = flags.cast("B")
        # Both are views of words: they are compared at once, for every call.
        self.has_any: Callable[[], bool] = partial(ne, flags, memoryview(bytes(OWNERS)).cast("Q"))
        self._owner = -1
        self._places: dict[int, int] = {}
        self._changing = threading.Lock()
        self._deciding = threading.Lock()
        self.clear_abandoned()

    def add(self, account: int, calls: int) -> None:
        """Reserve calls. Errors: StoreBroken, StoreBusy."""
        with self._changing:
            if self._owner < 0:
                self._owner = self._claim()
            at = self._places.get(account)
            if at is None:
                at = self._places[account] = self._free_place()
            words = self._words
            words[at] = account << _CALLS_BITS | min((words[at] & _CALLS) + calls, _CALLS)
            first = _BLOCKS + self._owner * ACCOUNTS
            self._used[self._owner] = max(self._used[self._owner], at - first + 1)
            self._flags[self._owner] = 1
        # The lock was released: what others have reserved is read after this was written.

    def remove(self, account: int, calls: int) -> None:
        """Give up calls; what was counted before is seen by whoever sees this."""
        with self._changing:
            at = self._places[account]
            left = max(0, (self._words[at] & _CALLS) - calls)
            if left:
                self._words[at] = account << _CALLS_BITS | left
                return
            self._words[at] = 0
            del self._places[account]
            if not self._places:
                self._used[self._owner] = self._flags[self._owner] = 0

    def total(self, account: int) -> int:
        """Return the reserved calls of an account."""
        words, found = self._words, 0
        all_used = self._used.tolist()
        for owner in compress(range(OWNERS), all_used):
            first = _BLOCKS + owner * ACCOUNTS
            block = words[first : first + all_used[owner]].tolist()
            found += sum([word & _CALLS for word in block if word and word >> _CALLS_BITS == account])
        with self._changing:  # what is counted is read after this
            return found

    @contextmanager
    def deciding(self) -> Iterator[None]:
        """Keep others from deciding at the same time."""
        with self._deciding:  # a lock of the file does not exclude the other threads of this process
            fcntl.flock(self._file, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def clear_abandoned(self) -> None:
        """Clear the blocks whose processes are gone."""
        for owner, used in enumerate(self._used.tolist()):
            if used and owner != self._owner:
                with suppress(FileNotFoundError):
                    lock = os.open(self._lock_path(owner), os.O_RDWR | os.O_CLOEXEC)
                    try:
                        with suppress(BlockingIOError):
                            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                            self._clear(owner)
                    finally:
                        os.close(lock)

    def _claim(self) -> int:
        for owner in range(OWNERS):
            try:
                lock = os.open(self._lock_path(owner), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            except OSError as error:
                raise StoreBroken(unwritable("usage counters in", self._path, error)) from error
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
            else:
                self._clear(owner)
                self._lock = lock
                return owner
        raise StoreBroken(f"All {OWNERS} processes that can reserve calls in {self._path} do so")

    def _clear(self, owner: int) -> None:
        first = _BLOCKS + owner * ACCOUNTS
        for at in range(first, first + ACCOUNTS):
            self._words[at] = 0
        self._used[owner] = self._flags[owner] = 0

    def _free_place(self) -> int:
        first = _BLOCKS + self._owner * ACCOUNTS
        taken = set(self._places.values())
        for at in range(first, first + ACCOUNTS):
            if at not in taken:
                return at
        raise StoreBusy("Too many requests are answered at once", _RETRY_SECONDS)

    def _lock_path(self, owner: int) -> Path:
        return self._path.with_name(f"{self._path.name}-{owner}.lock")

    def close(self) -> None:
        """Give up the block of this process."""
        with self._changing:
            if self._owner >= 0:
                self._clear(self._owner)
                os.close(self._lock)
                self._owner = -1
                self._places.clear()


def _create(path: Path) -> None:
    """Create the file in one step, unless another process is first."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", buffering=0) as file:
        os.posix_fallocate(file.fileno(), 0, _WORDS * WORD)
        os.pwrite(file.fileno(), MAGIC.to_bytes(WORD, "little"), 0)
        try:
            os.link(file.name, path)
        except FileExistsError:
            return
