"""Usage: calls are counted by the workers as they answer, and stored in the database.

A worker counts in `UsageCounters`, which never block. Twice a second their totals are written to the `UsageStore`. The
totals are absolute, so that writing one twice changes nothing (ADR 11).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

CounterFileKey = tuple[date, int]
"""The day and the number of a counter file."""


@dataclass(frozen=True, slots=True)
class CounterTotal:
    """The calls of an account to an endpoint that one counter file has counted on its day. It only grows.

    `file` is the number of the file. Files of the same day have different numbers, and their totals are added.
    """

    day: date
    file: int
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
    """The counters of one worker, which all workers can read. Accounts and keys are numbers."""

    def spend(self, account: int, endpoint: str, calls: int, today: date) -> None:
        """Count calls on a day. Errors: StoreBroken if there is no disk space for a new file."""

    def spent(self, account: int, day: date) -> int:
        """Return the calls of a day by all workers, in files that existed since this worker started."""

    def days(self) -> Collection[date]:
        """Return the days on which calls may have been counted."""

    def refresh(self) -> None:
        """Load files that other processes have created, if nothing was counted for long."""

    def admit(self, account: int) -> None:
        """Count a request that the rate limit has admitted. Errors: StoreBroken as in `spend`."""

    def admit_many(self, account: int, requests: int) -> None:
        """Count several requests that were admitted, here or on other nodes. Errors: StoreBroken as in `spend`."""

    def admitted(self, account: int) -> int:
        """Return the requests that all workers have ever admitted. Only differences between readings matter."""

    def newly_admitted(self) -> Mapping[int, int]:
        """Return the accounts with newly admitted requests since the last call, and their `admitted` at that call."""

    def last_admitted(self, account: int) -> int:
        """Return `admitted` as of the last call of `newly_admitted`, or of the start."""

    def use_key(self, key: int, unix_second: int) -> None:
        """Record the last use of a key. Errors: StoreBroken as in `spend`."""


class UsageStore(Protocol):
    """The database's usage."""

    def store_totals(self, totals: Iterable[CounterTotal], node: str = "") -> None:
        """Store totals of a node, all or none. One that is smaller than the stored one changes nothing.

        Errors: StoreBroken.
        """

    def by_day(
        self, since: date, without: Collection[CounterFileKey] = (), node: str | None = None
    ) -> Mapping[int, Mapping[date, int]]:
        """Return the calls of each account by day, from `since` on, without those of some counter files.

        With `node`, return only what that node has counted.
        """

    def of_others(self, account: int, since: date, node: str) -> Mapping[date, int]:
        """Return the calls of an account by day, from `since` on, that other nodes than this one have counted."""

    def calls_since(self, day: date) -> int:
        """Return the calls of all accounts from a day on."""

    def totals(self, since: date) -> Iterable[CounterTotal]:
        """Return the stored totals from `since` on."""

    def damaged_rows(self) -> Iterable[str]:
        """Return each row that is not what was stored, as text. Errors: StoreBroken."""

    def rows(self, since: date | None = None, account: int | None = None) -> Sequence[UsageRow]:
        """Return usage ordered by day, account and endpoint."""
