"""Archive and accounts in a relational database, through SQLAlchemy Core."""

from __future__ import annotations

from importlib import import_module

from sqlalchemy import Engine

from cambist.stores.sql.accounts import SqlAccounts
from cambist.stores.sql.archive import SqlArchive
from cambist.stores.sql.bars import SqlBars
from cambist.stores.sql.engine import open_engine
from cambist.stores.sql.quarantine import SqlQuarantine
from cambist.stores.sql.usage import SqlUsage


class SqlStore:
    """One database with everything that must last."""

    def __init__(self, url: str) -> None:
        self._engine: Engine = open_engine(url)
        self.archive = SqlArchive(self._engine)
        self.bars = SqlBars(self._engine)
        self.accounts = SqlAccounts(self._engine)
        self.quarantine = SqlQuarantine(self._engine)
        self.usage = SqlUsage(self._engine)

    def migrate(self) -> None:
        """Bring the schema up to date. Errors: CannotStart."""
        # Alembic weighs as much as the rest of a worker, and workers never migrate.
        import_module("cambist.stores.sql.migrate").migrate(self._engine)

    def close(self) -> None:
        """Give the connections back."""
        self._engine.dispose()


store = SqlStore
