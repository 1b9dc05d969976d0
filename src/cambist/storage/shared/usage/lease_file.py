"""The quota leases of a node, in a memory-mapped file: what it may answer, what its threads want and have reserved.

The cluster link alone writes leases and the state in the header. Each thread of a worker writes the words of its own
writer slot: a reservation, and a request for more calls. Nobody takes a lock. All words have eight bytes and are read
and written at once.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import threading
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import monotonic, monotonic_ns

from cambist.accounts.node_leases import HeldLease, PendingRequest
from cambist.errors import StoreBroken
from cambist.storage.atomic_file import unwritable
from cambist.storage.shared.futex import Futex
from cambist.storage.shared.usage.writer_slot import MAX_SLOTS

WORD = 8
HEADER_WORDS = 512
MAGIC = int.from_bytes(b"CMBLSE01", "little")
CAPACITY, SLOTS, LINK_BEAT, SHARE, KEEPER_BEAT, IS_REACHABLE = range(1, 7)
"""Words of the header: accounts, writer slots in use, and what the link and its keeper of quotas said, and when."""

GRANTED_AT = (HEADER_WORDS - 1) * WORD
REQUESTED_AT = GRANTED_AT + 4
"""Where the numbers are that wake who waits for grants, and for requests."""

RESERVED = HEADER_WORDS
REQUESTS = RESERVED + MAX_SLOTS
MOST_REQUESTS = 128
"""A thread has a ring of so many requests: what the link has not read by then is overwritten, and asked for again."""

REQUEST_WORDS = 1 + 2 * MOST_REQUESTS
"""How many requests the thread has made, and of each of the last ones account and calls, and the calls granted then."""

_REQUESTS_END = REQUESTS + 3 * MAX_SLOTS
REQUEST_SLOTS = (_REQUESTS_END - REQUESTS) // REQUEST_WORDS
"""How many slots have rings, which is more than the threads of fifty workers."""

LEASES = _REQUESTS_END
LEASE_WORDS = 5
PERIODS = 2
"""Each account has places for two periods that follow each other."""

ACCOUNT_WORDS = PERIODS * LEASE_WORDS
STEP = 1024
"""By how many accounts the file grows."""

CALLS_BITS = 33
CALLS = (1 << CALLS_BITS) - 1
"""An account and a number of calls share a word."""

_MONTHS = 12
_ALIVE_NS = 3_000_000_000
_WAIT_SECONDS = 1.0
_START_SECONDS = 5.0
"""How long requests wait for a grant, and while the link of a node that has just started has not begun."""

_PAUSE_SECONDS = 0.02
_ASK_AGAIN_SECONDS = 0.05


class _OfThread(threading.local):
    """The writer slot of the current thread; below 0 if it is not known yet."""

    slot = -1


class LeaseFile:
    """The `NodeLeases` protocol over the file. `own_slot` returns the number of the calling thread's writer slot."""

    def __init__(self, path: Path, own_slot: Callable[[], int]) -> None:
        """Map the file; create it if it does not exist. Errors: StoreBroken."""
        self._path = path
        self._own_slot = own_slot
        self._of_thread = _OfThread()
        self._fence = threading.Lock()
        self._mapping = threading.Lock()
        self.accounts = 0
        try:
            if not path.exists():
                _create(path)
            self._file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            memory = self.map()
        except OSError as error:
            raise StoreBroken(unwritable("usage counters in", path, error)) from error
        if self.words[0] != MAGIC:
            raise StoreBroken(f"The file {path} is damaged, or of another version: stop the service and remove it")
        self.granted = Futex(memory, GRANTED_AT)
        self.requested = Futex(memory, REQUESTED_AT)

    def map(self) -> mmap.mmap:
        """Map the whole file as it is now."""
        with self._mapping:
            size = os.fstat(self._file).st_size
            memory = mmap.mmap(self._file, size - size % WORD)
            self.words = memoryview(memory).cast("Q")
            self.accounts = (len(self.words) - LEASES) // ACCOUNT_WORDS
            return memory

    def lease(self, account: int, period_start: date) -> HeldLease | None:
        """Return the lease of an account for a period."""
        if account >= self.accounts:
            if account >= self.words[CAPACITY]:
                return None
            self.map()
        at, day = place(account, period_start), period_start.toordinal()
        words = self.words
        if words[at] != day:
            return None
        # In the order of the words: whoever sees that nothing is free also sees what was granted before that.
        lease = HeldLease(words[at + 1], words[at + 2], words[at + 3], words[at + 4])
        return lease if words[at] == day else None

    def reserve(self, account: int, calls: int) -> int:
        """Reserve calls for this thread; return what the others have reserved."""
        slot = self._of_thread.slot
        if slot < 0:
            slot = self._claim_slot()
        words = self.words
        own = account << CALLS_BITS | min(calls, CALLS)
        words[RESERVED + slot] = own
        # The processor must not read the words of the others before it has written this one.
        with self._fence:
            pass
        reserved = words[RESERVED : RESERVED + words[SLOTS]].tolist()
        reserved[slot] = 0
        others = sum(word & CALLS for word in reserved if word and word >> CALLS_BITS == account)
        with self._fence:  # nor what is counted before these
            pass
        return others

    def release(self) -> None:
        """Give up what this thread has reserved."""
        slot = self._of_thread.slot
        if slot >= 0 and self.words[RESERVED + slot]:
            with self._fence:  # what was counted is seen before
                pass
            self.words[RESERVED + slot] = 0

    def _claim_slot(self) -> int:
        """Clear the words of this thread's slot, whose last owner may have been killed."""
        slot = self._own_slot()
        with self._mapping:  # a lock of the file does not exclude the other threads of this process
            fcntl.flock(self._file, fcntl.LOCK_EX)
            try:
                self.words[RESERVED + slot] = 0
                if self.words[SLOTS] <= slot:
                    self.words[SLOTS] = slot + 1
            finally:
                fcntl.flock(self._file, fcntl.LOCK_UN)
        self._of_thread.slot = slot
        return slot

    def request(self, account: int, calls: int, granted: int) -> None:
        """Ask the link for more calls."""
        slot = self._of_thread.slot
        if slot < 0:
            slot = self._claim_slot()
        words, at = self.words, ring_of(slot)
        number = words[at]
        place = at + 1 + number % MOST_REQUESTS * 2
        words[place] = account << CALLS_BITS | min(calls, CALLS)
        words[place + 1] = granted
        words[at] = number + 1  # last: whoever sees it sees the others
        self.requested.wake()

    def awaited(self, wanted: PendingRequest, period_start: date) -> Callable[[], bool]:
        """Return what says whether a request need not wait for a grant any more, asking again if that was not heard."""
        before, asked_at = self.lease(wanted.account, period_start), monotonic()
        until = asked_at + self._patience

        def is_over() -> bool:
            nonlocal asked_at
            now = monotonic()
            if self.lease(wanted.account, period_start) != before or now >= until or not self.is_reachable:
                return True
            if now - asked_at >= _ASK_AGAIN_SECONDS:
                self.request(*wanted)
                asked_at = now
            return False

        return is_over

    @property
    def _patience(self) -> float:
        return _WAIT_SECONDS if self.words[KEEPER_BEAT] else _START_SECONDS

    def grants(self) -> Iterator[None]:
        """Wait for grants for as long as a request may wait in all."""
        until = monotonic() + self._patience
        while (left := until - monotonic()) > 0:
            seen = self.granted.value()
            yield
            self.granted.wait(seen, min(left, _PAUSE_SECONDS))

    @property
    def is_reachable(self) -> bool:
        """Whether the keeper of quotas reaches the database, or has not begun. If it is silent, it waits for it."""
        return not self.words[KEEPER_BEAT] or (bool(self.words[IS_REACHABLE]) and self._is_alive(KEEPER_BEAT))

    @property
    def share(self) -> int:
        """By how many nodes a rate is divided: by all that there were last, if the link is not alive."""
        nodes, is_linked = divmod(self.words[SHARE], 2)
        return 1 if is_linked and self._is_alive(LINK_BEAT) else max(1, nodes)

    def _is_alive(self, beat: int) -> bool:
        return monotonic_ns() - self.words[beat] < _ALIVE_NS


def place(account: int, period_start: date) -> int:
    """Return the first word of the lease of an account for a period."""
    period = (period_start.year * _MONTHS + period_start.month) % PERIODS
    return LEASES + account * ACCOUNT_WORDS + period * LEASE_WORDS


def ring_of(slot: int) -> int:
    """Return the first word of the requests of a slot. Some threads share one if there are more than can be."""
    return REQUESTS + slot % REQUEST_SLOTS * REQUEST_WORDS


def _create(path: Path) -> None:
    """Create the file in one step, unless another process is first."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", buffering=0) as file:
        os.posix_fallocate(file.fileno(), 0, (LEASES + STEP * ACCOUNT_WORDS) * WORD)
        header = MAGIC.to_bytes(WORD, "little") + STEP.to_bytes(WORD, "little")
        os.pwrite(file.fileno(), header, 0)
        try:
            os.link(file.name, path)
        except FileExistsError:
            return
