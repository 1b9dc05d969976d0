"""Problems: what is listed, who acknowledges it, and what is left of it when it has ended."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cambist.admin.operators.audit import AuditFilter, audit_entries
from cambist.admin.operators.problems import ProblemAdmin
from cambist.errors import BadParameter
from cambist.settings import Settings
from cambist.status.alarm import Alarm, EndedAlarm, RecordedAlarms, Trouble, with_history
from cambist.storage.json_file import write_json_file

NOW = datetime(2026, 11, 20, 3, tzinfo=UTC)
DISK = Trouble("disk:", "The disk is nearly full")
SOURCE = Trouble("source:ecb", "The source ecb is late")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    record(tmp_path, Alarm(DISK, NOW, told=1), Alarm(SOURCE, NOW - timedelta(hours=1)))
    (tmp_path / "environment").write_text("live")
    return Settings(data=tmp_path)


@pytest.fixture
def admin(settings: Settings) -> ProblemAdmin:
    return ProblemAdmin(settings, lambda: NOW, "console 7")


def record(folder: Path, *alarms: Alarm) -> None:
    write_json_file(folder / "alarms.json", RecordedAlarms({each.trouble.key: each for each in alarms}))


def listed(admin: ProblemAdmin) -> list[tuple[str, bool]]:
    return [(each.alarm.trouble.key, each.acknowledged is not None) for each in admin.problems()]


def test_a_new_folder_has_no_problem(tmp_path: Path) -> None:
    admin = ProblemAdmin(Settings(data=tmp_path), lambda: NOW)
    assert (admin.problems(), admin.history()) == ([], ())


def test_an_acknowledged_problem_stays_listed_behind_the_others(admin: ProblemAdmin, settings: Settings) -> None:
    assert listed(admin) == [("source:ecb", False), ("disk:", False)]
    admin.acknowledge("source:ecb", "down until Monday")
    assert listed(admin) == [("disk:", False), ("source:ecb", True)]
    made = admin.problems()[1].acknowledged
    assert made is not None
    assert (made.who, made.at, made.note) == ("console 7", NOW, "down until Monday")
    (entry,) = audit_entries(settings, AuditFilter())
    assert (entry.action, entry.on, entry.detail) == ("problem.acknowledge", "source:ecb", "down until Monday")


def test_an_acknowledgement_is_withdrawn_once(admin: ProblemAdmin) -> None:
    admin.acknowledge("disk:")
    admin.withdraw("disk:")
    assert ("disk:", False) in listed(admin)
    with pytest.raises(BadParameter, match=r"\[disk:\] is not acknowledged"):
        admin.withdraw("disk:")


def test_a_problem_that_is_worse_or_began_again_is_new(admin: ProblemAdmin, settings: Settings) -> None:
    admin.acknowledge("disk:")
    record(settings.data, Alarm(Trouble("disk:", "The disk is full", 2), NOW))
    assert listed(admin) == [("disk:", False)]
    record(settings.data, Alarm(DISK, NOW))
    assert listed(admin) == [("disk:", True)]
    record(settings.data, Alarm(DISK, NOW + timedelta(minutes=1)))
    assert listed(admin) == [("disk:", False)]


def test_what_has_gone_is_not_listed(admin: ProblemAdmin, settings: Settings) -> None:
    record(settings.data, Alarm(DISK, NOW, told=1, gone_since=NOW))
    assert listed(admin) == []


@pytest.mark.parametrize(("key", "note"), [("source:ecbb", ""), ("disk:", "two\nlines"), ("disk:", "x" * 201)])
def test_an_unknown_problem_and_a_wrong_note_are_refused(admin: ProblemAdmin, key: str, note: str) -> None:
    with pytest.raises(BadParameter):
        admin.acknowledge(key, note)
    assert listed(admin) == [("source:ecb", False), ("disk:", False)]


def test_the_history_has_a_bound_in_days_and_in_number() -> None:
    def ended(days: int) -> EndedAlarm:
        return EndedAlarm(f"source:{days}", "late", NOW - timedelta(days=days, hours=1), NOW - timedelta(days=days))

    history = with_history([ended(2)], [ended(1), ended(30), ended(31)], NOW, 30, 500)
    assert [each.key for each in history] == ["source:1", "source:2", "source:30"]
    assert [each.key for each in with_history([ended(2)], history, NOW, 30, 2)] == ["source:1", "source:2"]
