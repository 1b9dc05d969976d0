"""Read which schema a database has, without Alembic: its import takes longer than all else that a start does here."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect

from cambist.errors import CannotStart, StoreBroken
from cambist.storage.sql.backends import backend_of

MIGRATIONS = Path(__file__).with_name("migrations")
_TABLE, _RELEASES = "alembic_version", "schema_releases"
_DIGITS = 4


def is_new(engine: Engine) -> bool:
    """Return whether the database is missing or has no tables yet, without creating it.

    Errors: CannotStart if it cannot be read.
    """
    return backend_of(engine).is_missing(engine) or not revisions(engine)


def is_current(engine: Engine) -> bool:
    """Return whether the database has the newest schema. Errors: CannotStart if it cannot be read."""
    return revisions(engine) == [newest_revision()]


@cache
def newest_revision() -> str:
    """Return the revision of the newest migration: the number that its file's name begins with."""
    return max(path.name[:_DIGITS] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


def steps_after(schema: str) -> tuple[str, ...]:
    """Return the names of the migrations after a schema, such as `0016 one schema`."""
    names = sorted(path.stem for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))
    return tuple(name.replace("_", " ") for name in names if name[:_DIGITS] > schema)


def has_table(connection: Connection, name: str) -> bool:
    """Return whether a database has a table."""
    return inspect(connection).has_table(name)


def release_of(connection: Connection, schema: str) -> str:
    """Return which release has brought a database to a schema; empty if it was not recorded."""
    if not has_table(connection, _RELEASES):
        return ""
    rows = connection.exec_driver_sql(f"SELECT schema, release FROM {_RELEASES}")  # noqa: S608  a constant
    return {str(found): str(release) for found, release in rows}.get(schema, "")


def what_to_install(release: str) -> str:
    """Return what to do about a database that a release has migrated: of a build between releases, the next one."""
    return f"install Cambist {release.partition('.dev')[0].partition('+')[0]} or newer"


def revisions(engine: Engine) -> list[str]:
    """Return the revisions of a database: one, or none without tables. Errors: CannotStart if it cannot be read."""
    try:
        with engine.begin() as connection:
            if not has_table(connection, _TABLE):
                return []
            rows = connection.exec_driver_sql(f"SELECT version_num FROM {_TABLE}")  # noqa: S608  a constant
            return [str(revision) for (revision,) in rows]
    except StoreBroken as error:
        raise CannotStart(str(error)) from error
