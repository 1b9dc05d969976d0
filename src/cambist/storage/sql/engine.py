"""Open the database: one engine, with its pragmas."""

from __future__ import annotations

from sqlite3 import SQLITE_FULL, SQLITE_IOERR
from sqlite3 import Connection as SqliteConnection

from sqlalchemy import Connection, Engine, ExceptionContext, create_engine, event
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.pool import NullPool

from cambist.errors import StoreBroken

_PRAGMAS = ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON", "busy_timeout = 5000")

_REMEDIES = dict.fromkeys((SQLITE_FULL, SQLITE_IOERR), "; look whether the disk of the data folder is full")
"""What the operator can do, by SQLite's primary error code."""


def open_engine(url: str) -> Engine:
    """Return an engine for a URL. SQLite uses a write-ahead log, so that readers never wait for the writer."""
    # No pool: requests do not use the database, and a process that ends leaves no connection open.
    engine = create_engine(url, poolclass=NullPool)
    event.listen(engine, "handle_error", _raise_store_broken)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_pragmas)
        event.listen(engine, "begin", _begin)
    return engine


def _set_pragmas(connection: SqliteConnection, _record: object) -> None:
    # The driver's own mode opens no transaction for CREATE TABLE: an interrupted migration would stay half done.
    connection.isolation_level = None
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _raise_store_broken(context: ExceptionContext) -> None:
    """Raise StoreBroken for errors of the driver, but not for a violated constraint, which callers handle."""
    error = context.sqlalchemy_exception
    if isinstance(error, DBAPIError) and not isinstance(error, IntegrityError):
        remedy = _REMEDIES.get(getattr(error.orig, "sqlite_errorcode", 0) & 0xFF, "")
        raise StoreBroken(f"The database cannot be used: {error.orig}{remedy}") from error
