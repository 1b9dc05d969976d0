from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from cambist.status.source_report import SourceReport, SourceReports
from cambist.storage.json_file import read_json_file, write_json_file

NOON = datetime(2026, 3, 6, 12, 0, 0, 123456, tzinfo=UTC)

FULL = SourceReport(
    key="ecb",
    name="European Central Bank",
    home="https://www.ecb.europa.eu/",
    terms="https://www.ecb.europa.eu/services/",
    licence="free reuse with attribution",
    redistribution="allowed",
    pace="daily",
    rate_type="official",
    covers="29 currencies",
    enabled=True,
    why="answered 503",
    last_success=NOON - timedelta(hours=1),
    last_failure=NOON,
    failures=3,
    newest=NOON - timedelta(hours=2),
    late_after=timedelta(days=5, seconds=1),
    codes=30,
    pairs=42,
    first=date(1999, 1, 4),
    last=date(2026, 3, 5),
    held=2,
    ticks=17,
    refused={"bid above ask": 4},
)
EMPTY = SourceReport(
    key="cnb",
    name="",
    home="",
    terms="",
    licence="",
    redistribution="unclear",
    pace="daily",
    rate_type="official",
    covers="",
    enabled=False,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sources.json"


def test_a_report_is_read_as_it_was_written(path: Path) -> None:
    source_reports = SourceReports(NOON, (FULL, EMPTY), 41, NOON - timedelta(seconds=1))
    write_json_file(path, source_reports)
    assert read_json_file(path, SourceReports) == source_reports


def test_an_empty_report_is_valid(path: Path) -> None:
    write_json_file(path, SourceReports(NOON, ()))
    assert read_json_file(path, SourceReports) == SourceReports(NOON, (), 0, None)


def test_a_new_report_replaces_the_last(path: Path) -> None:
    for version in (1, 2):
        write_json_file(path, SourceReports(NOON, (FULL,) * version, version))
    found = read_json_file(path, SourceReports)
    assert found is not None
    assert (found.book_version, len(found.reports)) == (2, 2)
    assert [file.name for file in path.parent.iterdir()] == ["sources.json"]


def test_only_the_owner_can_read_the_file(path: Path) -> None:
    write_json_file(path, SourceReports(NOON, ()))
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_missing_file_is_read_as_none(path: Path) -> None:
    assert read_json_file(path, SourceReports) is None
    assert read_json_file(path.parent / "nowhere" / "sources.json", SourceReports) is None
    assert read_json_file(path.parent, SourceReports) is None


NO_REPORTS = [
    b"",
    b"null",
    b"[]",
    b"{}",
    b"\xff\xfe",
    b'{"written_at":"noon","reports":[]}',
    b'{"written_at":1,"reports":[{}]}',
]


@pytest.mark.parametrize("content", [*NO_REPORTS, b"[" * 100_000], ids=range(len(NO_REPORTS) + 1))
def test_an_invalid_file_is_read_as_none(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert read_json_file(path, SourceReports) is None


def test_a_truncated_file_is_read_as_none(path: Path) -> None:
    content = msgspec.json.encode(SourceReports(NOON, (FULL,), 41))
    for length in range(len(content)):
        path.write_bytes(content[:length])
        assert read_json_file(path, SourceReports) is None
    path.write_bytes(content)
    assert read_json_file(path, SourceReports) is not None
