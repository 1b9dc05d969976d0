"""Open the database that a URL names."""

from __future__ import annotations

from sqlalchemy import Engine

from cambist.errors import CannotStart
from cambist.storage.sql.backends import SessionLimits, SqlBackend, backend_named


def open_engine(url: str, session: SessionLimits | None = None) -> Engine:
    """Return an engine for a URL, with what its sessions are opened with. Errors: CannotStart."""
    return _backend(url).open(url, session)


def open_read_only(url: str, connections: int, within: float) -> Engine:
    """Return an engine that keeps so many connections open, none of which can write.

    A transaction that takes longer than `within` seconds, or waits as long for a lock, fails with StoreBroken.
    """
    return _backend(url).open_read_only(url, connections, within)


def _backend(url: str) -> SqlBackend:
    try:
        return backend_named(url.partition(":")[0].partition("+")[0])
    except ImportError as error:
        if error.name is None or error.name.partition(".")[0] != "psycopg":
            raise
        raise CannotStart(
            "A database of PostgreSQL needs the package psycopg: install it with [pip install 'psycopg[binary]']"
        ) from None
