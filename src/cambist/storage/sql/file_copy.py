"""Copy a SQLite database, also while a service writes to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from cambist.errors import StoreBroken

_PAGES_AT_ONCE = 4096
_WAIT_SECONDS = 10.0


def copy_database_file(source: Path, target: Path, progress: Callable[[int, int], None]) -> None:
    """Copy a database as it is at one moment, by SQLite's own means, and check the pages of the copy.

    Writers do not wait for it. `progress` is told how many pages are done, and how many there are.
    Errors: StoreBroken.
    """
    try:
        with (
            closing(sqlite3.connect(_uri(source), uri=True, timeout=_WAIT_SECONDS, isolation_level=None)) as read,
            closing(sqlite3.connect(target)) as written,
        ):
            # One reading transaction: else the copying would begin again with each write of the service.
            read.execute("BEGIN")
            read.execute("SELECT count(*) FROM sqlite_master").fetchone()
            read.backup(
                written,
                pages=_PAGES_AT_ONCE,
                progress=lambda _status, left, total: progress(total - left, total),
                sleep=0.01,
            )
            read.execute("ROLLBACK")
    except sqlite3.Error as error:
        raise StoreBroken(f"The database {source} cannot be copied: {error}") from error
    if faults := database_file_faults(target):
        raise StoreBroken(f"The database {source} is damaged ({faults[0]}): [cambist check] says more")


def database_file_faults(path: Path) -> list[str]:
    """Return what is inconsistent in the pages of a database that nobody uses."""
    try:
        with closing(sqlite3.connect(_uri(path), uri=True)) as connection:
            found = [str(row[0]) for row in connection.execute("PRAGMA quick_check")]
    except sqlite3.Error as error:
        return [str(error)]
    return [] if found == ["ok"] else found


def _uri(path: Path) -> str:
    """Return what opens an existing file. It may be written: a reader of a log needs to lock it."""
    return f"file:{quote(str(path.resolve()))}?mode=rw"
