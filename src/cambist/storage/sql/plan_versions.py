"""The plans of a service on several nodes, in SQL."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from sqlalchemy import Connection, Engine, Row, func, insert, select

from cambist.accounts.plan_versions import PlanVersion
from cambist.storage.sql.backends import WriteLock, backend_of, writing
from cambist.storage.sql.schema import plan_versions


class SqlPlanVersions:
    """The `PlanVersions` protocol in SQL."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def newest(self) -> PlanVersion | None:
        """Return the version in effect."""
        with self._engine.connect() as connection:
            return _newest(connection)

    def newest_number(self) -> int:
        """Return the number of the version in effect."""
        with self._engine.connect() as connection:
            return connection.execute(select(func.max(plan_versions.c.id))).scalar() or 0

    def add(self, content: str, node: str) -> PlanVersion:
        """Add a version, unless the newest has the same content."""
        with writing(self._engine, WriteLock.PLANS) as connection:
            newest = _newest(connection)
            if newest is not None and newest.content == content:
                return newest
            row = {"content": content, "node": node, "activated_at": backend_of(connection).now(connection)}
            added = connection.execute(insert(plan_versions).values(row).returning(plan_versions)).one()
        return _version(added)


def _newest(connection: Connection) -> PlanVersion | None:
    row = connection.execute(select(plan_versions).order_by(plan_versions.c.id.desc()).limit(1)).one_or_none()
    return None if row is None else _version(row)


def _version(row: Row[Any]) -> PlanVersion:
    return PlanVersion(row.id, row.content, row.node, row.activated_at.replace(tzinfo=UTC))
