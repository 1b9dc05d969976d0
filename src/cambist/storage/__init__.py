"""Storage: databases, memory-mapped files and the data directory, behind the protocols of the layers that use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # the protocols alone need no other module
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from cambist.accounts.account_search import SearchableAccounts
    from cambist.accounts.alerts.alerts import Alerts
    from cambist.accounts.plan_versions import PlanVersions
    from cambist.accounts.quota_leases import QuotaLeases
    from cambist.accounts.usage_counters import UsageStore
    from cambist.history.archive import FixingArchive
    from cambist.history.bars import BarReader, BarStore
    from cambist.history.edition import Editions
    from cambist.history.price_samples import PriceSampleReader, PriceSampleStore
    from cambist.history.verdict_log import VerdictLog
    from cambist.receipts.signing_key import PublicKeys
    from cambist.status.leadership import Leadership
    from cambist.status.nodes import NodeRegistry
    from cambist.transparency.checkpoint import LogCheckpoints

STORES = {
    "sqlite": "sql",
    "postgresql": "sql",
}
"""The package for each scheme of a database URL. Each has a class `store` that takes the URL."""


class ReadOnlyStore(Protocol):
    """What answers are read from, over kept connections that cannot write; for at most as many threads at once."""

    @property
    def archive(self) -> FixingArchive:
        """The archive of fixings."""

    @property
    def bars(self) -> BarReader:
        """The bars."""

    @property
    def price_samples(self) -> PriceSampleReader:
        """The price samples."""

    @property
    def editions(self) -> Editions:
        """The editions of the history."""

    @property
    def usage(self) -> UsageStore:
        """The calls that were counted."""

    @property
    def verdicts(self) -> VerdictLog:
        """The log of verdicts."""

    def close(self) -> None:
        """Close all connections."""


class HistoryStore(Protocol):
    """What was received, what was published of it, and what vouches for it."""

    @property
    def archive(self) -> FixingArchive:
        """The archive of fixings."""

    @property
    def bars(self) -> BarStore:
        """The bars."""

    @property
    def price_samples(self) -> PriceSampleStore:
        """The price samples."""

    @property
    def editions(self) -> Editions:
        """The editions of the history."""

    @property
    def verdicts(self) -> VerdictLog:
        """The log of verdicts."""

    @property
    def public_keys(self) -> PublicKeys:
        """The public keys of receipts and of the log."""

    @property
    def log_checkpoints(self) -> LogCheckpoints:
        """The signed checkpoints of the log of editions."""


class AccountStore(Protocol):
    """Who calls, and how often."""

    @property
    def accounts(self) -> SearchableAccounts:
        """The accounts and their API keys."""

    @property
    def alerts(self) -> Alerts:
        """What accounts want to be told of."""

    @property
    def usage(self) -> UsageStore:
        """The calls that were counted."""

    @property
    def quota_leases(self) -> QuotaLeases:
        """The parts of quotas that several nodes have."""

    def copy_accounts(self, path: Path) -> None:
        """Bring a copy of accounts and keys in a file up to date, from which processes start without the database.

        Errors: StoreBroken.
        """


class NodeStore(Protocol):
    """What the nodes of a service on several machines share."""

    @property
    def leadership(self) -> Leadership:
        """Which node leads the ingest."""

    @property
    def nodes(self) -> NodeRegistry:
        """The nodes."""

    @property
    def plan_versions(self) -> PlanVersions:
        """The plans."""


class Store(HistoryStore, AccountStore, NodeStore, Protocol):
    """One database. Who opens one has all of it, and passes on the part that is needed."""

    def is_new(self) -> bool:
        """Return whether the database is missing or has no tables yet. Errors: CannotStart if it cannot be read."""

    def migrate(self, *, with_copy: bool = True) -> None:
        """Bring the schema up to date. Errors: CannotStart.

        A database in the data folder is copied before, if `with_copy`, unless it is new.
        """

    def hold_start(self, seconds: float, waits: Callable[[], None]) -> AbstractContextManager[bool]:
        """Prepare the database in a block while no other node does; tell whether that was possible in so many seconds.

        `waits` is called if another node does so now. Errors: StoreBroken.
        """

    def read_only(self, connections: int, within: float) -> ReadOnlyStore:
        """Return what answers are read from; a read that takes longer than `within` seconds raises StoreBroken."""

    def hold_open(self) -> None:
        """Keep the database's log files open until `close`: on a full disk they could not be created."""

    def faults(self, within: float | None = None) -> list[str]:
        """Return what is inconsistent in the database. With `within`, check less, for at most so many seconds."""

    def close(self) -> None:
        """Close all connections."""
