"""The nodes of a service on several machines, in SQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC

from sqlalchemy import Connection, Engine, delete, func, insert, select, update

from cambist.status.nodes import NodeRecord, NodeStart, StoreVersions
from cambist.storage.sql.backends import WriteLock, backend_of, writing
from cambist.storage.sql.schema import account_changes, nodes, plan_versions
from cambist.storage.sql.selects import select_revision

_VERSIONS = select(
    select(func.coalesce(func.max(account_changes.c.id), 0)).scalar_subquery(),
    select(func.coalesce(func.max(plan_versions.c.id), 0)).scalar_subquery(),
    select_revision().scalar_subquery(),
)


class SqlNodes:
    """The `NodeRegistry` protocol in SQL."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def join(self, start: NodeStart, previous: str = "") -> NodeRecord | None:
        """Record a start, unless another live instance has the name: then return that one."""
        with writing(self._engine, WriteLock.NODES) as connection:
            for found in _records(connection, start.name):
                if found.is_live and found.start.instance not in (start.instance, previous):
                    return found
            connection.execute(delete(nodes).where(nodes.c.name == start.name))
            now = backend_of(connection).now(connection)
            connection.execute(insert(nodes).values({**asdict(start), "started_at": now, "seen_at": now}))
        return None

    def seen(self, start: NodeStart) -> bool:
        """Record that a node is running; return whether it is recorded."""
        row = update(nodes).where(nodes.c.name == start.name, nodes.c.instance == start.instance)
        with self._engine.begin() as connection:
            return connection.execute(row.values(seen_at=backend_of(connection).now(connection))).rowcount == 1

    def all(self) -> Sequence[NodeRecord]:
        """Return all nodes, by name."""
        with self._engine.connect() as connection:
            # Sorted here: databases order texts differently.
            return sorted(_records(connection), key=lambda record: record.start.name)

    def forget(self, name: str) -> bool:
        """Remove a node; return whether there was one."""
        with writing(self._engine, WriteLock.NODES) as connection:
            return connection.execute(delete(nodes).where(nodes.c.name == name)).rowcount > 0

    def versions(self) -> StoreVersions:
        """Return the versions of what all nodes share, in one query: each node asks every second."""
        with self._engine.connect() as connection:
            return StoreVersions(*connection.execute(_VERSIONS).one())

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def _records(connection: Connection, name: str | None = None) -> list[NodeRecord]:
    now = backend_of(connection).now(connection)
    query = select(nodes)
    return [
        NodeRecord(
            NodeStart(row.name, row.instance, row.roles, row.version),
            row.started_at.replace(tzinfo=UTC),
            row.seen_at.replace(tzinfo=UTC),
            now - row.seen_at,
        )
        for row in connection.execute(query if name is None else query.where(nodes.c.name == name))
    ]
