"""The console's problems and runbook, and what the overview says of them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.console.conftest import Browser, Clock

from cambist.settings import Settings
from cambist.status.alarm import Alarm, EndedAlarm, RecordedAlarms, Trouble
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import write_json_file


@pytest.fixture(autouse=True)
def _alarms(settings: Settings, clock: Clock) -> None:
    troubles = (
        Trouble("quota:shop", "The account shop has used 100 % of its quota", 2, at_once=True),
        Trouble("quota:desk", "The account desk has used 80 % of its quota", 1, at_once=True),
        Trouble("source:ecb", "The source ecb is late"),
    )
    ended = EndedAlarm("disk:", "The disk is full", clock.now - timedelta(hours=3), clock.now - timedelta(hours=1))
    alarms = {each.key: Alarm(each, clock.now, told=each.level) for each in troubles}
    write_json_file(DataDirectory(settings.data).alarms, RecordedAlarms(alarms, (ended,)))


def test_problems_are_listed_with_what_has_ended(browser: Browser) -> None:
    found = browser.get("/problems").json
    assert [(each["key"], each["kind"]) for each in found["problems"]] == [
        ("quota:shop", "quota"),
        ("quota:desk", "quota"),
        ("source:ecb", "source"),
    ]
    assert [(each["key"], each["seconds"]) for each in found["ended"]] == [("disk:", 7200)]
    assert found["ended_page"] == {"total": 1, "page": 1, "pages": 1}


def test_the_overview_counts_problems_and_quotas_that_nobody_has_acknowledged(browser: Browser) -> None:
    found = browser.get("/overview").json
    assert (found["problems_open"], found["problems_acknowledged"]) == (3, 0)
    assert found["quotas"] == {"near": 1, "over": 1}
    made = browser.post("/problems/acknowledge", {"key": "quota:shop", "note": "they pay tomorrow"})
    assert made.json["problem"]["acknowledged"]["note"] == "they pay tomorrow"
    found = browser.get("/overview").json
    assert (found["problems_open"], found["problems_acknowledged"]) == (2, 1)
    assert found["quotas"] == {"near": 1, "over": 0}
    assert browser.get("/problems").json["problems"][-1]["key"] == "quota:shop"
    assert browser.post("/problems/withdraw", {"key": "quota:shop"}).status == 200
    assert browser.get("/overview").json["quotas"] == {"near": 1, "over": 1}


def test_a_problem_that_is_none_is_refused(browser: Browser) -> None:
    refused = browser.post("/problems/acknowledge", {"key": "source:ecbb"})
    assert refused.refusal == (400, "bad_parameter")
    assert refused.json["error"] == "There is no problem [source:ecbb] now; did you mean [source:ecb]?"


def test_the_runbook_has_every_kind_of_problem(browser: Browser) -> None:
    kinds = {each["kind"] for each in browser.get("/runbook").json["entries"]}
    assert {each["kind"] for each in browser.get("/problems").json["problems"]} <= kinds
