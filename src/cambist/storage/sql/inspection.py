"""Look at a database without changing a byte of it or beside it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.pool import NullPool

from cambist.storage.sql.backends import SessionLimits, backend_of, is_pooled
from cambist.storage.sql.backends.sqlite import raise_with_remedy
from cambist.storage.sql.engine import open_engine, open_read_only
from cambist.storage.sql.revision import newest_revision, release_of, revisions

_SERVER = """
SELECT current_setting('transaction_read_only') = 'off', least(
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
    - coalesce(current_setting('reserved_connections', true)::int, 0),
  (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
  (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())
), clock_timestamp()"""
"""Whether a server takes writes, how many sessions it has for this user in this database, and its time."""


@dataclass(frozen=True, slots=True)
class DatabaseReport:
    """The schema of a database (empty without tables), the newest schema, and what is inconsistent.

    `release` has brought it to its schema; it is empty if that was not recorded.
    """

    schema: str
    newest_schema: str
    faults: tuple[str, ...]
    release: str = ""


@dataclass(frozen=True, slots=True)
class ServerReport:
    """What a server allows this service: whether it can be written, and how many sessions it may have.

    With `is_pooled` a pooler stands between, which lends sessions. `now` is by the server's clock.
    """

    is_writable: bool
    is_pooled: bool
    sessions: int
    now: datetime


def inspect_database(path: Path, within: float) -> DatabaseReport:
    """Report on a SQLite database, for some seconds at most. Errors: CannotStart if it cannot be read."""
    engine = _open(path)
    try:
        return _report(engine, within)
    finally:
        engine.dispose()


def inspect_server(url: str, within: float) -> DatabaseReport:
    """Report on a database that a URL names, as `inspect_database`."""
    engine = open_read_only(url, 1, within)
    try:
        return _report(engine, within)
    finally:
        engine.dispose()


def inspect_sessions(url: str, within: float) -> ServerReport:
    """Report on the server of a database that a URL names. Errors: CannotStart for the URL, StoreBroken."""
    engine = open_engine(url, SessionLimits("cambist", statement_seconds=within))
    try:
        with engine.begin() as connection:
            writable, most, now = connection.exec_driver_sql(_SERVER).one()
            return ServerReport(bool(writable), is_pooled(connection), int(most), now)
    finally:
        engine.dispose()


def _report(engine: Engine, within: float) -> DatabaseReport:
    schema = "".join(revisions(engine))
    with engine.begin() as connection:
        release = release_of(connection, schema)
    return DatabaseReport(schema, newest_revision(), tuple(backend_of(engine).faults(engine, within)), release)


def _open(path: Path) -> Engine:
    """Open a file that nothing may write to.

    Without a log file nobody has it open, and SQLite is told that it does not change: else it would create one.
    """
    log = path.with_name(f"{path.name}-wal")
    options = "mode=ro" if log.exists() else "mode=ro&immutable=1"
    engine = create_engine(f"sqlite:///file:{quote(str(path.resolve()))}?{options}&uri=true", poolclass=NullPool)
    event.listen(engine, "handle_error", raise_with_remedy)
    return engine


def database_schema(path: Path) -> str:
    """Return the schema of a SQLite database; empty without tables. Errors: CannotStart if it cannot be read."""
    engine = _open(path)
    try:
        return "".join(revisions(engine))
    finally:
        engine.dispose()
