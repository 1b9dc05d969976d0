"""The signed checkpoints of the log of editions, in SQL."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, Engine, insert, select

from cambist.storage.sql.backends import WriteLock, writing
from cambist.storage.sql.schema import log_checkpoints
from cambist.storage.sql.selects import to_stored


class SqlLogCheckpoints:
    """The `LogCheckpoints` protocol in SQL."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def newest(self) -> str | None:
        """Return the last checkpoint with its signature."""
        with self._engine.connect() as connection:
            found = _newest(connection)
        return None if found is None else found[1]

    def add(self, size: int, note: str, previous: int, signed_at: datetime) -> bool:
        """Add a checkpoint, if the last one has the size `previous`."""
        with writing(self._engine, WriteLock.KEYS) as connection:
            found = _newest(connection)
            if (0 if found is None else found[0]) != previous:
                return False
            row = {"size": size, "note": note, "signed_at": to_stored(signed_at)}
            connection.execute(insert(log_checkpoints).values(row))
        return True


def _newest(connection: Connection) -> tuple[int, str] | None:
    query = select(log_checkpoints.c.size, log_checkpoints.c.note).order_by(log_checkpoints.c.size.desc()).limit(1)
    row = connection.execute(query).one_or_none()
    return None if row is None else (row.size, row.note)
