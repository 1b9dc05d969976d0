"""What the threads of one node know of its quota leases, and what they agree on. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
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

    def awaited(self, wanted: PendingRequest, period_start: date) -> Callable[[], bool]:
        """Return what says whether a thread that does something else meanwhile need not wait for a grant any more.

        That is so when the lease has changed, or none can come, or the request may wait no longer. What the link has
        not heard is asked for again.
        """

    def grants(self) -> Iterator[None]:
        """Wait for grants: go on after each, and after short pauses, for as long as a request may wait."""

    @property
    def is_reachable(self) -> bool:
        """Whether more calls can be granted now."""

    @property
    def share(self) -> int:
        """By how many nodes a rate limit is divided: 1 while all nodes know what the others admit."""
