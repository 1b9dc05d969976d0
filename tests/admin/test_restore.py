"""What is restored from a backup, and which files are refused."""

from __future__ import annotations

import gzip
import io
import random
import tarfile
import zlib
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.admin.backups import backed_up, dumped, restored, unseen

from cambist.accounts.plan import default_plans
from cambist.admin.backup.backup import FinishedBackup
from cambist.admin.backup.manifest import BACKUP_MANIFEST
from cambist.admin.backup.restore import restore_backup
from cambist.errors import BackupRefused


def changed(made: FinishedBackup, change: Any) -> Path:
    """Return a copy of a backup whose files were changed: by name, None removes one."""
    path = made.path.with_name("changed.tar.gz")
    with tarfile.open(made.path) as old, tarfile.open(path, "w:gz") as new:
        files = {member.name: old.extractfile(member).read() for member in old}
        for name, content in change(files).items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            new.addfile(member, io.BytesIO(content))
    return path


def refused(path: Path) -> str:
    """Return why a backup is refused, which must leave nothing behind."""
    target = path.parent / "restored"
    before = sorted(path.parent.iterdir())
    with pytest.raises(BackupRefused) as error:
        restore_backup(path, target, "", unseen)
    assert sorted(path.parent.iterdir()) == before
    return str(error.value)


def test_a_backup_with_a_changed_missing_or_added_file_is_refused(used_folder: Path) -> None:
    made = backed_up(used_folder)
    plans = {"plans.toml": b"x" * len(default_plans().encode())}
    assert "plans.toml in the backup is not what was backed up" in refused(changed(made, lambda files: files | plans))
    without = changed(made, lambda files: {name: text for name, text in files.items() if name != "plans.toml"})
    assert "it lacks plans.toml" in refused(without)
    assert "its manifest does not name: [more]" in refused(changed(made, lambda files: files | {"more": b""}))


def test_a_backup_of_a_newer_release_is_refused_with_its_version(used_folder: Path) -> None:
    def newer(files: dict[str, bytes]) -> dict[str, bytes]:
        manifest = msgspec.json.decode(files["manifest.json"]) | {"schema": "9999", "release": "7.1.0"}
        return files | {"manifest.json": msgspec.json.encode(manifest)}

    sentence = refused(changed(backed_up(used_folder), newer))
    assert "made by Cambist 7.1.0 (schema 9999)" in sentence


@pytest.mark.long(every=4)
@pytest.mark.parametrize("name", ["../outside", "/outside", "ledger/../../outside", ""])
def test_a_path_outside_the_folder_is_refused(used_folder: Path, name: str) -> None:
    def outside(files: dict[str, bytes]) -> dict[str, bytes]:
        manifest = msgspec.json.decode(files["manifest.json"])
        manifest["files"].append({"name": name, "size": 1, "sha256": sha256(b"x").hexdigest()})
        return files | {"manifest.json": msgspec.json.encode(manifest), name: b"x"}

    assert "invalid path" in refused(changed(backed_up(used_folder), outside))


def unpacked(content: bytes) -> bytes | None:
    """Return what a file contains; None if it cannot be unpacked."""
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        return None


def test_a_damaged_or_cut_file_is_refused_wherever_it_is_damaged(used_folder: Path) -> None:
    content, chance = backed_up(used_folder).path.read_bytes(), random.Random(1970)  # noqa: S311  no secrets
    path = used_folder.parent / "damaged.tar.gz"
    for _ in range(12):
        at = chance.randrange(10, len(content) - 8)
        damaged = content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :]
        path.write_bytes(damaged)
        if unpacked(damaged) != unpacked(content):  # the zeros at the end can be packed in several ways
            refused(path)
        path.write_bytes(content[:at])
        refused(path)
    path.write_bytes(b"Dear diary, " * 1000)
    assert "is not a backup of Cambist" in refused(path)


def test_a_manifest_that_is_no_utf_8_is_refused(used_folder: Path) -> None:
    damaged = changed(
        backed_up(used_folder),
        lambda files: {**files, BACKUP_MANIFEST: files[BACKUP_MANIFEST].replace(b'"live"', b'"l\xd0ve"')},
    )
    assert "manifest" in refused(damaged)


def test_a_file_with_a_damaged_checksum_is_refused(used_folder: Path) -> None:
    content, path = backed_up(used_folder).path.read_bytes(), used_folder.parent / "damaged.tar.gz"
    for at in range(len(content) - 40, len(content)):
        path.write_bytes(content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :])
        refused(path)


def test_only_a_new_or_empty_folder_is_restored_into(used_folder: Path) -> None:
    made = backed_up(used_folder)
    empty = used_folder.parent / "empty"
    empty.mkdir()
    assert dumped(restored(made, "empty")) == dumped(used_folder)
    assert dumped(restored(made, "deeper/and/deeper")) == dumped(used_folder)
    with pytest.raises(BackupRefused, match=r"is not empty \(audit\.log\)"):
        restored(made, "empty")
    with pytest.raises(BackupRefused, match=r"is a file: name a folder"):
        restored(made, "saved.tar.gz")


def test_a_disk_of_its_own_is_filled_with_the_database_last(used_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, disk, moved = backed_up(used_folder), used_folder.parent / "disk", []
    (disk / "lost+found").mkdir(parents=True)
    monkeypatch.setattr(Path, "is_mount", lambda path: path == disk)
    rename = Path.rename
    monkeypatch.setattr(Path, "rename", lambda path, target: (moved.append(path.name), rename(path, target))[1])
    assert dumped(restored(made, "disk")) == dumped(used_folder)
    assert moved[-1] == "cambist.db"
    assert not list(disk.glob(".*"))
