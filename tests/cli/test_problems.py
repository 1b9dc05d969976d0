"""`cambist problems`: the list, the history, acknowledgements and the runbook."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from cambist.status.alarm import Alarm, EndedAlarm, RecordedAlarms, Trouble
from cambist.storage.json_file import write_json_file

Shell = Callable[..., Any]
ErrorOf = Callable[..., str]
NOW = datetime(2026, 11, 20, 3, tzinfo=UTC)


@pytest.fixture
def alarms(folder: Path) -> None:
    ended = EndedAlarm("disk:", "The disk was full", NOW - timedelta(hours=3), NOW)
    trouble = Trouble("source:ecb", "The source ecb is late")
    write_json_file(folder / "alarms.json", RecordedAlarms({trouble.key: Alarm(trouble, NOW)}, (ended,)))


@pytest.mark.usefixtures("alarms")
def test_a_problem_is_listed_and_acknowledged(shell: Shell, error_of: ErrorOf) -> None:
    assert "The source ecb is late" in shell("problems", "list").out
    shell("problems", "acknowledge", "source:ecb", "--note", "until Monday")
    (listed,) = shell("problems", "list", "--json").json
    assert listed["acknowledged"]["note"] == "until Monday"
    assert "until Monday" in shell("problems", "list").out
    shell("problems", "withdraw", "source:ecb")
    assert shell("problems", "list", "--json").json[0]["acknowledged"] is None
    assert "did you mean [source:ecb]" in error_of("problems", "acknowledge", "source:eccb")


@pytest.mark.usefixtures("alarms")
def test_what_has_ended_is_listed_with_how_long_it_lasted(shell: Shell) -> None:
    assert "3h" in shell("problems", "history").out
    assert shell("problems", "history", "--json").json[0]["seconds"] == 10800


def test_without_problems_it_says_so(shell: Shell) -> None:
    assert shell("problems", "list").out == "There is no problem now\n"
    assert shell("problems", "history").out == "No problem has ended within the last 30 days\n"


def test_the_runbook_is_printed_without_a_service(shell: Shell) -> None:
    assert "1. Look at what it calls" in shell("problems", "runbook", "quota").out
    assert len(shell("problems", "runbook", "--json").json) > 8
