"""Archive and accounts in a relational database, through SQLAlchemy Core."""

from __future__ import annotations

from importlib import import_module

from sqlalchemy import Connection, Engine

from cambist.storage.sql.accounts import SqlAccounts
from cambist.storage.sql.archive import SqlArchive
from cambist.storage.sql.bars import SqlBars
from cambist.storage.sql.engine import open_engine
from cambist.storage.sql.faults import faults
from cambist.storage.sql.quarantine import SqlQuarantine
from cambist.storage.sql.usage import SqlUsage


class SqlStore:
    """One database with everything that must last."""

    def __init__(self, url: str) -> None:
        self._engine: Engine = open_engine(url)
        self._held: Connection | None = None
        self.archive = SqlArchive(self._engine)
        self.bars = SqlBars(self._engine)
        self.accounts = SqlAccounts(self._engine)
        self.quarantine = SqlQuarantine(self._engine)
        self.usage = SqlUsage(self._engine)

    def is_new(self) -> bool:
        """Say whether the database is missing or has no tables yet. Errors: CannotStart where it cannot be read."""
        return bool(import_module("cambist.storage.sql.migrate").is_new(self._engine))

    def migrate(self) -> None:
        """Bring the schema up to date. Errors: CannotStart."""
        # Alembic weighs as much as the rest of a worker, and workers never migrate.
        import_module("cambist.storage.sql.migrate").migrate(self._engine)

    def hold_open(self) -> None:
        """Keep SQLite's log and index files, which go with the last connection, as long as this process lives."""
        if self._held is None:
            self._held = self._engine.connect()
            self._held.exec_driver_sql("SELECT 1 FROM sqlite_master")
            self._held.rollback()

    def faults(self, within: float | None = None) -> list[str]:
        """Say where the database does not hang together; only what is found `within` so many seconds, if given."""
        return faults(self._engine, within)

    def close(self) -> None:
        """Give the connections back."""
        if self._held is not None:
            self._held.close()
            self._held = None
        self._engine.dispose()


store = SqlStore
