"""SQLite: a file with a write-ahead log, so that readers never wait for the writer."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from itertools import chain
from pathlib import Path
from sqlite3 import SQLITE_FULL, SQLITE_IOERR
from sqlite3 import Connection as SqliteConnection
from time import monotonic
from typing import Any

from sqlalchemy import Connection, Engine, ExceptionContext, Table, create_engine, event
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool, QueuePool

from cambist.errors import StoreBroken
from cambist.storage.sql.backends import SessionLimits, WriteLock
from cambist.storage.sql.checksum import COLUMNS, ROW_FIELDS, StoredRow
from cambist.storage.sql.store_broken import raise_store_broken

_log = logging.getLogger(__name__)

_PRAGMAS = ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON", "busy_timeout = 5000")

_STEPS = 1000
"""How many steps SQLite makes between two checks of the deadline: well under a millisecond."""

_STEPS_OF_A_CHECK = 100_000
"""The same for checks of the whole database: some milliseconds."""

_REMEDIES = dict.fromkeys((SQLITE_FULL, SQLITE_IOERR), "; look whether the disk of the data folder is full")
"""What the operator can do, by SQLite's primary error code."""

_ROWS_AT_ONCE = 50
"""How many rows one statement inserts: SQLite needs a quarter less time than for as many statements."""

_ROW = f"({', '.join('?' * len(COLUMNS))})"
_INSERT = f"INSERT INTO fixings ({', '.join(COLUMNS)}) VALUES "  # noqa: S608  no input in it
_INSERT_ONE, _INSERT_MANY = _INSERT + _ROW, _INSERT + ", ".join([_ROW] * _ROWS_AT_ONCE)
_WIDTH = len(COLUMNS) * _ROWS_AT_ONCE


class SqliteBackend:
    """The `SqlBackend` of SQLite."""

    placeholder = "?"
    order_of_bytes = "BINARY"
    # Bytes, because damaged text may not be UTF-8.
    content = (
        f"CAST(printf('{'|'.join(['%s'] * len(ROW_FIELDS))}', "
        f"{', '.join(f'fixings.{name}' for name in ROW_FIELDS)}) AS BLOB)"
    )

    def day_content(self, day: str) -> str:
        """Return the expression for a day's bytes: a damaged one may not be a day."""
        return f"CAST({day} AS BLOB)"

    def open(self, url: str, session: SessionLimits | None = None) -> Engine:
        """Return an engine for a file, which has no sessions."""
        del session
        # No pool: a process that ends leaves no connection open. Requests read through `open_read_only`.
        engine = create_engine(url, poolclass=NullPool)
        event.listen(engine, "handle_error", raise_with_remedy)
        event.listen(engine, "connect", _set_pragmas)
        event.listen(engine, "begin", _begin)
        return engine

    def open_read_only(self, url: str, connections: int, within: float) -> Engine:
        """Return an engine that keeps connections open, none of which can write."""
        engine = create_engine(url, poolclass=QueuePool, pool_size=connections, max_overflow=0, pool_use_lifo=True)
        pragmas = ("query_only = ON", f"busy_timeout = {int(within * 1000)}")
        event.listen(engine, "handle_error", _reconnect)
        event.listen(engine, "connect", lambda connection, _record: _set_pragmas(connection, _record, pragmas))
        event.listen(engine, "begin", lambda connection: _begin_within(connection, within))
        return engine

    def lock(self, connection: Connection, lock: WriteLock) -> None:
        """Lock the whole file before anything is read: after a reading, SQLite refuses what others wrote meanwhile."""
        del lock
        connection.exec_driver_sql("ROLLBACK")
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    def hold(
        self, engine: Engine, lock: WriteLock, seconds: float, waits: Callable[[], None]
    ) -> AbstractContextManager[bool]:
        """Hold nothing: the folder of the file is locked by its service."""
        del engine, lock, seconds, waits
        return nullcontext(enter_result=True)

    def insert(self, table: Table) -> Any:
        """Return an INSERT of this backend."""
        return insert(table)

    def execute_rows(self, connection: Connection, statement: Any, rows: list[dict[str, Any]]) -> None:
        """Execute a statement for each row."""
        connection.execute(statement, rows)

    def insert_fixings(self, connection: Connection, rows: list[StoredRow]) -> None:
        """Insert rows through the driver: SQLAlchemy would take longer to prepare a row than SQLite to write it."""
        many = len(rows) - len(rows) % _ROWS_AT_ONCE
        values: list[str | int | None] = list(chain.from_iterable(rows[:many]))
        batches = [tuple(values[start : start + _WIDTH]) for start in range(0, len(values), _WIDTH)]
        if batches:
            connection.exec_driver_sql(_INSERT_MANY, batches)
        if rows[many:]:
            connection.exec_driver_sql(_INSERT_ONE, rows[many:])

    def insert_rows(self, connection: Connection, table: Table, rows: list[tuple[Any, ...]]) -> None:
        """Insert rows, which SQLAlchemy turns into what SQLite stores."""
        names = table.c.keys()
        connection.execute(table.insert(), [dict(zip(names, row, strict=True)) for row in rows])

    def is_missing(self, engine: Engine) -> bool:
        """Return whether the file is missing or empty."""
        name = engine.url.database
        return bool(name) and not (Path(str(name)).exists() and Path(str(name)).stat().st_size)

    def hold_open(self, engine: Engine) -> Connection | None:
        """Return a connection with the log and index files, which SQLite removes with the last connection."""
        connection = engine.connect()
        connection.exec_driver_sql("SELECT 1 FROM sqlite_master")
        connection.rollback()
        return connection

    def faults(self, engine: Engine, within: float | None) -> list[str]:
        """Check every page and index. With `within`, check only the pages, for at most so many seconds."""
        deadline = None if within is None else monotonic() + within
        pragma = "integrity_check" if within is None else "quick_check"
        try:
            with engine.connect() as connection:
                driver: Any = connection.connection.driver_connection
                driver.set_progress_handler(lambda: deadline is not None and monotonic() > deadline, _STEPS_OF_A_CHECK)
                found = [str(row[0]) for row in connection.exec_driver_sql(f"PRAGMA {pragma}")]
        except StoreBroken as error:
            if "interrupted" not in str(error):
                return [str(error)]
            _log.info("The database is too large to be checked in %.0f s: [cambist check] checks all of it", within)
            return []
        return [] if found == ["ok"] else found

    def now(self, connection: Connection) -> datetime:
        """Return the time of this machine, as SQLite reads it."""
        text = connection.exec_driver_sql("SELECT strftime('%Y-%m-%d %H:%M:%f', 'now')").scalar_one()
        return datetime.fromisoformat(text)

    def end_sessions(self, connection: Connection, name: str) -> None:
        """Do nothing: a file has no sessions."""

    def advance_numbers(self, connection: Connection, table: Table) -> None:
        """Do nothing: SQLite numbers a row after the highest number itself."""


BACKEND = SqliteBackend()


def raise_with_remedy(context: ExceptionContext) -> None:
    """Raise StoreBroken, with what can be done about a full disk."""
    error = context.sqlalchemy_exception
    code = getattr(error.orig, "sqlite_errorcode", 0) if isinstance(error, DBAPIError) else 0
    raise_store_broken(context, _REMEDIES.get(code & 0xFF, ""))


def _reconnect(context: ExceptionContext) -> None:
    """Raise StoreBroken, and open new connections for the next reads: the file may have been replaced."""
    context.is_disconnect = True
    raise_with_remedy(context)


def _begin_within(connection: Connection, within: float) -> None:
    driver: Any = connection.connection.driver_connection
    deadline = monotonic() + within
    driver.set_progress_handler(lambda: monotonic() > deadline, _STEPS)
    _begin(connection)


def _set_pragmas(connection: SqliteConnection, _record: object, pragmas: tuple[str, ...] | None = None) -> None:
    # The driver's own mode opens no transaction for CREATE TABLE: an interrupted migration would stay half done.
    connection.isolation_level = None
    for pragma in _PRAGMAS if pragmas is None else pragmas:
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")
