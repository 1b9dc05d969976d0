"""What the tests of backups and of restores have in common."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from cambist.admin.backup.backup import Backup, FinishedBackup
from cambist.admin.backup.restore import restore_backup
from cambist.settings import Settings
from cambist.storage.shared.usage.usage_writer import UsageWriter
from cambist.storage.sql import SqlStore

NOON = datetime(2026, 3, 6, 12, tzinfo=UTC)
DAY = NOON.date()
PATH = "/fetch-one"


def unseen(_: str, __: int, ___: int | None) -> None:
    """Show no progress."""


def open_database(folder: Path) -> SqlStore:
    return SqlStore(f"sqlite:///{folder / 'cambist.db'}")


def backed_up(folder: Path, path: Path | None = None, *, with_secrets: bool = False) -> FinishedBackup:
    made = Backup(Settings(data=folder), lambda: NOON, unseen)
    return made.write(path or folder.parent / "saved.tar.gz", with_secrets=with_secrets)


def restored(made: FinishedBackup, name: str = "restored") -> Path:
    target = made.path.parent / name
    restore_backup(made.path, target, "", unseen)
    return target


def dumped(folder: Path) -> list[str]:
    """Return all rows, but for when this database was migrated."""
    connection = sqlite3.connect(folder / "cambist.db")
    rows = list(connection.iterdump())
    connection.close()
    return [row for row in rows if not row.startswith('INSERT INTO "schema_releases"')]


def usage_of(folder: Path) -> int:
    """Return the calls that a start would find, in the database and in the counter files together."""
    store = open_database(folder)
    UsageWriter(folder / "ledger").recover(store.usage, DAY)
    calls = sum(row.calls for row in store.usage.rows())
    store.close()
    return calls
