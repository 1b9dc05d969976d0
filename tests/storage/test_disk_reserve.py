from __future__ import annotations

import os
from pathlib import Path

import pytest

from cambist.errors import StoreBroken
from cambist.storage.disk_reserve import DiskReserve


def test_the_space_is_allocated_and_freed_once(tmp_path: Path) -> None:
    reserve = DiskReserve(tmp_path / "reserve")
    reserve.allocate()
    reserve.allocate()
    assert (tmp_path / "reserve").stat().st_blocks * 512 >= 4 << 20
    assert [reserve.free(), reserve.free()] == [True, False]
    assert list(tmp_path.iterdir()) == []


def test_the_error_on_a_full_disk_names_the_file_and_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(StoreBroken, match=r"reserve cannot be written: No space left on device; free some space"):
        DiskReserve(tmp_path / "reserve").allocate()
    assert list(tmp_path.iterdir()) == []
