"""The access log in a file: whole lines from several processes, and none lost when it is rotated."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cambist.errors import CannotStart
from cambist.log_file import RotatedFileHandler, check_log_file

LINES = 400
WRITER = """
import logging, sys
from cambist.log_file import RotatedFileHandler
handler = RotatedFileHandler(sys.argv[1], 2_000, 1_000)
for number in range(int(sys.argv[3])):
    handler.emit(logging.LogRecord("x", 20, "", 0, f"{sys.argv[2]} {number} " + "." * 30, (), None))
"""


@pytest.fixture
def handler(tmp_path: Path) -> Iterator[RotatedFileHandler]:
    handler = RotatedFileHandler(str(tmp_path / "access.log"), most_bytes=100, kept=2)
    yield handler
    handler.close()


def say(handler: RotatedFileHandler, text: str) -> None:
    handler.emit(logging.LogRecord("x", logging.INFO, "", 0, text, (), None))


def test_lines_of_several_processes_are_whole_and_none_is_lost_in_a_rotation(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, path, str(each), str(LINES)]) for each in range(3)]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    files = [each for each in tmp_path.iterdir() if not each.name.endswith(".lock")]
    lines = [line for file in files for line in file.read_text().splitlines()]
    expected = [f"{writer} {number} " + "." * 30 for writer in range(3) for number in range(LINES)]
    assert len(files) > 10
    assert sorted(lines) == sorted(expected)


def test_a_large_file_is_moved_away_and_so_many_are_kept(handler: RotatedFileHandler, tmp_path: Path) -> None:
    for number in range(4):
        say(handler, f"{number} " + "x" * 120)
    say(handler, "the last")
    found = {each.name: each.read_text()[:9].strip() for each in tmp_path.iterdir() if not each.name.endswith("lock")}
    assert found == {"access.log": "the last", "access.log.1": "3 xxxxxxx", "access.log.2": "2 xxxxxxx"}


def test_only_the_owner_may_read_it(handler: RotatedFileHandler, tmp_path: Path) -> None:
    say(handler, "x" * 120)
    say(handler, "y")
    assert {oct(each.stat().st_mode & 0o777) for each in tmp_path.iterdir()} == {"0o600"}


def test_a_file_that_somebody_else_moved_is_opened_again(handler: RotatedFileHandler, tmp_path: Path) -> None:
    say(handler, "before")
    (tmp_path / "access.log").rename(tmp_path / "moved")
    say(handler, "after")
    assert (tmp_path / "moved").read_text() == "before\n"
    assert (tmp_path / "access.log").read_text() == "after\n"


def test_a_full_disk_fails_nothing_and_cuts_at_most_one_line(
    handler: RotatedFileHandler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write

    def full(_file: int, _content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", lambda file, content: write(file, content[:4]))
    say(handler, "cut off")
    monkeypatch.setattr(os, "write", full)
    say(handler, "lost")
    monkeypatch.setattr(os, "write", write)
    say(handler, "whole")
    assert (tmp_path / "access.log").read_text() == "cut \nwhole\n"


def test_a_file_that_cannot_be_written_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match=r"The access log cannot be written to \[.*none/x\]: No such file"):
        check_log_file(str(tmp_path / "none" / "x"))
    check_log_file(str(tmp_path / "x"))
    assert (tmp_path / "x").exists()
