"""What the threads of one node know of its quota leases, and what they agree on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from time import monotonic
from typing import NamedTuple, Protocol


class HeldLease(NamedTuple):
    """A lease of this node, as it was granted last.

    `granted` are the calls of the period that the node may answer in all, `chunk` how many of them were new. `free` is
    how many calls no node had then, of the `quota`.
    """

    free: int
    granted: int
    quota: int
    chunk: int


_UNKNOWN_QUOTA = 1 << 62


def lease_of(granted: int) -> HeldLease:
    """Return a lease of which only is known what was granted: more is asked for before it counts as the last."""
    return HeldLease(free=0, granted=granted, quota=_UNKNOWN_QUOTA, chunk=0)


class PendingRequest(NamedTuple):
    """A thread wants some calls of an account beyond those that were granted."""

    account: int
    calls: int
    granted: int


class NodeLeases(Protocol):
    """The leases of this node, which all its threads share. None of them waits for another, but in `grants`."""

    def lease(self, account: int, period_start: date) -> HeldLease | None:
        """Return the lease of an account for the period that began on a day, if there is one."""

    def reserve(self, account: int, calls: int) -> int:
        """Reserve calls for this thread, in place of what it has reserved before.

        Return how many calls of the account the other threads have reserved. Of two threads that reserve at once, at
        least one sees the reservation of the other. What is counted is to be read afterwards.
        """

    def release(self) -> None:
        """Give up what this thread has reserved, if anything: it is counted, or not needed."""

    def request(self, account: int, calls: int, granted: int) -> None:
        """Ask for more calls than the `granted` ones."""

    @property
    def patience(self) -> float:
        """For how many seconds a request may wait for a grant."""

    def grants(self) -> Iterator[None]:
        """Wait for grants: go on after each, and after short pauses, for as long as a request may wait."""

    @property
    def is_reachable(self) -> bool:
        """Whether more calls can be granted now."""

    @property
    def share(self) -> int:
        """By how many nodes a rate limit is divided: 1 while all nodes know what the others admit."""


_ASK_AGAIN_SECONDS = 0.05


class GrantWait:
    """The wait for a grant of a thread that does something else meanwhile: it asks `is_over` from time to time."""

    def __init__(self, leases: NodeLeases, wanted: PendingRequest, period_start: date) -> None:
        self._leases = leases
        self._wanted = wanted
        self._start = period_start
        self._before = leases.lease(wanted.account, period_start)
        now = monotonic()
        self._until, self._ask_again_at = now + leases.patience, now + _ASK_AGAIN_SECONDS

    def is_over(self) -> bool:
        """Return whether the lease has changed, or waiting makes no sense any more; what was not heard is repeated."""
        now = monotonic()
        if self._leases.lease(self._wanted.account, self._start) != self._before:
            return True
        if now >= self._until or not self._leases.is_reachable:
            return True
        if now >= self._ask_again_at:
            self._leases.request(*self._wanted)
            self._ask_again_at = now + _ASK_AGAIN_SECONDS
        return False
