"""Look at a database without changing a byte of it or beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.pool import NullPool

from cambist.storage.sql.backends import backend_of
from cambist.storage.sql.backends.sqlite import raise_with_remedy
from cambist.storage.sql.engine import open_read_only
from cambist.storage.sql.revision import newest_revision, release_of, revisions


@dataclass(frozen=True, slots=True)
class DatabaseReport:
    """The schema of a database (empty without tables), the newest schema, and what is inconsistent.

    `release` has brought it to its schema; it is empty if that was not recorded.
    """

    schema: str
    newest_schema: str
    faults: tuple[str, ...]
    release: str = ""


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
