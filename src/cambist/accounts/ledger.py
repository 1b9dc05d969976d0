"""What was spent: counted by the workers as they answer, and kept in the books for good.

A worker counts into a `Ledger`, which never waits. From time to time its totals are folded into the `UsageBook`. They
are absolute, so that folding them twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Total:
    """All calls of an account to an endpoint that one page of the ledger has counted on a day; it only ever grows."""

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


class Ledger(Protocol):
    """One worker's hand in the ledger. Accounts and keys are given by their numbers."""

    def spend(self, account: int, endpoint: str, calls: int, today: date) -> None:
        """Count calls on the day that the caller read."""

    def spent(self, account: int, day: date) -> int:
        """Give the calls that all workers counted on a day, as long as the ledger has it, then 0."""

    def admit(self, account: int) -> None:
        """Count a request that was let in."""

    def admitted(self, account: int) -> int:
        """Give the requests that all workers ever let in: only the difference of two readings means something."""

    def use_key(self, key: int, unix_second: int) -> None:
        """Note when a key was last used."""


class UsageBook(Protocol):
    """Where usage is kept for good."""

    def fold(self, totals: Iterable[Total]) -> None:
        """Store totals, all or none; one that is smaller than what is stored changes nothing. Errors: StoreBroken."""

    def by_day(self, since: date) -> Mapping[int, Mapping[date, int]]:
        """Give the calls of each account on each day from `since` on, where there are any."""

    def rows(self, since: date | None = None, account: int | None = None) -> Sequence[UsageRow]:
        """Give usage by day, account and endpoint, in this order."""
