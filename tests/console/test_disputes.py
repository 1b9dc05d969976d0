"""The console's disputes: what sources say, what each choice would serve, and the operator's decisions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest
from tests.console.conftest import Browser
from tests.disputes import file_dispute

from cambist.settings import Settings
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.sql import SqlStore

DAY = date(2026, 11, 20)


@pytest.fixture(autouse=True)
def wrong_days(settings: Settings) -> list[date]:
    store = SqlStore(settings.database_url)
    days = file_dispute(store.archive, DAY)
    store.close()
    return days


def test_disputes_are_listed_with_decisions(browser: Browser, wrong_days: list[date]) -> None:
    found = browser.get("/disputes").json
    assert (found["total"], found["complete"], found["decisions"]) == (1, True, [])
    (dispute,) = found["disputes"]
    assert (dispute["code"], dispute["since"], dispute["served"]["source"]) == ("EUR", str(wrong_days[0]), "fed")


def test_a_dispute_is_shown_with_what_each_choice_would_serve(browser: Browser) -> None:
    found = browser.get("/disputes/EUR").json
    assert found["is_open"]
    served = {(each["accepts"], *each["sources"]): each["serves"]["source"] for each in found["choices"]}
    assert (served[True, "ecb"], served[False, "ecb"]) == ("ecb", "fed")


@pytest.mark.long(every=2)
@pytest.mark.parametrize("verb", ["accept", "reject"])
def test_a_level_is_decided_and_taken_back(
    browser: Browser, settings: Settings, audited: Callable[..., list], verb: str
) -> None:
    version = data_changes(settings.data).version(Topic.ARCHIVE)
    body = {"level": "0.0868", "from": "2026-11-19", "until": "2026-12-31", "reason": "by telephone"}
    done = browser.post(f"/disputes/EUR/{verb}", body).json["decision"]
    assert (done["decision"], done["level"], done["from"], done["until"]) == (
        verb,
        "0.0868",
        body["from"],
        body["until"],
    )
    assert data_changes(settings.data).version(Topic.ARCHIVE) != version
    assert audited() == [(f"dispute.{verb}", "EUR", "done")]
    found = browser.get("/disputes").json
    assert (found["total"], [each["holds"] for each in found["decisions"]]) == (0, [True])
    back = browser.post("/disputes/take-back", {"number": done["number"], "reason": "a typo"}).json["decision"]
    assert back["taken_back_by"] == 2
    entry = browser.get("/audit?action=dispute.take-back").json["entries"][0]
    assert entry["detail"].endswith("until 2026-12-31: a typo")
    assert browser.get("/disputes").json["total"] == 1


@pytest.mark.long(every=6)
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("EUR/accept", {"level": "one"}),
        ("EUR/accept", {"level": "1", "from": "soon"}),
        ("EUR/accept", {"level": "1", "days": 3}),
        ("XXX/reject", {"level": "1"}),
        ("take-back", {"number": 1}),
        ("take-back", {"number": 10**30}),
    ],
)
def test_a_wrong_decision_is_refused(browser: Browser, path: str, body: object) -> None:
    assert browser.post(f"/disputes/{path}", body).refusal == (400, "bad_parameter")


def test_an_unknown_code_is_refused(browser: Browser) -> None:
    assert browser.get("/disputes/none").refusal == (400, "bad_parameter")


def test_several_decisions_are_previewed_and_taken_at_once(browser: Browser, audited: Callable[..., list]) -> None:
    wanted = [
        {"code": "EUR", "level": "ecb", "accepts": False},
        {"code": "EUR", "source": "fed", "until": "2026-12-31"},
    ]
    previews = browser.post("/disputes/preview", {"decisions": wanted}).json["previews"]
    assert [(each["decision"], each["source"], each["now"]["source"]) for each in previews] == [
        ("reject", None, "fed"),
        ("leave out", "fed", "fed"),
    ]
    assert browser.get("/disputes").json["decisions"] == []
    done = browser.post("/disputes/decide", {"decisions": wanted}).json["decisions"]
    assert [each["decision"] for each in done] == ["reject", "leave out"]
    assert audited(2) == [("source.leave-out", "fed", "done"), ("dispute.reject", "EUR", "done")]
    listed = browser.get("/disputes").json["decisions"]
    assert [(each["source"], each["level"] is None, each["until"]) for each in listed] == [
        ("fed", True, "2026-12-31"),
        (None, False, None),
    ]


def test_of_several_decisions_a_wrong_one_stops_all(browser: Browser) -> None:
    wanted = [{"code": "EUR", "level": "ecb", "accepts": True}, {"code": "EUR", "source": "fed"}]
    refused = browser.post("/disputes/decide", {"decisions": wanted})
    assert refused.json["error"] == "Missing until: name the last day on which the source is left out"
    assert browser.post("/disputes/preview", {"decisions": []}).refusal == (400, "bad_parameter")
    assert browser.get("/disputes").json["decisions"] == []


def test_disputes_are_filtered_by_the_source_that_is_held(browser: Browser) -> None:
    assert [each["code"] for each in browser.get("/disputes?source=ecb").json["disputes"]] == ["EUR"]
    assert browser.get("/disputes?source=fed").json["disputes"] == []
