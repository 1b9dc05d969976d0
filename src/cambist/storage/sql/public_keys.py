"""The public keys of receipts and of the log, in SQL."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC

from sqlalchemy import Engine, insert, select

from cambist.receipts.signing_key import PublicKey
from cambist.storage.sql.backends import WriteLock, backend_of, writing
from cambist.storage.sql.schema import signing_keys


class SqlPublicKeys:
    """The `PublicKeys` protocol in SQL."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def all(self) -> Sequence[PublicKey]:
        """Return all keys, oldest first; the newest of each node is its current one."""
        with self._engine.connect() as connection:
            rows = connection.execute(select(signing_keys).order_by(signing_keys.c.id)).all()
        newest = {row.node: row.kid for row in rows}
        return [
            PublicKey(
                row.kid, row.public_key, row.node, row.created_at.replace(tzinfo=UTC), newest[row.node] == row.kid
            )
            for row in rows
        ]

    def add(self, kid: str, x: str, node: str) -> None:
        """Add a key, unless it is there."""
        with writing(self._engine, WriteLock.KEYS) as connection:
            if connection.execute(select(signing_keys.c.id).where(signing_keys.c.kid == kid)).first() is None:
                now = backend_of(connection).now(connection)
                row = {"kid": kid, "public_key": x, "node": node, "created_at": now}
                connection.execute(insert(signing_keys).values(row))
