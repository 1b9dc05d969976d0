"""Connections with PostgreSQL, direct or through a pooler, and what each transaction over them is begun with.

A pooler such as PgBouncer may send each transaction to another session of the server, and lends those to other
clients. Nothing is kept in a session there: settings hold for a transaction, and no statement is prepared.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from time import monotonic
from typing import Any

from psycopg import Connection as PsycopgConnection
from psycopg import OperationalError
from psycopg.abc import RV, PQGen
from sqlalchemy import Connection, Engine, ExceptionContext, create_engine, event
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import PoolProxiedConnection, QueuePool

from cambist.errors import StoreBroken, StoreUnreachable
from cambist.storage.sql.backends import SessionLimits, is_pooled
from cambist.storage.sql.backends.postgresql_url import engine_url
from cambist.storage.sql.store_broken import raise_store_broken

_CONNECTING = {
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "15000",
    "application_name": "cambist",
}
"""Parameters of a connection unless the URL has others: a server that is gone is noticed after some seconds."""

_CONNECT_SECONDS = _LOCK_SECONDS = 5.0
_STATEMENT_SECONDS = 120.0
_ANSWER_SECONDS = 2.0
"""How long the server may take to say that a statement has taken too long: then it is hanging."""
_SESSIONS = 2
"""How many connections an engine without limits of its own has at most."""

_SERVER_KEEPALIVE = (
    "tcp_keepalives_idle = 5",
    "tcp_keepalives_interval = 2",
    "tcp_keepalives_count = 3",
    "tcp_user_timeout = 15000",
)
"""The same for the server: it ends the transaction of a node that was cut off, and other nodes get its locks."""

_SESSION = ("datestyle = 'ISO'", "timezone = 'UTC'")
_READ_ONLY_STATE = "25006"
"""The SQLSTATE of a write to a server that takes none: a standby, or a primary that was made read-only."""

_BY_STATEMENT = "statement pooling mode"
"""A part of what PgBouncer says to a transaction if `pool_mode` allows none."""


def open_writing(url: str, session: SessionLimits | None) -> Engine:
    """Return an engine that has few connections, and checks each before it is used. Errors: CannotStart."""
    engine = _engine(url, session.most, session.name) if session else _engine(url, _SESSIONS)
    event.listen(engine, "handle_error", _raise)
    limits = {"lock_timeout": _LOCK_SECONDS, "statement_timeout": _STATEMENT_SECONDS}
    if session:
        limits["statement_timeout"] = session.statement_seconds
        if session.idle_seconds is not None:
            limits["idle_in_transaction_session_timeout"] = session.idle_seconds
    _set_up(engine, limits, read_only=False)
    return engine


def open_reading(url: str, connections: int, within: float) -> Engine:
    """Return an engine whose connections cannot write, and whose statements end in time. Errors: CannotStart."""
    engine = _engine(url, connections)
    event.listen(engine, "handle_error", _reconnect)
    _set_up(engine, {"lock_timeout": within, "statement_timeout": within}, read_only=True)
    return engine


class ConnectionWithDeadline(PsycopgConnection[Any]):
    """A connection that is closed if the server does not answer, as when it is paused. Errors: OperationalError."""

    longest_wait: float | None = None
    """Seconds for one answer, longer than the server lets a statement take; None: no limit."""

    is_pooled: bool = False
    """Whether a pooler stands between, which may use another session of the server for each transaction."""

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        """Consume a generator that waits for the server."""
        limit = self.longest_wait if timeout is None else timeout
        until = None if limit is None else monotonic() + limit
        try:
            return super().wait(gen, interval, limit)
        except OperationalError as error:
            if until is None or monotonic() < until:
                raise
            self.pgconn.finish()
            raise OperationalError(f"the server has not answered for {limit:.1f} s") from error


def _raise(context: ExceptionContext) -> None:
    """Raise StoreUnreachable without a connection, and StoreBroken for what goes wrong over one."""
    if context.is_pre_ping:
        return  # a kept connection is broken: the pool opens another
    if getattr(context.original_exception, "sqlstate", None) == _READ_ONLY_STATE:
        context.is_disconnect = True  # the primary is another server by now: the next connection looks for it
        raise StoreUnreachable(
            "The database cannot be reached: this server is a standby or read-only, and takes no writes; name the "
            "primary in [database], or all servers, separated by commas"
        )
    if _BY_STATEMENT in str(context.original_exception):
        raise StoreUnreachable(
            "The database cannot be reached: the pooler before it pools by the statement, which allows no "
            "transactions; set pool_mode = transaction or pool_mode = session there"
        )
    is_gone = context.is_disconnect or (context.engine is not None and context.connection is None)
    raise_store_broken(context, is_gone=is_gone)


class _Sessions(QueuePool):
    """The connections of an engine: never more than its share of what `cambist doctor` reckons for a node."""

    def connect(self) -> PoolProxiedConnection:
        try:
            return super().connect()
        except PoolTimeout:
            found = f"the {self.size()} sessions of this process have been in use for {_LOCK_SECONDS:.0f} s"
            raise StoreBroken(f"The database cannot be used: {found}") from None


def _engine(url: str, sessions: int, name: str = "") -> Engine:
    given = engine_url(url)
    arguments = {name: value for name, value in _CONNECTING.items() if name not in given.query}
    if name:
        arguments["application_name"] = name
    # One transaction sees one state of the database, as in SQLite; `lock` chooses another level to write.
    engine = create_engine(
        given,
        poolclass=_Sessions,
        pool_size=sessions,
        max_overflow=0,
        pool_use_lifo=True,
        pool_pre_ping=True,
        pool_timeout=_LOCK_SECONDS,
        isolation_level="REPEATABLE READ",
        connect_args=arguments,
    )
    event.listen(engine, "do_connect", _connect)
    _forget_after_fork(engine)
    return engine


def _connect(
    _dialect: object, _record: object, arguments: Sequence[Any], named: dict[str, Any]
) -> ConnectionWithDeadline:
    return ConnectionWithDeadline.connect(*arguments, **named)


def _forget_after_fork(engine: Engine) -> None:
    """Let forked children open connections of their own."""
    remembered = weakref.ref(engine)

    def forget() -> None:
        if (inherited := remembered()) is not None:
            inherited.dispose(close=False)

    os.register_at_fork(after_in_child=forget)


def _set_up(engine: Engine, seconds: dict[str, float], *, read_only: bool) -> None:
    """Let each connection of an engine have its settings: for good, or through a pooler in each transaction."""
    limits = (f"{name} = {max(1, int(limit * 1000))}" for name, limit in seconds.items())
    settings = [*_SESSION, *limits]
    for_session = "; ".join(f"SET {setting}" for setting in [*settings, *_SERVER_KEEPALIVE])
    for_transaction = "; ".join(f"SET LOCAL {setting}" for setting in settings)

    def connected(connection: ConnectionWithDeadline, _record: object) -> None:
        connection.longest_wait = _CONNECT_SECONDS
        was = connection.autocommit
        connection.autocommit = True
        # A pooler answers for the server when a client connects, with a number that is no process of the server.
        row = connection.execute("SELECT pg_backend_pid()").fetchone()
        connection.is_pooled = row is not None and row[0] != connection.info.backend_pid
        if connection.is_pooled:
            connection.prepare_threshold = None
        else:
            connection.execute(for_session)
        connection.autocommit = was
        connection.read_only = read_only or None
        connection.longest_wait = seconds["statement_timeout"] + _ANSWER_SECONDS

    def began(connection: Connection) -> None:
        if is_pooled(connection):
            # Whoever reads row by row wants a cursor for each statement, and PostgreSQL has none for a setting.
            connection.exec_driver_sql(for_transaction, execution_options={"yield_per": None, "stream_results": False})

    event.listen(engine, "connect", connected)
    event.listen(engine, "begin", began)


def _reconnect(context: ExceptionContext) -> None:
    """Raise StoreBroken, and open a new connection for the next read."""
    try:
        _raise(context)
    finally:
        context.is_disconnect = True
