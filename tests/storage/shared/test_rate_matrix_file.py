from __future__ import annotations

import struct
import sys
from array import array
from datetime import date, timedelta
from pathlib import Path
from typing import BinaryIO

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cambist.errors import RateMatrixDamaged
from cambist.history.rate_matrix import RateMatrix
from cambist.storage.shared import rate_matrix_file
from cambist.storage.shared.rate_matrix_file import MAGIC, open_rate_matrix, write_rate_matrix

NAN = float("nan")
CODES = ("EUR", "JPY", "USD")
CELLS = [0.9, 150.25, 1.0, 0.1 + 0.2, NAN, 1.0, 5e-324, 1.7976931348623157e308, 1.0]


def a_matrix(days: int = 3, revision: str = "1-abc-1", cells: list[float] | None = None) -> RateMatrix:
    return RateMatrix(
        revision=revision,
        first_day=date(2026, 3, 2),
        last_fixing=date(2026, 3, 3),
        codes=CODES,
        listed_sets=((0, 1, 2), (0, 2)),
        listed_set_of_day=array("H", ([0, 1, 0] * days)[:days]),
        cells=memoryview(array("d", (CELLS * days)[: days * len(CODES)] if cells is None else cells)),
        sources=("ecb", "boj"),
        last_fixings=(date(2026, 3, 3), date(2026, 3, 2)),
        fixed_at=(("Europe/Berlin", "14:15:00"), ("Asia/Tokyo", "17:00:00")),
        damaged=3,
    )


def contents_of(matrix: RateMatrix) -> tuple[object, ...]:
    """Return the contents of a matrix so that two can be compared, with NaN and the last bit of each cell."""
    return (
        matrix.revision,
        matrix.first_day,
        matrix.last_fixing,
        matrix.codes,
        matrix.listed_sets,
        list(matrix.listed_set_of_day),
        matrix.cells.tobytes(),
        matrix.sources,
        matrix.last_fixings,
        matrix.fixed_at,
        matrix.damaged,
    )


def test_spans_are_found_once_and_written(tmp_path: Path) -> None:
    written = a_matrix()
    write_rate_matrix(tmp_path / "rates.image", written)

    read = open_rate_matrix(tmp_path / "rates.image")

    assert read.spans == tuple(written.span(code) for code in CODES)
    assert read.span("EUR") == (date(2026, 3, 2), date(2026, 3, 3))
    assert read.span("XXX") is None


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A written file, which no test changes."""
    path = tmp_path_factory.mktemp("image") / "rates.image"
    write_rate_matrix(path, a_matrix())
    return path


@pytest.fixture(scope="module")
def content(path: Path) -> bytes:
    return path.read_bytes()


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """The path of a damaged copy."""
    return tmp_path / "damaged.image"


def is_refused_or_the_same(path: Path) -> bool:
    try:
        return contents_of(open_rate_matrix(path)) == contents_of(a_matrix())
    except RateMatrixDamaged:
        return True


def test_a_written_matrix_can_be_opened(path: Path) -> None:
    assert contents_of(open_rate_matrix(path)) == contents_of(a_matrix())


@pytest.mark.parametrize("days", range(1, 10))
def test_any_number_of_days_can_be_written(tmp_path: Path, days: int) -> None:
    write_rate_matrix(tmp_path / "rates.image", a_matrix(days))
    opened = open_rate_matrix(tmp_path / "rates.image")
    assert contents_of(opened) == contents_of(a_matrix(days))
    assert opened.last_day == date(2026, 3, 2) + timedelta(days=days - 1)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cells=st.lists(st.floats(), min_size=9, max_size=9))
def test_every_float_is_read_to_the_last_bit(damaged: Path, cells: list[float]) -> None:
    write_rate_matrix(damaged, a_matrix(cells=cells))
    assert open_rate_matrix(damaged).cells.tobytes() == struct.pack("=9d", *cells)


def test_a_cell_is_read_by_day_and_code(path: Path) -> None:
    assert open_rate_matrix(path).cell(date(2026, 3, 2), "JPY") == 150.25


def test_the_map_cannot_be_written_to(path: Path) -> None:
    assert open_rate_matrix(path).cells.readonly


@pytest.mark.long
def test_a_flipped_bit_is_never_read_as_another_matrix(content: bytes, damaged: Path) -> None:
    wrong = []
    for position in range(len(content)):
        for bit in range(8):
            changed = bytearray(content)
            changed[position] ^= 1 << bit
            damaged.write_bytes(changed)
            if not is_refused_or_the_same(damaged):
                wrong.append((position, bit, bytes(changed[max(0, position - 12) : position + 8])))
    assert wrong == []


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255))
@example(where=0.0, byte=0)
@example(where=0.01953125, byte=68)
def test_a_changed_byte_is_never_read_as_another_matrix(content: bytes, damaged: Path, where: float, byte: int) -> None:
    changed = bytearray(content)
    changed[int(where * len(content))] = byte
    damaged.write_bytes(changed)
    assert is_refused_or_the_same(damaged)


def test_a_changed_cell_is_refused(content: bytes, damaged: Path) -> None:
    damaged.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(RateMatrixDamaged):
        open_rate_matrix(damaged)


def test_a_file_that_is_truncated_anywhere_is_refused(content: bytes, damaged: Path) -> None:
    for length in range(len(content)):
        damaged.write_bytes(content[:length])
        with pytest.raises(RateMatrixDamaged):
            open_rate_matrix(damaged)


@pytest.mark.parametrize("more", [b"\0", b"\0" * 8, b"more"])
def test_a_file_with_more_bytes_at_its_end_is_refused(content: bytes, damaged: Path, more: bytes) -> None:
    damaged.write_bytes(content + more)
    with pytest.raises(RateMatrixDamaged):
        open_rate_matrix(damaged)


def test_an_empty_file_is_refused(damaged: Path) -> None:
    damaged.write_bytes(b"")
    with pytest.raises(RateMatrixDamaged):
        open_rate_matrix(damaged)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RateMatrixDamaged, match="nowhere"):
        open_rate_matrix(tmp_path / "nowhere")


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RateMatrixDamaged):
        open_rate_matrix(tmp_path)


def test_another_magic_is_refused(content: bytes, damaged: Path) -> None:
    damaged.write_bytes(b"CMBIMG99" + content[len(MAGIC) :])
    with pytest.raises(RateMatrixDamaged):
        open_rate_matrix(damaged)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rest=st.binary(max_size=200))
def test_any_bytes_after_the_magic_are_refused(damaged: Path, rest: bytes) -> None:
    damaged.write_bytes(MAGIC + rest)
    with pytest.raises(RateMatrixDamaged):
        open_rate_matrix(damaged)


def test_a_matrix_of_the_other_byte_order_is_refused(damaged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "byteorder", "big" if sys.byteorder == "little" else "little")
    write_rate_matrix(damaged, a_matrix())
    monkeypatch.undo()
    with pytest.raises(RateMatrixDamaged, match="byte order"):
        open_rate_matrix(damaged)


def test_a_reader_keeps_its_matrix_when_the_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "rates.image"
    write_rate_matrix(path, a_matrix())
    old = open_rate_matrix(path)
    write_rate_matrix(path, a_matrix(days=9, revision="2-abc-1", cells=[2.0] * 27))
    assert contents_of(old) == contents_of(a_matrix())
    assert open_rate_matrix(path).revision == "2-abc-1"


def test_only_the_owner_can_read_the_file(path: Path) -> None:
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_replaced_while_it_is_opened_is_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rates.image"
    write_rate_matrix(path, a_matrix())
    checked = rate_matrix_file._checked

    def checked_and_replaced(path: Path, file: BinaryIO) -> object:
        result = checked(path, file)
        write_rate_matrix(path, a_matrix(days=5, revision="2-abc-1"))
        return result

    monkeypatch.setattr(rate_matrix_file, "_checked", checked_and_replaced)
    assert contents_of(open_rate_matrix(path)) == contents_of(a_matrix())
