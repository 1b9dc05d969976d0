"""Backups of a service whose database is PostgreSQL, and restores into one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.admin.backups import NOON, backed_up, dumped, unseen, usage_of
from tests.postgresql import TestServer, postgresql_server

from cambist.admin.backup.backup import Backup
from cambist.admin.backup.restore import restore_backup
from cambist.errors import BackupRefused
from cambist.settings import Settings
from cambist.storage.sql import SqlStore


@pytest.fixture
def server() -> TestServer:
    return postgresql_server()


@pytest.fixture
def url(server: TestServer) -> Iterator[str]:
    """An empty database."""
    name = server.new_database()
    yield server.url(name)
    server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.long
def test_a_backup_of_postgresql_is_restored_into_a_folder(used_folder: Path, url: str) -> None:
    settings = Settings(data=used_folder)
    made = backed_up(used_folder)
    restore_backup(made.path, used_folder.parent / "node", url, unseen)
    assert not list((used_folder.parent / "node").glob("cambist.db*"))
    path = used_folder.parent / "second.tar.gz"
    second = Backup(replace(settings, data=used_folder.parent / "node", database=url), lambda: NOON, unseen).write(
        path, with_secrets=False
    )
    assert second.manifest.kept_in == "postgresql"
    target = used_folder.parent / "back"
    restore_backup(path, target, "", unseen)
    assert dumped(target) == dumped(used_folder)
    assert usage_of(target) == 7


@pytest.mark.long
def test_a_database_with_rows_is_refused(used_folder: Path, url: str) -> None:
    made = backed_up(used_folder)
    restore_backup(made.path, used_folder.parent / "first", url, unseen)
    with pytest.raises(BackupRefused, match=r"has rows already"):
        restore_backup(made.path, used_folder.parent / "second", url, unseen)
    assert not (used_folder.parent / "second").exists()


@pytest.mark.long
def test_an_interrupted_restore_leaves_the_database_empty(used_folder: Path, url: str) -> None:
    made = backed_up(used_folder)
    steps = 0

    def cut_off(what: str, done: int, _: int | None) -> None:
        nonlocal steps
        steps += what == "database" and done > 0
        if steps == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        restore_backup(made.path, used_folder.parent / "node", url, cut_off)
    assert not (used_folder.parent / "node").exists()
    store = SqlStore(url)
    assert (store.archive.revision(), store.accounts.all()) == (0, [])
    store.close()
    restore_backup(made.path, used_folder.parent / "node", url, unseen)
    store = SqlStore(url)
    assert store.archive.revision() == 1
    store.close()


def test_another_kind_of_database_is_refused(used_folder: Path) -> None:
    with pytest.raises(BackupRefused, match=r"not the URL of a PostgreSQL database"):
        restore_backup(backed_up(used_folder).path, used_folder.parent / "node", "mysql://h/db", unseen)
