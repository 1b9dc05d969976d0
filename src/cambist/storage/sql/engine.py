"""Open the database: one engine, with its pragmas."""

from __future__ import annotations

from sqlite3 import SQLITE_FULL, SQLITE_IOERR
from sqlite3 import Connection as SqliteConnection
from time import monotonic
from typing import Any

from sqlalchemy import Connection, Engine, ExceptionContext, create_engine, event
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.pool import NullPool, QueuePool

from cambist.errors import StoreBroken

_PRAGMAS = ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON", "busy_timeout = 5000")

_STEPS = 1000
"""How many steps SQLite makes between two checks of the deadline: well under a millisecond."""

_REMEDIES = dict.fromkeys((SQLITE_FULL, SQLITE_IOERR), "; look whether the disk of the data folder is full")
"""What the operator can do, by SQLite's primary error code."""


def open_engine(url: str) -> Engine:
    """Return an engine for a URL. SQLite uses a write-ahead log, so that readers never wait for the writer."""
    # No pool: a process that ends leaves no connection open. Requests read through `open_read_only`.
    engine = create_engine(url, poolclass=NullPool)
    event.listen(engine, "handle_error", raise_store_broken)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_pragmas)
        event.listen(engine, "begin", _begin)
    return engine


def open_read_only(url: str, connections: int, within: float) -> Engine:
    """Return an engine that keeps so many connections open, none of which can write.

    A transaction that takes longer than `within` seconds, or waits as long for a lock, fails with StoreBroken.
    """
    engine = create_engine(url, poolclass=QueuePool, pool_size=connections, max_overflow=0, pool_use_lifo=True)
    event.listen(engine, "handle_error", _reconnect)
    if engine.dialect.name == "sqlite":
        pragmas = ("query_only = ON", f"busy_timeout = {int(within * 1000)}")
        event.listen(engine, "connect", lambda connection, _record: _set_pragmas(connection, _record, pragmas))
        event.listen(engine, "begin", lambda connection: _begin_within(connection, within))
    return engine


def _reconnect(context: ExceptionContext) -> None:
    """Raise StoreBroken, and open new connections for the next reads: the file may have been replaced."""
    context.is_disconnect = True
    raise_store_broken(context)


def _begin_within(connection: Connection, within: float) -> None:
    driver: Any = connection.connection.driver_connection
    deadline = monotonic() + within
    driver.set_progress_handler(lambda: monotonic() > deadline, _STEPS)
    _begin(connection)


def _set_pragmas(connection: SqliteConnection, _record: object, pragmas: tuple[str, ...] = _PRAGMAS) -> None:
    # The driver's own mode opens no transaction for CREATE TABLE: an interrupted migration would stay half done.
    connection.isolation_level = None
    for pragma in pragmas:
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def raise_store_broken(context: ExceptionContext) -> None:
    """Raise StoreBroken for errors of the driver, but not for a violated constraint, which callers handle."""
    error = context.sqlalchemy_exception
    if isinstance(error, DBAPIError) and not isinstance(error, IntegrityError):
        remedy = _REMEDIES.get(getattr(error.orig, "sqlite_errorcode", 0) & 0xFF, "")
        raise StoreBroken(f"The database cannot be used: {error.orig}{remedy}") from error
