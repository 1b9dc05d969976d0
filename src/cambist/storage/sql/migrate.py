"""Bring a database to the newest schema."""

from __future__ import annotations

import logging
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine

from cambist import __version__
from cambist.errors import CannotStart, StoreBroken
from cambist.storage.sql.backends import WriteLock, backend_of, writing
from cambist.storage.sql.former_schema import FORMER_SCHEMA, move_from_former, refusal
from cambist.storage.sql.migration_copy import copy_before_migration
from cambist.storage.sql.revision import MIGRATIONS, has_table, release_of, what_to_install
from cambist.storage.sql.schema import schema_releases

_log = logging.getLogger(__name__)


def migrate(engine: Engine, *, with_copy: bool = True) -> None:
    """Bring the database to the newest schema, and record which release has done so.

    Before that, an existing database of SQLite is copied, if `with_copy`. It is migrated in one transaction.
    Errors: CannotStart if it cannot be opened or copied, is too old, or is of a newer Cambist.
    """
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    scripts = ScriptDirectory.from_config(config)
    revisions, newest = {script.revision for script in scripts.walk_revisions()}, str(scripts.get_current_head())
    try:
        with writing(engine, WriteLock.SCHEMA) as connection:
            current = MigrationContext.configure(connection).get_current_revision()
            if current == newest:
                return
            if current is not None and current not in revisions:
                _check_is_former(connection, current)
            if current is not None:
                _prepare(engine, current, newest, with_copy=with_copy)
            if current == FORMER_SCHEMA:
                move_from_former(connection)
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
            _record_release(connection)
    except StoreBroken as error:
        raise CannotStart(str(error)) from error


def _prepare(engine: Engine, current: str, newest: str, *, with_copy: bool) -> None:
    if with_copy and engine.dialect.name == "sqlite":
        kept = copy_before_migration(Path(str(engine.url.database)), newest)
        _log.info("Database: migrated from schema %s to %s; what it was before is in %s", current, newest, kept)
    else:
        _log.info("Database: migrated from schema %s to %s, without a copy", current, newest)


def _record_release(connection: Connection) -> None:
    """Record that this release has brought the database to its schema."""
    if has_table(connection, schema_releases.name):
        backend, schema = backend_of(connection), MigrationContext.configure(connection).get_current_revision()
        row = {"schema": schema, "release": __version__, "migrated_at": backend.now(connection)}
        connection.execute(backend.insert(schema_releases).values(row).on_conflict_do_nothing())


def _check_is_former(connection: Connection, schema: str) -> None:
    """Refuse a database whose schema is too old or too new. Errors: CannotStart."""
    if schema != FORMER_SCHEMA:
        raise CannotStart(refusal(schema) or _newer_schema(connection, schema))


def _newer_schema(connection: Connection, schema: str) -> str:
    known = f"The database is of a newer Cambist (schema {schema})"
    if release := release_of(connection, schema):
        return f"{known}: it was migrated by {release}, and this is {__version__}; {what_to_install(release)}"
    return f"{known}: install a newer Cambist"
