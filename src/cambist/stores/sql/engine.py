"""Opening the database: one engine and its pragmas."""

from __future__ import annotations

from sqlite3 import Connection as SqliteConnection

from sqlalchemy import Engine, create_engine, event

_PRAGMAS = ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON", "busy_timeout = 5000")


def open_engine(url: str) -> Engine:
    """Give an engine for `url`; SQLite writes ahead, so that readers never wait for the writer."""
    engine = create_engine(url)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_pragmas)
    return engine


def _set_pragmas(connection: SqliteConnection, _record: object) -> None:
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
