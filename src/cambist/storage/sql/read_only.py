"""What answers are read from: the tables of a database, over kept connections that cannot write."""

from __future__ import annotations

from cambist.storage.sql.archive import SqlArchive
from cambist.storage.sql.bars import SqlBars
from cambist.storage.sql.editions import SqlEditions
from cambist.storage.sql.engine import open_read_only
from cambist.storage.sql.price_samples import SqlPriceSamples
from cambist.storage.sql.usage import SqlUsage
from cambist.storage.sql.verdicts import SqlVerdicts


class SqlReadOnlyStore:
    """The `ReadOnlyStore` protocol over one SQL database."""

    def __init__(self, url: str, connections: int, within: float) -> None:
        self._engine = open_read_only(url, connections, within)
        self.archive = SqlArchive(self._engine)
        self.bars = SqlBars(self._engine)
        self.price_samples = SqlPriceSamples(self._engine)
        self.editions = SqlEditions(self._engine)
        self.usage = SqlUsage(self._engine)
        self.verdicts = SqlVerdicts(self._engine)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()
