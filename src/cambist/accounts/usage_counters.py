"""Calls spent: counted by the workers as they answer, and stored for good.

A worker counts into `UsageCounters`, which never wait. From time to time their totals are folded into the `UsageStore`.
The totals are absolute, so that folding them twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

DayCounters = tuple[date, int]
"""A page of the ledger, by its day and its number."""


@dataclass(frozen=True, slots=True)
class CounterTotal:
    """All calls of an account to an endpoint that one page of the ledger has counted on a day; it only ever grows.

    A page's number is its own: one that is made anew for the same day has another, and its totals are added.
    """

    day: date
    page: int
    account: int
    endpoint: str
    calls: int


@dataclass(frozen=True, slots=True)
class UsageRow:
    """Calls of an account to an endpoint on a day."""

    day: date
    account: int
    endpoint: str
    calls: int


class UsageCounters(Protocol):
    """One worker's hand in the ledger. Accounts and keys are given by their numbers."""

    def spend(self, account: int, endpoint: str, calls: int, today: date) -> None:
        """Count calls on the day that the caller read."""

    def spent(self, account: int, day: date) -> int:
        """Give the calls that all workers counted on a day in pages that this one has had since it began, else 0."""

    def refresh(self) -> None:
        """Take note of other pages, where nobody asked for long."""

    def admit(self, account: int) -> None:
        """Count a request that was let in."""

    def admitted(self, account: int) -> int:
        """Give the requests that all workers ever let in: only the difference of two readings means something."""

    def newly_admitted(self) -> Mapping[int, int]:
        """Give the accounts that had requests let in since this was asked last, and what `admitted` gave then."""

    def last_admitted(self, account: int) -> int:
        """Give what `admitted` gave when `newly_admitted` was asked last, or at the beginning."""

    def use_key(self, key: int, unix_second: int) -> None:
        """Note when a key was last used."""


class UsageStore(Protocol):
    """Where usage is kept for good."""

    def fold(self, totals: Iterable[CounterTotal]) -> None:
        """Store totals, all or none; one that is smaller than what is stored changes nothing. Errors: StoreBroken."""

    def by_day(self, since: date, without: Collection[DayCounters] = ()) -> Mapping[int, Mapping[date, int]]:
        """Give the calls of each account on each day from `since` on, where there are any; `without` some pages."""

    def totals(self, since: date) -> Iterable[CounterTotal]:
        """Give the totals as they were folded, from `since` on."""

    def rows(self, since: date | None = None, account: int | None = None) -> Sequence[UsageRow]:
        """Give usage by day, account and endpoint, in this order."""
