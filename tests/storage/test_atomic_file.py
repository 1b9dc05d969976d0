from __future__ import annotations

import os
from pathlib import Path

import pytest

from cambist.storage.atomic_file import remove_unfinished, write_atomically


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "owner.key"
    path.write_bytes(b"old")
    return path


def names(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


def test_the_new_content_replaces_the_old(path: Path) -> None:
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert names(path.parent) == ["owner.key"]


def test_a_missing_file_is_created(tmp_path: Path) -> None:
    write_atomically(tmp_path / "first", b"new")
    assert (tmp_path / "first").read_bytes() == b"new"


def test_only_the_owner_can_read_a_file_without_another_mode(path: Path) -> None:
    path.chmod(0o666)
    write_atomically(path, b"new")
    assert path.stat().st_mode & 0o777 == 0o600
    write_atomically(path, b"new", mode=0o644)
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_reader_of_the_old_file_can_continue(path: Path) -> None:
    with path.open("rb") as reader:
        write_atomically(path, b"new and longer")
        assert reader.read() == b"old"


def test_the_content_is_flushed_before_the_file_is_renamed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bytes] = []
    flush = os.fsync
    monkeypatch.setattr(os, "fsync", lambda number: (flush(number), seen.append(path.read_bytes())))
    write_atomically(path, b"new")
    assert seen[0] == b"old"


@pytest.mark.parametrize("step", ["fsync", "fchmod"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_write_keeps_the_old_content_and_leaves_no_temporary_file(
    path: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(error)):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert names(path.parent) == ["owner.key"]


def test_a_failed_rename_leaves_no_temporary_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="Is a directory"):
        write_atomically(tmp_path / "folder", b"new")
    assert names(tmp_path) == ["folder"]


def test_a_missing_directory_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        write_atomically(tmp_path / "nowhere" / "file", b"new")


def test_the_error_on_a_full_disk_names_the_file_and_the_remedy(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="cannot be written") as raised:
        write_atomically(path, b"new")
    sentence = f"The file {path} cannot be written: No space left on device; free some space on its disk"
    assert (str(raised.value), raised.value.strerror, raised.value.errno) == (sentence, sentence, 28)
    assert path.read_bytes() == b"old"
    assert names(path.parent) == ["owner.key"]


def test_only_abandoned_temporary_files_are_removed(tmp_path: Path) -> None:
    kept = ["rates.image", ".hidden", ".rates.image.new", "a.abcdefgh", ".own.toml"]
    for name in [*kept, ".rates.image.abcd_123", ".rates.book.zzzzzzzz"]:
        (tmp_path / name).write_bytes(b"half")
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / ".rates.image.young123").write_bytes(b"being written now")
    remove_unfinished(tmp_path)
    assert sorted(names(tmp_path)) == sorted([*kept, ".rates.image.young123"])
