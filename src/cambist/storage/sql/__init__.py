"""A relational database through SQLAlchemy Core."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cached_property
from importlib import import_module
from pathlib import Path

from sqlalchemy import Connection, Engine

from cambist.storage.sql.accounts import SqlAccounts
from cambist.storage.sql.accounts_copy import update_accounts_copy
from cambist.storage.sql.alerts import SqlAlerts
from cambist.storage.sql.archive import SqlArchive
from cambist.storage.sql.backends import SessionLimits, WriteLock, backend_of
from cambist.storage.sql.bars import SqlBars
from cambist.storage.sql.editions import SqlEditions
from cambist.storage.sql.engine import open_engine
from cambist.storage.sql.fencing import LEADER_EPOCH, session_name
from cambist.storage.sql.leadership import SqlLeadership
from cambist.storage.sql.log_checkpoints import SqlLogCheckpoints
from cambist.storage.sql.nodes import SqlNodes
from cambist.storage.sql.plan_versions import SqlPlanVersions
from cambist.storage.sql.price_samples import SqlPriceSamples
from cambist.storage.sql.public_keys import SqlPublicKeys
from cambist.storage.sql.quota_leases import SqlQuotaLeases
from cambist.storage.sql.read_only import SqlReadOnlyStore
from cambist.storage.sql.revision import is_current, is_new
from cambist.storage.sql.usage import SqlUsage
from cambist.storage.sql.verdicts import SqlVerdicts

_LEADERSHIP = SessionLimits("cambist leadership", statement_seconds=4.0, idle_seconds=4.0)
"""Whoever waits longer for the term asks again: it is renewed, or taken over, within seconds."""

_LEASES = SessionLimits("cambist quotas", statement_seconds=2.0, idle_seconds=2.0)
"""Requests wait for a grant."""

_NODES = SessionLimits("cambist node", statement_seconds=4.0, idle_seconds=4.0)
"""A node says every second that it is running, and asks what is new."""

_FILING_SECONDS = 120.0


class SqlStore:
    """The `Store` protocol over one SQL database.

    With `leader_epoch`, transactions that write are committed in this epoch of the leader only, and raise
    NoLongerLeading in a later one.
    """

    def __init__(self, url: str, leader_epoch: int | None = None) -> None:
        self._url = url
        self._engine: Engine = open_engine(url, None if leader_epoch is None else _filing(leader_epoch))
        if leader_epoch is not None:
            self._engine = self._engine.execution_options(**{LEADER_EPOCH: leader_epoch})
        self._open_connection: Connection | None = None
        self.archive = SqlArchive(self._engine)
        self.bars = SqlBars(self._engine)
        self.price_samples = SqlPriceSamples(self._engine)
        self.editions = SqlEditions(self._engine)
        self.accounts = SqlAccounts(self._engine)
        self.alerts = SqlAlerts(self._engine)
        self.verdicts = SqlVerdicts(self._engine)
        self.usage = SqlUsage(self._engine)
        self.plan_versions = SqlPlanVersions(self._engine)
        self.public_keys = SqlPublicKeys(self._engine)
        self.log_checkpoints = SqlLogCheckpoints(self._engine)

    @cached_property
    def leadership(self) -> SqlLeadership:
        """Who leads the ingest, over connections with short deadlines."""
        return SqlLeadership(open_engine(self._url, _LEADERSHIP))

    @cached_property
    def quota_leases(self) -> SqlQuotaLeases:
        """The parts of quotas that nodes have, over connections with short deadlines."""
        return SqlQuotaLeases(open_engine(self._url, _LEASES))

    @cached_property
    def nodes(self) -> SqlNodes:
        """The nodes of a service on several machines, over connections with short deadlines."""
        return SqlNodes(open_engine(self._url, _NODES))

    def is_new(self) -> bool:
        """Return whether the database is missing or has no tables yet."""
        return is_new(self._engine)

    def migrate(self, *, with_copy: bool = True) -> None:
        """Bring the schema up to date."""
        # Imported late: Alembic needs as much memory as the rest of a worker, and a later start has nothing to migrate.
        if not is_current(self._engine):
            import_module("cambist.storage.sql.migrate").migrate(self._engine, with_copy=with_copy)

    def hold_start(self, seconds: float, waits: Callable[[], None]) -> AbstractContextManager[bool]:
        """Prepare the database in a block while no other node does."""
        return backend_of(self._engine).hold(self._engine, WriteLock.START, seconds, waits)

    def read_only(self, connections: int, within: float) -> SqlReadOnlyStore:
        """Return what answers are read from, over connections of its own."""
        return SqlReadOnlyStore(self._url, connections, within)

    def hold_open(self) -> None:
        """Keep a connection open, with what it needs to write."""
        if self._open_connection is None:
            self._open_connection = backend_of(self._engine).hold_open(self._engine)

    def copy_accounts(self, path: Path) -> None:
        """Bring a copy of accounts and keys in a file up to date."""
        update_accounts_copy(self._engine, path)

    def faults(self, within: float | None = None) -> list[str]:
        """Return what is inconsistent in the database."""
        return backend_of(self._engine).faults(self._engine, within)

    def close(self) -> None:
        """Close all connections."""
        if self._open_connection is not None:
            self._open_connection.close()
            self._open_connection = None
        self._engine.dispose()
        if "leadership" in self.__dict__:
            self.leadership.close()
        if "quota_leases" in self.__dict__:
            self.quota_leases.close()
        if "nodes" in self.__dict__:
            self.nodes.close()


def _filing(epoch: int) -> SessionLimits:
    return SessionLimits(session_name(epoch), _FILING_SECONDS, most=2)


store = SqlStore
