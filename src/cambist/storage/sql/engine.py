"""Opening the database: one engine and its pragmas."""

from __future__ import annotations

from sqlite3 import SQLITE_FULL, SQLITE_IOERR
from sqlite3 import Connection as SqliteConnection

from sqlalchemy import Connection, Engine, ExceptionContext, create_engine, event
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.pool import NullPool

from cambist.errors import StoreBroken

_PRAGMAS = ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON", "busy_timeout = 5000")

_REMEDIES = dict.fromkeys((SQLITE_FULL, SQLITE_IOERR), "; look whether the disk of the data folder is full")
"""What to do, by SQLite's primary error code."""


def open_engine(url: str) -> Engine:
    """Give an engine for `url`; SQLite writes ahead, so that readers never wait for the writer."""
    # Connections are opened for each use: the hot path has none, and none is left open in a process that ends.
    engine = create_engine(url, poolclass=NullPool)
    event.listen(engine, "handle_error", _say_what_is_broken)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_pragmas)
        event.listen(engine, "begin", _begin)
    return engine


def _set_pragmas(connection: SqliteConnection, _record: object) -> None:
    # The driver opens no transaction for CREATE TABLE: left to itself, a migration that is cut off stays half done.
    connection.isolation_level = None
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _say_what_is_broken(context: ExceptionContext) -> None:
    """Turn the driver's errors into ours; a broken constraint is for whoever wrote the row to explain."""
    error = context.sqlalchemy_exception
    if isinstance(error, DBAPIError) and not isinstance(error, IntegrityError):
        remedy = _REMEDIES.get(getattr(error.orig, "sqlite_errorcode", 0) & 0xFF, "")
        raise StoreBroken(f"The database cannot be used: {error.orig}{remedy}") from error
