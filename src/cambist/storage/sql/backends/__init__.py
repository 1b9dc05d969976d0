"""What differs between databases. Everything else in `storage.sql` is the same for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from functools import cache
from importlib import import_module
from typing import Any, Protocol

from sqlalchemy import Connection, Engine, Table

from cambist.storage.sql.checksum import StoredRow
from cambist.storage.sql.fencing import check_leads, leader_epoch


class WriteLock(IntEnum):
    """What one transaction at a time may write: readers then see changes in the order of their numbers."""

    SCHEMA = 1
    ARCHIVE = 2
    ACCOUNTS = 3
    BARS = 4
    USAGE = 5
    LEADERSHIP = 6
    NODES = 7
    PLANS = 8
    LEASES = 9
    START = 10
    EDITIONS = 11
    KEYS = 12
    VERDICTS = 13
    ALERTS = 14
    SAMPLES = 15


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """What sessions with a server are opened with, and how many there are at most.

    Others find them under `name`. A statement may take `statement_seconds`. A transaction in which the server has
    waited `idle_seconds` for the next statement is rolled back: the process that began it is paused or cut off.
    """

    name: str
    statement_seconds: float
    idle_seconds: float | None = None
    most: int = 1


class SqlBackend(Protocol):
    """One kind of database."""

    placeholder: str
    """The placeholder for a parameter in a statement that goes to the driver as it is."""

    content: str
    """The SQL expression for the content of a row of `fixings` in bytes, which its checksum covers."""

    order_of_bytes: str
    """The collation that orders texts by their bytes."""

    def day_content(self, day: str) -> str:
        """Return the SQL expression for the text of a day in bytes."""

    def open(self, url: str, session: SessionLimits | None = None) -> Engine:
        """Return an engine. Its errors are StoreBroken, but for violated constraints."""

    def open_read_only(self, url: str, connections: int, within: float) -> Engine:
        """Return an engine that keeps so many connections, which cannot write and wait for `within` seconds at most."""

    def lock(self, connection: Connection, lock: WriteLock) -> None:
        """Begin to write: wait until no other transaction has the lock, which is held until this one ends."""

    def hold(
        self, engine: Engine, lock: WriteLock, seconds: float, waits: Callable[[], None]
    ) -> AbstractContextManager[bool]:
        """Hold a lock during a block, beside the transactions in it; tell whether it was free within so many seconds.

        `waits` is called if it is not free at once.
        """

    def insert(self, table: Table) -> Any:
        """Return an INSERT that has `on_conflict_do_nothing` and `on_conflict_do_update`."""

    def execute_rows(self, connection: Connection, statement: Any, rows: list[dict[str, Any]]) -> None:
        """Execute an INSERT or UPDATE for each row, without a lock that outlives a process that is paused meanwhile.

        An INSERT may have no two rows of one key.
        """

    def insert_fixings(self, connection: Connection, rows: list[StoredRow]) -> None:
        """Insert rows into `fixings`."""

    def insert_rows(self, connection: Connection, table: Table, rows: list[tuple[Any, ...]]) -> None:
        """Insert rows of all columns into a table."""

    def is_missing(self, engine: Engine) -> bool:
        """Return whether there is no database yet, without creating it."""

    def hold_open(self, engine: Engine) -> Connection | None:
        """Return a connection that keeps open what could not be created on a full disk, if there is such a thing."""

    def faults(self, engine: Engine, within: float | None) -> list[str]:
        """Return what is inconsistent in the database's files."""

    def now(self, connection: Connection) -> datetime:
        """Return the time by the clock of the database, in UTC without an offset."""

    def end_sessions(self, connection: Connection, name: str) -> None:
        """End the other sessions of this name, so that their transactions are rolled back."""

    def advance_numbers(self, connection: Connection, table: Table) -> None:
        """Number the next row of a table after all that it has, after rows were inserted with their numbers."""


@cache
def backend_named(name: str) -> SqlBackend:
    """Return a backend by SQLAlchemy's name of it. It is imported late: SQLite does not pay for the others."""
    backend: SqlBackend = import_module(f"cambist.storage.sql.backends.{name}").BACKEND
    return backend


def backend_of(bound: Engine | Connection) -> SqlBackend:
    """Return the backend of an engine or of a connection."""
    return backend_named(bound.dialect.name)


def is_pooled(connection: Connection) -> bool:
    """Return whether a pooler stands between a connection and its server, see `postgresql_sessions`."""
    return bool(getattr(connection.connection.driver_connection, "is_pooled", False))


@contextmanager
def writing(engine: Engine, lock: WriteLock) -> Iterator[Connection]:
    """Open a transaction that writes, and commit it at the end.

    Errors: NoLongerLeading, and nothing is committed, if the engine may write in the epoch of one leader only.
    """
    with engine.begin() as connection:
        backend_of(engine).lock(connection, lock)
        yield connection
        if (epoch := leader_epoch(engine)) is not None:
            check_leads(connection, epoch)


def placeholders(backend: SqlBackend, columns: Iterable[str]) -> str:
    """Return the placeholders of a row in parentheses."""
    return f"({', '.join(backend.placeholder for _ in columns)})"
