"""The guard of the rate image: a missing or damaged file is noticed and rebuilt while the service runs."""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from pathlib import Path

import pytest

from cambist.errors import StoreBroken
from cambist.history.rate_matrix import RateMatrix
from cambist.monitoring.rate_matrix_guard import DAMAGED_ROWS, RateMatrixGuard
from cambist.settings import Settings
from cambist.storage.shared.rate_matrix_file import open_rate_matrix, write_rate_matrix

MINUTE = 60.0


@pytest.fixture
def path(tmp_path: Path, real_matrix: RateMatrix) -> Path:
    write_rate_matrix(tmp_path / "rates.image", real_matrix)
    return tmp_path / "rates.image"


@pytest.fixture
def built() -> list[str]:
    return []


@pytest.fixture
def guard(path: Path, real_matrix: RateMatrix, built: list[str]) -> RateMatrixGuard:
    def rebuild() -> None:
        built.append("built")
        write_rate_matrix(path, real_matrix)

    return RateMatrixGuard(Settings(data=path.parent), rebuild)


def flip(path: Path) -> None:
    """Flip a bit in place and leave the file's times as they are, as a failing disk does."""
    times = path.stat()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    with path.open("r+b") as file:
        file.write(content)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def test_a_sound_rate_matrix_is_left_alone(guard: RateMatrixGuard, built: list[str]) -> None:
    for now in (0.0, 1.0, MINUTE, 2 * MINUTE):
        guard.check(now)
    assert built == []


def test_a_missing_file_is_rebuilt_at_the_next_check(guard: RateMatrixGuard, built: list[str], path: Path) -> None:
    guard.check(1.0)
    path.unlink()
    guard.check(2.0)
    assert built == ["built"]
    assert open_rate_matrix(path).codes


def test_a_truncated_file_is_rebuilt_at_the_next_check(guard: RateMatrixGuard, built: list[str], path: Path) -> None:
    guard.check(1.0)
    os.truncate(path, 1000)
    guard.check(2.0)
    assert built == ["built"]


def test_a_flipped_bit_is_found_within_a_minute(
    guard: RateMatrixGuard, built: list[str], path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    guard.check(1.0)
    flip(path)
    guard.check(2.0)
    assert built == []
    guard.check(2.0 + MINUTE)
    assert built == ["built"]
    assert f"{path} is damaged (wrong checksum): it is rebuilt from the database" in caplog.text


def test_a_failed_rebuild_is_logged_once_and_tried_again(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    tried: list[str] = []

    def fail() -> None:
        tried.append("tried")
        raise StoreBroken("The disk is full")

    caplog.set_level(logging.INFO)
    guard = RateMatrixGuard(Settings(data=path.parent), fail)
    path.unlink()
    for now in (1.0, 2.0, 12.0, 13.0):
        guard.check(now)
    assert tried == ["tried", "tried"]
    assert caplog.text.count("cannot be rebuilt") == 1


def test_damaged_rows_are_counted(guard: RateMatrixGuard, path: Path, real_matrix: RateMatrix) -> None:
    write_rate_matrix(path, replace(real_matrix, damaged=3))
    guard.check(1.0)
    assert DAMAGED_ROWS._value.get() == 3
    write_rate_matrix(path, real_matrix)
    guard.check(2.0)
    assert DAMAGED_ROWS._value.get() == 0
