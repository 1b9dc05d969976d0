"""What is kept, and where: each store behind the protocols of the floors that use it."""

from __future__ import annotations

from typing import Protocol

from cambist.accounts.account import Accounts
from cambist.accounts.usage_counters import UsageStore
from cambist.history.archive import FixingArchive
from cambist.history.bars import BarStore
from cambist.history.quarantine import Quarantine

STORES = {
    "sqlite": "sql",
}
"""Which module keeps what a database URL of this scheme names. Each ends in a class `store` made from the URL."""


class Store(Protocol):
    """One database with everything that must last."""

    @property
    def archive(self) -> FixingArchive:
        """The fixings."""

    @property
    def bars(self) -> BarStore:
        """The bars."""

    @property
    def quarantine(self) -> Quarantine:
        """The fixings that were refused."""

    @property
    def usage(self) -> UsageStore:
        """What was spent."""

    @property
    def accounts(self) -> Accounts:
        """The accounts and their keys."""

    def is_new(self) -> bool:
        """Say whether the database is missing or has no tables yet. Errors: CannotStart where it cannot be read."""

    def migrate(self) -> None:
        """Bring the schema up to date. Errors: CannotStart."""

    def hold_open(self) -> None:
        """Keep what is open beside the database as long as this process lives: on a full disk none could be made."""

    def faults(self, within: float | None = None) -> list[str]:
        """Say where the database does not hang together; only what is found `within` so many seconds, if given."""

    def close(self) -> None:
        """Give the connections back."""
