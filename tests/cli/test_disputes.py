"""`cambist disputes`: list disputes, look at choices, decide, take back, and notify the ingest process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.disputes import file_dispute

from cambist.admin.operators.audit import AuditFilter, audit_entries
from cambist.errors import StoreBroken
from cambist.history.dispute import Dispute, Disputes
from cambist.settings import Settings
from cambist.status.source_report import SourceReports
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import write_json_file
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.sql import SqlStore
from cambist.storage.sql.verdicts import SqlVerdicts

Shell = Callable[..., Any]
ErrorOf = Callable[..., str]
WRONG, FAIR = "0.0868", "0.868"


@pytest.fixture
def store(folder: Path) -> Iterator[SqlStore]:
    """A store in which the ECB disputes what the others say about the euro, since two days."""
    store = SqlStore(f"sqlite:///{folder / 'cambist.db'}")
    yield store
    store.close()


@pytest.fixture(autouse=True)
def wrong_days(store: SqlStore) -> list[date]:
    return file_dispute(store.archive, datetime.now(UTC).date())


def notifications(folder: Path) -> int:
    return data_changes(folder).version(Topic.ARCHIVE)


def audited(folder: Path) -> list[tuple[str, str, str]]:
    entries = audit_entries(Settings(data=folder), AuditFilter())
    return [(each.action, each.on, each.result) for each in entries if each.action.startswith("dispute")]


def report(folder: Path, disputes: Disputes, age: timedelta = timedelta()) -> None:
    """Write what a running service reports."""
    written = SourceReports(datetime.now(UTC) - age, (), disputes=disputes)
    write_json_file(DataDirectory(folder).source_reports, written)


def test_disputes_are_listed_with_what_is_served(shell: Shell, wrong_days: list[date]) -> None:
    (line,) = (line for line in shell("disputes", "list").out.splitlines() if " EUR " in line)
    assert all(word in line for word in (str(wrong_days[0]), "disputed", " fed ", " ecb ", "0.08"))
    (found,) = shell("disputes", "list", "--json").json
    assert (found["code"], found["since"], found["served"]["source"]) == ("EUR", str(wrong_days[0]), "fed")
    assert [each["status"] for each in found["fixings"] if each["source"] == "ecb"] == ["held"]


def test_the_list_of_a_running_service_is_the_one_that_it_reports(shell: Shell, folder: Path) -> None:
    day = date(2026, 3, 9)
    reported = Dispute("SEK", day, day, "held", None, None, None, ())
    report(folder, Disputes((reported,), 3))
    found = shell("disputes", "list")
    assert "SEK" in found.out
    assert "EUR" not in found.out
    assert found.err == "2 more are not listed.\n"
    report(folder, Disputes((reported,), 1), timedelta(minutes=1))
    assert [each["code"] for each in shell("disputes", "list", "--json").json] == ["EUR"]


@pytest.mark.long
def test_a_list_that_does_not_follow_the_last_decision_says_so(shell: Shell, folder: Path) -> None:
    report(folder, Disputes())
    assert shell("disputes", "list").err == ""
    number = shell("disputes", "reject", "EUR", WRONG, "--json").json["number"]
    assert shell("disputes", "list").err == "The service still judges: the list may change within seconds.\n"
    report(folder, Disputes(decision=number))
    assert shell("disputes", "list").err == ""


def test_what_sources_say_is_shown_with_what_each_choice_would_serve(shell: Shell) -> None:
    text = shell("disputes", "show", "eur").out
    assert text.startswith("EUR is disputed since ")
    assert "it is wrong by the factor of a unit" in text
    choices = [line.split()[1] for line in text.splitlines() if " accept " in line or " reject " in line]
    assert choices == ["accept", "reject"] * 2
    found = shell("disputes", "show", "EUR", "--json").json
    assert {(each["accepts"], each["serves"]["source"]) for each in found["choices"] if "ecb" in each["sources"]} == {
        (True, "ecb"),
        (False, "fed"),
    }


@pytest.mark.parametrize(("verb", "level", "served"), [("accept", "ecb", "ecb"), ("reject", WRONG, "fed")])
def test_a_decision_settles_a_dispute_and_is_recorded(
    shell: Shell, folder: Path, store: SqlStore, wrong_days: list[date], *, verb: str, level: str, served: str
) -> None:
    preview = shell("disputes", verb, "EUR", level, "--preview")
    assert f" by {served} for {wrong_days[1]}" in preview.out
    assert (store.verdicts.decisions(), audited(folder)) == ([], [])
    before = notifications(folder)
    done = shell("disputes", verb, "EUR", level, "--reason", "by telephone", "--json").json
    assert (done["decision"], done["from"], done["until"], done["holds"]) == (verb, str(wrong_days[0]), None, True)
    assert notifications(folder) != before
    assert audited(folder) == [(f"dispute.{verb}", "EUR", "done")]
    assert shell("disputes", "list", "--json").json == []
    assert shell("disputes", "show", "EUR", "--json").json["dispute"]["served"]["source"] == served
    assert [each["reason"] for each in shell("disputes", "decisions", "--json").json] == ["by telephone"]


def test_a_decision_that_is_repeated_is_not_taken_twice(shell: Shell, store: SqlStore) -> None:
    days = ("--from", "2026-01-01", "--until", "2027-12-31")
    first = shell("disputes", "reject", "EUR", WRONG, *days, "--json").json
    assert shell("disputes", "reject", "EUR", WRONG, *days, "--json").json == first
    assert (first["from"], first["until"]) == ("2026-01-01", "2027-12-31")
    shell("disputes", "reject", "EUR", WRONG, "--from", "2026-01-02")
    assert len(store.verdicts.decisions()) == 2


def test_a_decision_is_taken_back_and_stays_on_record(shell: Shell, error_of: ErrorOf, folder: Path) -> None:
    shell("disputes", "accept", "EUR", "ecb")
    assert " by fed for " in shell("disputes", "take-back", "1", "--preview").out
    before = notifications(folder)
    assert shell("disputes", "take-back", "1", "--reason", "a typo").out == "Decision 1 was taken back.\n"
    assert notifications(folder) != before
    (record,) = shell("disputes", "decisions", "--json").json
    assert (record["holds"], record["taken_back_by"]) == (False, 2)
    assert [each["code"] for each in shell("disputes", "list", "--json").json] == ["EUR"]
    assert error_of("disputes", "take-back", "1") == "Decision [1] was taken back by [2]"
    assert error_of("disputes", "take-back", "9") == "There is no decision [9]: see [cambist disputes decisions]"
    assert [each[2][:7] for each in audited(folder)] == ["refused", "refused", "done", "done"]


@pytest.mark.long(every=3)
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("accept", "XXX", "1"), "No source has fixings of [XXX], which can be decided about"),
        (("accept", "EUR", "fedd"), "did you mean [fed]?"),
        (("reject", "EUR", "-1"), "Invalid level: [-1], it takes units per US dollar such as 1.25"),
        (("reject", "EUR", "nan"), "Invalid level: [nan]"),
        (("reject", "EUR", "1e999999"), "Invalid level: [1e999999]"),
        (("reject", "EUR", "77"), "is within 2 % of [77]: see [cambist disputes show EUR]"),
        (("reject", "EUR", "1", "--from", "soon"), "Invalid --from: [soon], it takes a day such as 2026-12-31"),
        (("reject", "EUR", WRONG, "--from", "2026-02-02", "--until", "2026-02-01"), "before it begins on 2026-02-02"),
    ],
)
def test_a_wrong_decision_is_refused_and_nothing_is_stored(
    error_of: ErrorOf, store: SqlStore, *, arguments: tuple[str, ...], sentence: str
) -> None:
    # A level that begins with a hyphen would be an option.
    given = [*arguments[:2], "--", *arguments[2:]] if arguments[2] == "-1" else arguments
    assert sentence in error_of("disputes", *given)
    assert store.verdicts.decisions() == []


def test_a_decision_that_cannot_be_stored_is_recorded_as_such(
    error_of: ErrorOf, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise StoreBroken("The database is broken")

    monkeypatch.setattr(SqlVerdicts, "decide", broken)
    assert error_of("disputes", "reject", "EUR", WRONG) == "The database is broken"
    assert audited(folder) == [("dispute.reject", "EUR", "refused: The database is broken")]


def test_a_folder_without_an_archive_is_refused(error_of: ErrorOf, tmp_path: Path) -> None:
    error = error_of("disputes", "list", "--data", str(tmp_path / "nothing"))
    assert error.startswith("There is no archive in ")


def test_the_held_fixings_of_a_source_are_shown_and_decided_at_once(shell: Shell, error_of: ErrorOf) -> None:
    shown = shell("disputes", "held", "ecb", "--json").json
    assert [(each["code"], each["decision"], each["now"]["source"]) for each in shown] == [
        ("EUR", "accept", "fed"),
        ("EUR", "reject", "fed"),
    ]
    assert shown[0]["serves"]["source"] == "ecb"
    assert "Would serve" in shell("disputes", "held", "ecb").out
    assert "not both" in error_of("disputes", "held", "ecb", "--accept", "--reject")
    assert "did you mean [ecb]" in error_of("disputes", "held", "ecbb")
    assert shell("disputes", "held", "ecb", "--reject").out.startswith("Decision 1: reject 0.08")
    assert shell("disputes", "held", "ecb").out == "No newest fixing of ecb is held in a dispute\n"


def test_a_source_is_left_out_for_a_code_until_a_day(shell: Shell, error_of: ErrorOf) -> None:
    until = str(datetime.now(UTC).date() + timedelta(days=30))
    assert "fed" in shell("disputes", "leave-out", "EUR", "fed", "--until", until, "--preview").out
    assert shell("disputes", "decisions", "--json").json == []
    done = shell("disputes", "leave-out", "EUR", "fed", "--until", until, "--reason", "broken", "--json").json[0]
    assert (done["decision"], done["source"], done["level"], done["until"]) == ("leave out", "fed", None, until)
    assert "leave out" in shell("disputes", "decisions").out
    assert "has no fixings of [EUR]" in error_of("disputes", "leave-out", "EUR", "cbc", "--until", until)
    shell("disputes", "take-back", "1")
    assert not shell("disputes", "decisions", "--json").json[0]["holds"]
