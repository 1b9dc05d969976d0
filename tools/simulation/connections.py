"""Connections to the databases of simulated nodes: kept open, with the virtual time, and with faults when they are due.

The code under test opens a connection for each of its transactions. Here they are taken from a list of open ones, and
engines are kept with their compiled statements, because thousands of simulations run in one process.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy import Engine, create_engine

BeforeStatement = Callable[[str], None]
"""Called before each statement, and with COMMIT. Errors: sqlite3.OperationalError, and what ends a node."""

_engines: dict[str, Engine] = {}


class SimulatedCursor(sqlite3.Cursor):
    """A cursor that may fail."""

    connection: SimulatedConnection

    def execute(self, sql: str, parameters: Any = (), /) -> SimulatedCursor:
        """Execute a statement, unless a fault is due."""
        self.connection.before(sql)
        return super().execute(sql, parameters)

    def executemany(self, sql: str, parameters: Any, /) -> SimulatedCursor:
        """Execute a statement, unless a fault is due."""
        self.connection.before(sql)
        return super().executemany(sql, parameters)


class SimulatedConnection(sqlite3.Connection):
    """A connection that stays open when it is closed, and may fail."""

    connections: Connections | None = None
    pragmas: frozenset[str] = frozenset()

    def before(self, statement: str) -> None:
        """Let a fault happen that is due."""
        if self.connections is not None:
            self.connections.before(statement)

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Execute a statement of the driver's; a PRAGMA that is set already is not set again."""
        if sql.startswith("PRAGMA"):
            if sql in self.pragmas:
                return sqlite3.Connection.cursor(self)
            self.pragmas |= {sql}
        return super().execute(sql, parameters)

    def cursor(self, factory: Any = SimulatedCursor) -> Any:
        """Return a cursor that may fail."""
        return super().cursor(factory)

    def commit(self) -> None:
        """Commit, unless a fault is due."""
        if self.in_transaction:
            self.before("COMMIT")
            super().commit()
            self.before("AFTER COMMIT")

    def close(self) -> None:
        """Roll back, and keep the connection for the next who opens one."""
        if self.in_transaction:
            self.rollback()
        if self.connections is not None:
            self.connections.free.append(self)


class Connections:
    """The connections of one simulation. `now` is the time that the database has, `before` lets faults happen."""

    def __init__(self, now: Callable[[], datetime], before: BeforeStatement) -> None:
        self._now = now
        self.before = before
        self.free: list[SimulatedConnection] = []
        self._all: list[SimulatedConnection] = []

    def open(self, path: str) -> SimulatedConnection:
        """Return a connection to a file."""
        for place, free in enumerate(self.free):
            if vars(free).get("path") == path:
                return self.free.pop(place)
        made = sqlite3.connect(path, factory=SimulatedConnection)
        made.create_function("strftime", -1, self._strftime)
        made.connections = self
        vars(made)["path"] = path
        self._all.append(made)
        return made

    def _strftime(self, *_: Any) -> str:
        """Stand for SQLite's function, which the code under test calls for the time of the database alone."""
        return self._now().strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]

    def close(self) -> None:
        """Close all connections."""
        for each in self._all:
            each.connections = None
            if each.in_transaction:
                each.rollback()
            sqlite3.Connection.close(each)
        self._all, self.free = [], []

    def create_engine(self, url: str, **options: Any) -> Engine:
        """Stand for SQLAlchemy's function: return an engine over these connections."""
        if url not in _engines:
            path = url.removeprefix("sqlite:///")
            _engines[url] = create_engine(url, creator=lambda: _current[-1].open(path), **options)
        return _engines[url]


_current: list[Connections] = []


class ConnectionsInUse:
    """The connections that engines use for as long as a block runs."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def __enter__(self) -> None:
        """Use the connections."""
        _current.append(self._connections)

    def __exit__(self, *_: object) -> None:
        """Close them."""
        _current.pop()
        self._connections.close()
