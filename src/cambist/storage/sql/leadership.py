"""The term of the leader in SQL: one row, whose key is the epoch."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Engine, Row, Update, insert, select, update

from cambist.pricing.unix_time import EPOCH
from cambist.status.leadership import LeaderState
from cambist.storage.sql.backends import WriteLock, backend_of, writing
from cambist.storage.sql.fencing import session_name
from cambist.storage.sql.schema import leadership


class SqlLeadership:
    """The `Leadership` protocol in SQL."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def take(self, node: str, holder: str, seconds: float) -> int | None:
        """Take the term if nobody has it."""
        state = self.current()
        if state is not None and not _is_free(state, holder):
            return None  # without a lock: standbys ask every second
        with writing(self._engine, WriteLock.LEADERSHIP) as connection:
            # Write before reading: a transaction that reads first may fail to get the write lock of SQLite.
            connection.execute(_of(0, holder).values(node=node))
            now = self._now(connection)
            last = _read(connection, now)
            if last is not None and not _is_free(last, holder):
                return None
            until = now + timedelta(seconds=seconds)
            if last is not None and last.holder == holder:
                connection.execute(_of(last.epoch, holder).values(expires_at=until))
                return last.epoch
            # By the clock, so that it also grows if the database is restored from an old backup.
            epoch = max(int((now.replace(tzinfo=UTC) - EPOCH).total_seconds()), last.epoch + 1 if last else 1)
            row = {"epoch": epoch, "node": node, "holder": holder, "taken_at": now, "expires_at": until}
            if last is None:
                connection.execute(insert(leadership).values(row))
            else:
                # A paused leader may have stopped in the middle of a transaction, whose locks others would wait for.
                backend_of(connection).end_sessions(connection, session_name(last.epoch))
                connection.execute(update(leadership).values(row))
            return epoch

    def renew(self, epoch: int, holder: str, seconds: float) -> bool:
        """Hold the term for longer."""
        with writing(self._engine, WriteLock.LEADERSHIP) as connection:
            until = self._now(connection) + timedelta(seconds=seconds)
            return connection.execute(_of(epoch, holder).values(expires_at=until)).rowcount == 1

    def release(self, epoch: int, holder: str) -> None:
        """End the term now. The row stays, so that the next epoch is higher."""
        with writing(self._engine, WriteLock.LEADERSHIP) as connection:
            connection.execute(_of(epoch, holder).values(expires_at=self._now(connection)))

    def current(self) -> LeaderState | None:
        """Return who leads or led last."""
        with self._engine.connect() as connection:
            return _read(connection, self._now(connection))

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def _now(self, connection: Connection) -> datetime:
        return backend_of(self._engine).now(connection)


def _is_free(state: LeaderState, holder: str) -> bool:
    return state.has_expired or state.holder == holder


def _of(epoch: int, holder: str) -> Update:
    return update(leadership).where(leadership.c.epoch == epoch, leadership.c.holder == holder)


def _read(connection: Connection, now: datetime) -> LeaderState | None:
    row: Row[Any] | None = connection.execute(select(leadership)).one_or_none()
    if row is None:
        return None
    taken_at, expires_at = row.taken_at.replace(tzinfo=UTC), row.expires_at.replace(tzinfo=UTC)
    return LeaderState(row.epoch, row.node, row.holder, taken_at, expires_at, row.expires_at <= now)
