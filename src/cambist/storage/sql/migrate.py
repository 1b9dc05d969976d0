"""Bring a database to the newest schema."""

from __future__ import annotations

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine

from cambist.errors import CannotStart, StoreBroken
from cambist.storage.sql.dialects import WriteLock, writing
from cambist.storage.sql.revision import MIGRATIONS


def migrate(engine: Engine) -> None:
    """Bring the database to the newest schema. Errors: CannotStart if it cannot be opened, or is of a newer Cambist."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    scripts = ScriptDirectory.from_config(config)
    revisions = {script.revision for script in scripts.walk_revisions()}
    try:
        with writing(engine, WriteLock.SCHEMA) as connection:
            current = MigrationContext.configure(connection).get_current_revision()
            if current == scripts.get_current_head():
                return
            if current is not None and current not in revisions:
                raise CannotStart(f"The database is of a newer Cambist (schema {current}): upgrade the service")
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    except StoreBroken as error:
        raise CannotStart(str(error)) from error
