from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path

import pytest

from cambist.errors import CannotStart
from cambist.storage.data_directory import DataDirectory


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def folder(path: Path) -> Iterator[DataDirectory]:
    folder = DataDirectory(path)
    folder.claim()
    yield folder
    folder.release()


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_only_the_owner_can_read_a_claimed_folder(folder: DataDirectory) -> None:
    assert mode(folder.path) == 0o700
    assert {mode(file) for file in folder.path.iterdir()} == {0o600}


def test_missing_parent_directories_are_created(tmp_path: Path) -> None:
    folder = DataDirectory(tmp_path / "a" / "b" / "c")
    folder.claim()
    folder.release()
    assert mode(tmp_path / "a" / "b" / "c") == 0o700


def test_nothing_is_created_before_the_claim(path: Path) -> None:
    DataDirectory(path)
    assert not path.exists()


def test_a_second_claim_is_refused(folder: DataDirectory) -> None:
    with pytest.raises(CannotStart) as refused:
        DataDirectory(folder.path).claim()
    assert str(refused.value) == f"The data folder {folder.path} is in use by another Cambist"


def test_the_claim_of_another_process_is_refused(folder: DataDirectory) -> None:
    program = "from cambist.storage.data_directory import DataDirectory; from pathlib import Path\n"
    program += f"DataDirectory(Path({str(folder.path)!r})).claim()"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "is in use by another Cambist" in ended.stderr


def test_a_refused_claim_does_not_release_the_first(folder: DataDirectory) -> None:
    for _ in range(2):
        with pytest.raises(CannotStart):
            DataDirectory(folder.path).claim()


def test_a_released_folder_can_be_claimed_again(folder: DataDirectory) -> None:
    folder.release()
    other = DataDirectory(folder.path)
    other.claim()
    other.release()


def test_a_second_release_does_nothing(folder: DataDirectory) -> None:
    folder.release()
    folder.release()


def test_the_folder_is_released_when_its_process_dies(path: Path) -> None:
    program = "import os, sys; from pathlib import Path; from cambist.storage.data_directory import DataDirectory\n"
    program += f"DataDirectory(Path({str(path)!r})).claim(); os.kill(os.getpid(), 9)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -9
    folder = DataDirectory(path)
    folder.claim()
    folder.release()


def test_a_file_in_place_of_the_folder_is_refused(path: Path) -> None:
    path.write_text("not a folder")
    with pytest.raises(CannotStart, match="cannot be written: "):
        DataDirectory(path).claim()


def test_a_folder_below_a_file_is_refused(path: Path) -> None:
    path.write_text("not a folder")
    with pytest.raises(CannotStart, match="cannot be written: "):
        DataDirectory(path / "data").claim()


def test_a_claim_does_not_change_other_files(path: Path) -> None:
    path.mkdir()
    (path / "cambist.db").write_bytes(b"precious")
    folder = DataDirectory(path)
    folder.claim()
    folder.release()
    assert (path / "cambist.db").read_bytes() == b"precious"


def test_a_forked_child_does_not_hold_the_lock(folder: DataDirectory) -> None:
    context = get_context("fork")
    has_begun, may_end = context.Event(), context.Event()
    child = context.Process(target=lambda: (has_begun.set(), may_end.wait(20)))
    child.start()
    try:
        assert has_begun.wait(20)
        folder.release()
        DataDirectory(folder.path).claim()
        assert child.is_alive()
    finally:
        may_end.set()
        child.join()
