"""The side of the cluster link in the file of quota leases: it reads requests, and writes leases and its own state."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from pathlib import Path
from time import monotonic_ns

from cambist.accounts.node_leases import HeldLease, PendingRequest
from cambist.errors import StoreBroken
from cambist.storage.atomic_file import unwritable
from cambist.storage.shared.usage.lease_file import (
    ACCOUNT_WORDS,
    CALLS,
    CALLS_BITS,
    CAPACITY,
    IS_REACHABLE,
    KEEPER_BEAT,
    LEASE_WORDS,
    LEASES,
    LINK_BEAT,
    MOST_REQUESTS,
    REQUEST_SLOTS,
    REQUEST_WORDS,
    REQUESTS,
    RESERVED,
    SHARE,
    SLOTS,
    STEP,
    WORD,
    LeaseFile,
    place,
    ring_of,
)
from cambist.storage.shared.usage.writer_slot import lock_path


class LeaseWriter:
    """Writes the leases of a node; there is one in its link.

    `repair` repairs what a killed process has half counted in the slot of that number.
    """

    def __init__(self, path: Path, repair: Callable[[int], None]) -> None:
        """Map the file; create it if it does not exist. Errors: StoreBroken."""
        self._folder = path.parent
        self._path = path
        self._repair = repair
        self._file = LeaseFile(path, own_slot=_no_slot)
        # What was asked for before, in any slot, is asked for again if it is still wanted.
        self._seen = dict(enumerate(self._numbers(REQUEST_SLOTS)))

    def wait(self, seconds: float) -> None:
        """Wait for a request, but not longer than some seconds."""
        requested = self._file.requested
        seen = requested.value()
        if not self._has_requests():
            requested.wait(seen, seconds)

    def _has_requests(self) -> bool:
        return any(number != self._seen[slot] for slot, number in enumerate(self._numbers(self._file.words[SLOTS])))

    def _numbers(self, slots: int) -> list[int]:
        """Return how many requests each of the first slots has made."""
        end = REQUESTS + min(slots, REQUEST_SLOTS) * REQUEST_WORDS
        return self._file.words[REQUESTS:end:REQUEST_WORDS].tolist()

    def requests(self) -> list[PendingRequest]:
        """Return the requests that are new since the last call."""
        words, found = self._file.words, []
        for slot, number in enumerate(self._numbers(words[SLOTS])):
            seen = self._seen[slot]
            if number == seen:
                continue
            self._seen[slot], ring = number, ring_of(slot)
            for one in range(max(seen, number - MOST_REQUESTS), number):
                at = ring + 1 + one % MOST_REQUESTS * 2
                found.append(PendingRequest(words[at] >> CALLS_BITS, words[at] & CALLS, words[at + 1]))
        return found

    def lease(self, account: int, period_start: date) -> HeldLease | None:
        """Return a lease as it was written last."""
        return self._file.lease(account, period_start)

    def write(self, account: int, period_start: date, lease: HeldLease) -> None:
        """Write a lease. Errors: StoreBroken."""
        if account >= self._file.accounts:
            self._grow(account)
        words, at = self._file.words, place(account, period_start)
        if words[at] != period_start.toordinal():
            # Nobody must see the calls of one period as those of another.
            for word in range(at, at + LEASE_WORDS):
                words[word] = 0
        words[at + 4], words[at + 3], words[at + 2], words[at + 1] = lease.chunk, lease.quota, lease.granted, lease.free
        words[at] = period_start.toordinal()

    def clear(self) -> None:
        """Remove all leases."""
        words = self._file.words
        for at in range(LEASES, LEASES + self._file.accounts * ACCOUNT_WORDS, LEASE_WORDS):
            if words[at]:
                words[at] = 0

    def announce(self) -> None:
        """Wake who waits for grants."""
        self._file.granted.wake()

    def write_link(self, *, is_linked: bool, nodes: int) -> None:
        """Write that the link is alive, whether it reaches the other nodes, and how many nodes there are."""
        words = self._file.words
        words[SHARE] = max(1, nodes) * 2 + is_linked
        words[LINK_BEAT] = monotonic_ns()

    def write_keeper(self, *, is_reachable: bool) -> None:
        """Write that the keeper of quotas is alive, and whether it reaches the database."""
        words = self._file.words
        words[IS_REACHABLE] = is_reachable
        words[KEEPER_BEAT] = monotonic_ns()

    def clear_abandoned(self) -> None:
        """Clear reservations in slots that nobody holds any more: their processes were killed."""
        words = self._file.words
        for slot, reserved in enumerate(words[RESERVED : RESERVED + words[SLOTS]].tolist()):
            if not reserved:
                continue
            with suppress(FileNotFoundError):
                lock = os.open(lock_path(self._folder, slot), os.O_RDWR | os.O_CLOEXEC)
                try:
                    with suppress(BlockingIOError):
                        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        self._repair(slot)
                        words[RESERVED + slot] = 0
                finally:
                    os.close(lock)

    def _grow(self, account: int) -> None:
        """Extend the file for an account. It never shrinks, because others have it mapped."""
        capacity = (account // STEP + 1) * STEP
        try:
            file = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
            try:
                os.posix_fallocate(file, 0, (LEASES + capacity * ACCOUNT_WORDS) * WORD)
            finally:
                os.close(file)
        except OSError as error:
            raise StoreBroken(unwritable("usage counters in", self._path, error)) from error
        self._file.map()
        self._file.words[CAPACITY] = capacity


def _no_slot() -> int:
    raise TypeError("The link reserves nothing")
