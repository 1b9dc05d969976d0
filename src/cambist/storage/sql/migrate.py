"""Bring a database to the newest schema."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine

from cambist.errors import CannotStart, StoreBroken

_MIGRATIONS = Path(__file__).with_name("migrations")


def is_new(engine: Engine) -> bool:
    """Return whether the database is missing or has no tables yet, without creating it.

    Errors: CannotStart if it cannot be read.
    """
    name = engine.url.database
    if engine.dialect.name == "sqlite" and name and not (Path(name).exists() and Path(name).stat().st_size):
        return True
    try:
        with engine.begin() as connection:
            return MigrationContext.configure(connection).get_current_revision() is None
    except StoreBroken as error:
        raise CannotStart(str(error)) from error


def migrate(engine: Engine) -> None:
    """Bring the database to the newest schema. Errors: CannotStart if it cannot be opened, or is of a newer Cambist."""
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    scripts = ScriptDirectory.from_config(config)
    revisions = {script.revision for script in scripts.walk_revisions()}
    try:
        with engine.begin() as connection:
            current = MigrationContext.configure(connection).get_current_revision()
            if current == scripts.get_current_head():
                return
            if current is not None and current not in revisions:
                raise CannotStart(f"The database is of a newer Cambist (schema {current}): upgrade the service")
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    except StoreBroken as error:
        raise CannotStart(str(error)) from error
