"""Backups of a data folder in use."""

from __future__ import annotations

import gzip
import random
import stat
import tarfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.admin.backups import DAY, backed_up, dumped, open_database, restored, usage_of

from cambist.accounts.plan import default_plans
from cambist.admin.backup import backup as backup_module
from cambist.errors import BackupRefused, StoreBroken
from cambist.storage.shared.usage.usage_writer import UsageWriter

SECRETS = {"owner.key", "keys/signing.key"}


def test_a_restored_folder_has_what_the_service_cannot_make_again(used_folder: Path) -> None:
    target = restored(backed_up(used_folder))
    assert dumped(target) == dumped(used_folder)
    names = {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()}
    counters = {path.relative_to(used_folder).as_posix() for path in used_folder.glob("ledger/*.page")}
    own = {"cambist.db", "environment", "plans.toml", "plans.current", "sources/own bank.toml", "audit.log"}
    assert names == own | counters
    for name in own - {"cambist.db", "audit.log"}:
        assert (target / name).read_bytes() == (used_folder / name).read_bytes()
    assert (target / "audit.log").read_bytes() == b'{"one":1}\n'
    assert {stat.S_IMODE(path.stat().st_mode) for path in target.rglob("*") if path.is_file()} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (target, target / "ledger", target / "sources")} == {0o700}


def test_counted_calls_are_neither_lost_nor_counted_twice(used_folder: Path) -> None:
    made = backed_up(used_folder)
    assert usage_of(restored(made)) == 7
    assert usage_of(restored(made, "again")) == 7
    assert usage_of(made.path.parent / "again") == 7


def test_a_counter_file_that_is_removed_while_it_is_copied_is_in_the_database(
    used_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = backup_module.copy_counter_files

    def late(ledger: Path, target: Path) -> None:
        copy(ledger, target)
        for page in target.glob(f"{DAY}*"):
            page.unlink()  # as if it had been removed before it was copied
        store = open_database(used_folder)
        UsageWriter(ledger).write(store.usage, DAY)  # which happens only once all is written
        store.close()

    monkeypatch.setattr(backup_module, "copy_counter_files", late)
    assert usage_of(restored(backed_up(used_folder))) == 7


def test_private_keys_are_saved_only_if_asked_for(used_folder: Path) -> None:
    without, with_keys = (
        backed_up(used_folder),
        backed_up(used_folder, used_folder.parent / "keys.tar.gz", with_secrets=True),
    )
    assert not SECRETS & {file.name for file in without.manifest.files}
    assert b"of the owner" not in gzip.decompress(without.path.read_bytes())
    target = restored(with_keys)
    assert (target / "owner.key").read_text() == "of the owner\n"
    assert (target / "keys" / "signing.key").read_text() == "of the owner, too\n"


def test_the_file_is_private_and_says_what_it_is(used_folder: Path) -> None:
    made = backed_up(used_folder)
    assert stat.S_IMODE(made.path.stat().st_mode) == 0o600
    content = made.path.read_bytes()
    assert (made.size, made.sha256) == (len(content), sha256(content).hexdigest())
    with tarfile.open(made.path) as archive:
        assert archive.getnames() == ["manifest.json", *(file.name for file in made.manifest.files)]
        manifest = msgspec.json.decode(archive.extractfile("manifest.json").read())
    assert manifest["began_at"] == "2026-03-06T12:00:00Z"
    assert (manifest["environment"], manifest["kept_in"], manifest["has_secrets"]) == ("live", "sqlite", False)
    assert [path.name for path in made.path.parent.iterdir() if path.name.startswith(".")] == []


def test_a_backup_replaces_no_file(used_folder: Path) -> None:
    path = used_folder.parent / "saved.tar.gz"
    path.write_text("mine")
    with pytest.raises(BackupRefused, match=r"exists already"):
        backed_up(used_folder)
    assert path.read_text() == "mine"


def test_a_file_that_appears_meanwhile_is_not_replaced_either(
    used_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, write = used_folder.parent / "saved.tar.gz", backup_module.write_archive

    def late(*arguments: Any) -> None:
        write(*arguments)
        path.write_text("mine")

    monkeypatch.setattr(backup_module, "write_archive", late)
    with pytest.raises(BackupRefused, match=r"created by another program"):
        backed_up(used_folder)
    assert path.read_text() == "mine"


def test_a_folder_without_a_service_is_refused(tmp_path: Path, used_folder: Path) -> None:
    with pytest.raises(BackupRefused, match=r"There is no service in the folder"):
        backed_up(tmp_path / "nowhere")
    with pytest.raises(BackupRefused, match=r"There is no folder"):
        backed_up(used_folder, tmp_path / "nowhere" / "saved.tar.gz")
    (used_folder / "cambist.db").unlink()
    with pytest.raises(BackupRefused, match=r"There is no database"):
        backed_up(used_folder)


def test_a_damaged_database_is_not_backed_up(used_folder: Path) -> None:
    content = bytearray((used_folder / "cambist.db").read_bytes())
    for page in range(4096, len(content), 4096):
        content[page : page + 64] = b"\x7f" * 64
    (used_folder / "cambist.db").write_bytes(content)
    for name in ("cambist.db-wal", "cambist.db-shm"):
        (used_folder / name).unlink(missing_ok=True)
    with pytest.raises(StoreBroken, match=r"damaged|cannot be copied"):
        backed_up(used_folder)
    assert not (used_folder.parent / "saved.tar.gz").exists()


def test_plans_that_change_meanwhile_are_copied_again_with_their_database(
    used_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = iter([default_plans() + "# edited\n"])
    copy = backup_module.copy_database_file

    def edited(*arguments: Any) -> None:
        copy(*arguments)
        if (text := next(changes, None)) is not None:
            (used_folder / "plans.toml").write_text(text)

    monkeypatch.setattr(backup_module, "copy_database_file", edited)
    target = restored(backed_up(used_folder))
    assert (target / "plans.toml").read_text().endswith("# edited\n")


def test_plans_that_change_all_the_time_are_refused(used_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(7)  # noqa: S311  no secrets
    copy = backup_module.copy_database_file

    def edited(*arguments: Any) -> None:
        copy(*arguments)
        (used_folder / "plans.toml").write_text(f"# {chance.random()}\n")

    monkeypatch.setattr(backup_module, "copy_database_file", edited)
    with pytest.raises(BackupRefused, match=r"were changed each time"):
        backed_up(used_folder)


def test_a_full_disk_is_noticed_before_anything_is_written(used_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = type("Usage", (), {"free": 1 << 20})
    monkeypatch.setattr(backup_module.shutil, "disk_usage", lambda _: full)
    with pytest.raises(BackupRefused, match=r"which has 1 MB free"):
        backed_up(used_folder)
