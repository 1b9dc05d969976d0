"""The sums of what was written down, in the terminal and as a page."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cambist.admin.shadow.differences import AnswerDifference, DifferenceKind
from cambist.admin.shadow.report_page import shadow_page
from cambist.admin.shadow.report_tables import endpoint_tables, sentences
from cambist.admin.shadow.shadow_log import ShadowLog, ShadowRecord, ShadowSide, log_files, read_records
from cambist.admin.shadow.shadow_report import ShadowReport, make_shadow_report
from cambist.errors import BadParameter, CannotStart

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
NUMBER, MISSING, ADDED, AGE = (
    AnswerDifference(DifferenceKind.NUMBER, "rates.USD", "1.08", "1.1", 0.02),
    AnswerDifference(DifferenceKind.MISSING, "rates.EEK", "13.2"),
    AnswerDifference(DifferenceKind.ADDED, "historical", ours="true"),
    AnswerDifference(DifferenceKind.AGE, "timestamp", "2026-11-20T12:00:00Z", "2026-11-20T09:00:00Z"),
)


def record(*differences: AnswerDifference, **rest: Any) -> ShadowRecord:
    usual: dict[str, Any] = {
        "at": NOW,
        "method": "GET",
        "target": "/latest?access_key=…&symbols=USD",
        "endpoint": "/latest",
        "pair": "EUR/USD",
        "answered": "theirs",
        "tolerance": "0.1%",
        "theirs": ShadowSide(200, 80.0),
        "ours": ShadowSide(200, 2.0),
        "calls": 1,
    }
    return ShadowRecord(**{**usual, **rest, "differences": differences})


def report_of(*records: ShadowRecord | None) -> ShadowReport:
    return make_shadow_report(records)


def test_the_first_sentence_says_how_many_would_be_the_same() -> None:
    found = report_of(*[record()] * 1_190, *[record(NUMBER)] * 14)
    assert next(sentences(found)) == "Of 1,204 requests 1,190 would have the same answer."
    assert "Ours says that these requests cost 1,204 calls." in sentences(found)


def test_what_was_not_compared_is_no_part_of_what_is_the_same() -> None:
    found = report_of(record(), record(NUMBER), record(not_compared="theirs has nothing new (304)"), None)
    said = list(sentences(found))
    assert said[0] == "Of 2 requests that were compared 1 would have the same answer."
    assert "Not compared: 1, because theirs has nothing new (304)." in said
    assert "1 lines of the log could not be read and are not counted." in said
    assert next(sentences(report_of(record(not_compared="x")))) == "Of 1 request none was compared."
    assert next(sentences(report_of())) == "Of 0 requests none was compared."


def test_what_programs_hardly_notice_is_counted_by_itself() -> None:
    found = report_of(record(ADDED), record(ADDED, AGE), record(AGE, NUMBER), record(ADDED, more=3))
    assert (found.total.same, found.total.minor, found.total.different) == (0, 2, 2)


def test_requests_without_an_answer_of_ours_are_named() -> None:
    said = list(sentences(report_of(record(), record(AnswerDifference(DifferenceKind.NO_ANSWER, "")))))
    assert said[:2] == ["Of 2 requests 1 would have the same answer.", "1 had no answer of ours."]


def test_a_simulated_market_is_named() -> None:
    assert any("all its rates are simulated" in each for each in sentences(report_of(record(environment="sandbox"))))


def test_an_endpoint_has_its_pairs_kinds_and_widest_gap() -> None:
    wide = AnswerDifference(DifferenceKind.NUMBER, "rates.JPY", "100", "150", 0.5)
    found = report_of(
        record(NUMBER), record(NUMBER, wide, pair="EUR/JPY"), record(), record(endpoint="/x", method="POST")
    )
    first, second = found.endpoints
    assert (first.endpoint, second.endpoint) == ("/latest", "POST /x")
    assert [(pair.pair, pair.requests, pair.same) for pair in first.pairs] == [("EUR/USD", 2, 1), ("EUR/JPY", 1, 0)]
    assert first.total.kinds == {"number": 2}
    assert first.total.widest is not None
    assert (first.total.widest.apart, first.total.widest.where) == (0.5, "rates.JPY")
    (_, (sums, changes)), (_, (other,)) = endpoint_tables(found)
    assert sums.rows[-1][:5] == ["all", "3", "1", "0", "2"]
    assert sums.rows[-1][7] == "50 % in rates.JPY: theirs 100, ours 150"
    assert changes.rows[0][:6] == ["number", "rates.{code}", "2", "JPY, USD", "1.08", "1.1"]
    assert len(other.rows) == 1


def test_a_change_is_counted_once_a_request_and_names_its_codes() -> None:
    codes = [AnswerDifference(DifferenceKind.MISSING, f"rates.C{letter}X", "1") for letter in "ABCDEFGHIJ"]
    (change,) = report_of(record(*codes), record(MISSING)).endpoints[0].changes
    assert (change.where, change.requests, len(change.codes), change.more_codes) == ("rates.{code}", 2, 8, 3)


def test_fields_of_elements_days_and_lines_are_one_change() -> None:
    places = [
        "[2026-11-20 EUR USD].rate",
        "[2026-11-19 EUR USD].rate",
        "line 4, cell 2",
        "line 5, cell 2",
        "rates.2026-11-20.USD",
    ]
    found = report_of(*(record(AnswerDifference(DifferenceKind.VALUE, each)) for each in places))
    assert {change.where: change.requests for change in found.endpoints[0].changes} == {
        "[].rate": 2,
        "line {number}, cell 2": 2,
        "rates.{date}.{code}": 1,
    }


@pytest.mark.parametrize(("count", "p95"), [(19, None), (20, 19.0), (100, 95.0)])
def test_the_95th_percentile_is_shown_from_twenty_requests_on(count: int, p95: float | None) -> None:
    found = report_of(*(record(ours=ShadowSide(200, float(ms))) for ms in range(1, count + 1)))
    assert found.total.ours is not None
    assert (found.total.ours.median_ms, found.total.ours.p95_ms) == ((count + 1) / 2, p95)


def test_costs_that_ours_does_not_name_are_no_zeros() -> None:
    found = report_of(record(calls=None))
    assert "Ours says that these requests cost 0 calls; 1 of its answers name no cost." in sentences(found)
    ((_, (sums,)),) = endpoint_tables(found)
    assert sums.rows[0][-1] == ""


def test_only_the_pairs_and_changes_with_the_most_requests_are_listed() -> None:
    differing = [AnswerDifference(DifferenceKind.VALUE, f"field{number}") for number in range(40)]
    found = report_of(*(record(differing[number], pair=f"P{number}") for number in range(40)))
    ((_, (sums, changes)),) = endpoint_tables(found)
    assert (len(sums.rows), len(changes.rows)) == (21, 30)
    assert sums.caption.startswith("20 other pairs")
    assert changes.caption.startswith("10 other changes")


def test_the_page_escapes_what_came_from_outside_and_has_no_scripts() -> None:
    evil = AnswerDifference(DifferenceKind.VALUE, "<script>alert(1)</script>", "<b>", "</td>")
    page = shadow_page(report_of(record(evil, endpoint="/<i>")))
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "Of 1 request 0 would have the same answer." in page


def test_records_are_read_as_they_were_written_and_a_cut_line_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "differences.jsonl"
    log = ShadowLog(path)
    log.write(record(NUMBER, MISSING))
    log.close()
    with path.open("ab") as file:
        file.write(b'{"at":"2026-11-\n')
    assert list(read_records(log_files(path))) == [record(NUMBER, MISSING), None]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_large_log_is_rotated_and_read_from_the_oldest_on(tmp_path: Path) -> None:
    path = tmp_path / "differences.jsonl"
    log = ShadowLog(path, most_bytes=len(msgspec.json.encode(record())))
    for minute in range(9):
        log.write(record(at=NOW + timedelta(minutes=minute)))
    log.close()
    moments = [each.at for each in read_records(log_files(path)) if each is not None]
    assert moments == sorted(moments)
    assert len(log_files(path)) <= 4
    assert moments[-1] == NOW + timedelta(minutes=8)


def test_a_log_that_is_missing_or_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadParameter, match="There is no log"):
        log_files(tmp_path / "none")
    with pytest.raises(CannotStart, match="The log of differences cannot be written to"):
        ShadowLog(tmp_path / "none" / "x")
