from __future__ import annotations

import json
import struct
import sys
import zlib
from pathlib import Path

import pytest

from cambist.storage.shared.usage.counter_file import CounterFile
from cambist.storage.shared.usage.layout import CounterFileName
from cambist.storage.shared.usage.older_format import rewrite_older_files

FACTOR, CHECK = 0x9E3779B97F4A7C15, 0xFFFF << 48
NAME = CounterFileName("2026-11-20", 3)


def older_counter(count: int) -> int:
    """Return a counter as versions before the marks wrote it: the count, and a check in the high 16 bits."""
    return count | count * FACTOR & CHECK


def write_older_file(path: Path, calls: list[list[int]]) -> None:
    """Write a file of two slots and one endpoint: for each account the counters of the total, then of the endpoint."""
    layout = json.dumps(
        {"stem": "2026-11-20", "generation": 3, "columns": 2, "rows": ["/a"], "byte_order": sys.byteorder}
        | {"incarnation": 2_000_000_007}
    ).encode()
    start = struct.pack("=8sII", b"CMBLDG01", len(layout), zlib.crc32(layout)) + layout
    header = start + bytes(-(len(start) + 8) % 4096)
    counters = [older_counter(count) for count in (len(calls), *(count for row in calls for count in row))]
    path.write_bytes(header + b"".join(counter.to_bytes(8, sys.byteorder) for counter in counters))


def test_the_counts_of_an_older_file_are_kept(tmp_path: Path) -> None:
    write_older_file(tmp_path / str(NAME), [[0, 0, 0, 0], [5, 7, 5, 7], [2**40, 0, 2**40, 0]])
    rewrite_older_files(tmp_path)
    file = CounterFile(tmp_path, NAME)
    assert (file.capacity, file.accounts, file.layout.number) == (3, 3, 2_000_000_007)
    assert [file.row_totals(account) for account in range(3)] == [[0, 0], [12, 12], [2**40, 2**40]]
    assert file.faults() == []
    assert sum(file.marks()) == 0


def test_a_damaged_counter_of_an_older_file_stays_damaged(tmp_path: Path) -> None:
    path = tmp_path / str(NAME)
    write_older_file(path, [[5, 0, 5, 0], [6, 0, 6, 0]])
    content = bytearray(path.read_bytes())
    content[-15] ^= 4
    path.write_bytes(content)
    rewrite_older_files(tmp_path)
    file = CounterFile(tmp_path, NAME)
    assert file.faults() == ["1 counters of the account 1 are damaged, and lost"]
    assert file.row_totals(0) == [5, 5]


@pytest.mark.parametrize("name", ["2026-11-20.3.page", "notes.txt"])
def test_files_that_are_not_older_ones_are_left_as_they_are(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"CMBLDG01 is not a header")
    rewrite_older_files(tmp_path)
    assert (tmp_path / name).read_bytes() == b"CMBLDG01 is not a header"


def test_a_directory_that_does_not_exist_has_no_older_files(tmp_path: Path) -> None:
    rewrite_older_files(tmp_path / "ledger")
