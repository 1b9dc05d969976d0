"""What the console shows and changes: accounts, keys, plans, usage, sources, and the audit log of all of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from tests.console.conftest import Browser, Clock

from cambist.accounts.account import OWNER
from cambist.accounts.plan import default_plans
from cambist.accounts.usage_counters import CounterTotal
from cambist.registry.sources.asked_sources import asked_at
from cambist.settings import Settings
from cambist.status.source_activity import ActivityCounts, SourceActivity
from cambist.status.source_report import SourceReport, SourceReports
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import write_json_file
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.sql import SqlStore

Audited = Callable[..., list[tuple[str, str, str]]]


@pytest.fixture
def alice(browser: Browser) -> dict[str, Any]:
    """The answer to the creation of an account."""
    made = browser.post("/accounts", {"name": "alice", "plan": "extra"})
    assert made.status == 201
    return made.json


def report(key: str, **rest: Any) -> SourceReport:
    facts = dict.fromkeys(("name", "home", "terms", "licence", "redistribution", "rate_type", "covers"), "a test's")
    return SourceReport(key=key, pace="daily", **{"enabled": True} | facts | rest)


@pytest.fixture
def _reports(settings: Settings, clock: Clock) -> None:
    failing = report("fed", failures=3, last_failure=clock.now, why="no answer in time")
    fresh = report("ecb", last_success=clock.now, newest=clock.now - timedelta(hours=2))
    off = report("imf", enabled=False, why="its terms")
    reports = SourceReports(clock.now, (fresh, failing, off))
    write_json_file(DataDirectory(settings.data).source_reports, reports)


# Accounts and keys


def test_an_account_is_created_with_a_key_that_is_shown_once(
    browser: Browser, alice: dict[str, Any], settings: Settings
) -> None:
    key = alice["created"]["key"]
    assert key.startswith(alice["created"]["prefix"])
    assert alice["account"]["plan"] == "extra"
    shown = browser.get("/accounts/alice")
    assert [each["state"] for each in shown.json["keys"]] == ["active"]
    assert key.encode() not in shown.content + browser.get("/accounts").content + browser.get("/audit").content
    assert key not in (settings.data / "audit.log").read_text()


def test_accounts_are_listed_by_page_and_found_by_name_or_plan(browser: Browser) -> None:
    for name in ("bea", "carl", "dora"):
        browser.post("/accounts", {"name": name, "plan": "extra"})
    first = browser.get("/accounts?per_page=3").json
    assert [each["name"] for each in first["accounts"]] == ["bea", "carl", "dora"]
    assert (first["total"], first["page"], first["pages"]) == (4, 1, 2)
    assert [each["name"] for each in browser.get("/accounts?per_page=3&page=2").json["accounts"]] == [OWNER]
    assert [each["name"] for each in browser.get("/accounts?search=ARL").json["accounts"]] == ["carl"]
    assert [each["name"] for each in browser.get("/accounts?search=unlim").json["accounts"]] == [OWNER]
    assert "extra" in first["plans"]


@pytest.mark.usefixtures("alice")
def test_accounts_are_filtered_by_state_and_ordered_by_the_server(browser: Browser, settings: Settings) -> None:
    alice = browser.get("/accounts/alice").json["account"]
    store = SqlStore(f"sqlite:///{settings.data / 'cambist.db'}")
    calls = alice["quota"] * 9 // 10
    store.usage.store_totals([CounterTotal(date(2026, 11, 20), 1, alice["number"], "/fetch-one", calls)])
    store.close()
    near = browser.get("/accounts?state=near").json
    assert [(each["name"], each["used"]) for each in near["accounts"]] == [("alice", calls)]
    assert browser.get("/accounts?state=over").json["total"] == 0
    for order, reverse, expected in (
        ("calls", "", ["alice", OWNER]),
        ("calls", "true", [OWNER, "alice"]),
        ("quota", "", ["alice", OWNER]),
    ):
        found = browser.get(f"/accounts?order={order}&reverse={reverse}").json
        assert [each["name"] for each in found["accounts"]] == expected
    assert browser.get("/accounts?page=7&per_page=1&order=calls").json["accounts"][0]["name"] == OWNER


def test_an_unknown_state_or_order_is_refused_with_what_there_is(browser: Browser) -> None:
    refused = browser.get("/accounts?state=spent")
    assert refused.refusal == (400, "bad_parameter")
    assert refused.json["error"] == "Unknown state: [spent], it is one of active, suspended, near, over"
    assert browser.get("/accounts?order=age").refusal == (400, "bad_parameter")


@pytest.mark.usefixtures("alice")
def test_a_note_is_kept_and_found(browser: Browser, audited: Audited) -> None:
    assert browser.post("/accounts/alice/note", {"note": "Pays by card"}).json["account"]["note"] == "Pays by card"
    assert audited() == [("account.change", "alice", "done")]
    assert [each["name"] for each in browser.get("/accounts?search=card").json["accounts"]] == ["alice"]
    for wrong in ("two\nlines", "x" * 201, " blank", "the key cmb_1234"):
        assert browser.post("/accounts/alice/note", {"note": wrong}).refusal == (400, "bad_parameter")


@pytest.mark.usefixtures("alice")
def test_an_account_is_suspended_resumed_and_moved(browser: Browser, settings: Settings) -> None:
    version = data_changes(settings.data).version(Topic.ACCOUNTS)
    assert browser.post("/accounts/alice/suspend").json["account"]["suspended"] is True
    assert data_changes(settings.data).version(Topic.ACCOUNTS) != version
    assert browser.post("/accounts/alice/resume").json["account"]["suspended"] is False
    assert browser.post("/accounts/alice/plan", {"plan": "unlimited"}).json["account"]["plan"] == "unlimited"


@pytest.mark.usefixtures("alice")
def test_the_address_of_an_account_is_changed(browser: Browser) -> None:
    made = browser.post("/accounts/alice/email", {"email": "alice@example.org"})
    assert made.json["account"]["email"] == "alice@example.org"
    assert browser.post("/accounts/alice/email", {"email": "no address"}).refusal == (400, "bad_parameter")
    assert browser.get("/accounts/alice").json["account"]["email"] == "alice@example.org"
    assert browser.post("/accounts/alice/email", {"email": ""}).json["account"]["email"] is None


@pytest.mark.usefixtures("alice")
def test_calls_are_added_to_a_quota(browser: Browser) -> None:
    before = browser.get("/accounts/alice").json["account"]["quota"]
    assert browser.post("/accounts/alice/buy", {"calls": 500}).json["account"]["quota"] == before + 500


@pytest.mark.usefixtures("alice")
def test_a_key_is_created_expires_and_is_revoked(browser: Browser, clock: Clock) -> None:
    made = browser.post("/accounts/alice/keys", {"name": "laptop", "expires_at": "2027-01-01"})
    assert (made.status, made.json["created"]["expires_at"]) == (201, "2027-01-01T00:00:00Z")
    path = f"/accounts/alice/keys/{made.json['created']['prefix']}"
    ending = browser.post(f"{path}/expire", {"at": "2026-12-24T18:00:00Z"}).json["key"]
    assert (ending["state"], ending["revoked_at"]) == ("ending", "2026-12-24T18:00:00Z")
    assert browser.post(f"{path}/revoke").json["key"]["state"] == "revoked"
    assert browser.post(f"{path}/revoke").refusal == (400, "bad_parameter")
    other = browser.post("/accounts/alice/keys", {"name": "other"}).json["created"]["prefix"]
    assert browser.post(f"/accounts/alice/keys/{other}/expire", {"at": "2026-01-01"}).refusal == (400, "bad_parameter")
    rotated = browser.post(f"/accounts/alice/keys/{other}/rotate", {"overlap": "PT1H"}).json
    assert rotated["old"]["revoked_at"] == f"{clock.now + timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}"
    assert rotated["created"]["key"].startswith(rotated["created"]["prefix"])


@pytest.mark.usefixtures("alice")
def test_refusals_are_the_sentences_of_the_commands(browser: Browser) -> None:
    taken = browser.post("/accounts", {"name": "alice", "plan": "extra"})
    assert taken.refusal == (409, "name_taken")
    wrong = browser.post("/accounts", {"name": "bob", "plan": "extr"})
    assert wrong.refusal == (400, "bad_parameter")
    assert wrong.json["error"] == "Unknown plan: [extr]; did you mean [extra]?"
    assert browser.get("/accounts/alic").json["error"] == "There is no account named [alic]; did you mean [alice]?"


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"plan": "extra"}, "name"),
        ({"name": "bob", "plan": 3}, "Invalid plan: it takes text, not a whole number"),
        ({"name": "bob", "plan": "extra", "colour": "red"}, "colour"),
        ([], "it takes a table"),
    ],
)
def test_a_wrong_body_is_refused_in_words(browser: Browser, body: object, sentence: str) -> None:
    refused = browser.post("/accounts", body)
    assert refused.refusal == (400, "bad_parameter")
    assert sentence in refused.json["error"]


@pytest.mark.parametrize("body", [b"{", b"name=bob", b"\xff", b"\x00"])
def test_a_body_that_is_no_json_is_refused(browser: Browser, body: bytes) -> None:
    assert browser.post("/accounts", body).refusal == (400, "bad_json")


@pytest.mark.parametrize("query", ["page=0", "page=x", "per_page=100000", "page=٣"])
def test_a_wrong_page_is_refused(browser: Browser, query: str) -> None:
    assert browser.send("GET", f"/console/api/accounts?{query}").refusal == (400, "bad_parameter")


# Plans


@pytest.mark.long
def test_plans_are_saved_and_applied(browser: Browser, settings: Settings) -> None:
    plans = browser.get("/plans").json
    assert plans["text"] == default_plans()
    text = plans["text"] + '\n[trial]\ntags = ["currency"]\ncalls_a_month = 10\n'
    saved = browser.post("/plans", {"text": text, "version": plans["version"]})
    assert saved.status == 200
    assert (saved.json["text"], saved.json["previous"], saved.json["applied"]) == (text, default_plans(), True)
    assert {each["name"]: each["accounts"] for each in saved.json["plans"]}["trial"] == 0
    assert (settings.data / "plans.current").read_text() == text
    (entry,) = [each for each in browser.get("/audit").json["entries"] if each["action"] == "plans.edit"]
    assert (entry["detail"], entry["result"]) == ("added trial", "done")


def test_wrong_plans_are_refused_with_the_place_and_nothing_is_written(browser: Browser, settings: Settings) -> None:
    plans = browser.get("/plans").json
    text = '[unlimited]\ntags = ["currency"]\n\n[free]\ntags = ["currency"]\nrate = "fast"\nburst = 3\n'
    refused = browser.post("/plans", {"text": text, "version": plans["version"]})
    assert refused.refusal == (400, "plans_refused")
    assert (refused.json["line"], refused.json["plan"], refused.json["field"]) == (6, "free", "rate")
    checked = browser.post("/plans/check", {"text": text}).json
    assert (checked["valid"], checked["line"], checked["field"]) == (False, 6, "rate")
    assert browser.post("/plans/check", {"text": "[free"}).json["line"] == 1
    assert (settings.data / "plans.toml").read_text() == default_plans()


@pytest.mark.usefixtures("alice")
def test_a_plan_in_use_cannot_be_removed(browser: Browser) -> None:
    checked = browser.post("/plans/check", {"text": '[unlimited]\ntags = ["currency"]\n'}).json
    assert checked["error"] == "plans.toml lacks the plan [extra] of the account [alice]"


def test_plans_that_were_edited_meanwhile_are_not_overwritten(browser: Browser, settings: Settings) -> None:
    plans = browser.get("/plans").json
    edited = default_plans() + "# by hand\n"
    (settings.data / "plans.toml").write_text(edited)
    refused = browser.post("/plans", {"text": default_plans(), "version": plans["version"]})
    assert refused.refusal == (409, "changed_meanwhile")
    assert (settings.data / "plans.toml").read_text() == edited
    assert browser.get("/plans").json["applied"] is False


# Usage


def test_usage_is_summed_by_day_account_and_endpoint(browser: Browser, settings: Settings) -> None:
    store = SqlStore(settings.database_url)
    owner = store.accounts.named(OWNER)
    assert owner is not None
    calls = [(date(2026, 11, 18), "/convert", 5), (date(2026, 11, 20), "/convert", 2), (date(2026, 11, 20), "/fx", 9)]
    store.usage.store_totals(
        CounterTotal(day, number, owner.number, path, count) for number, (day, path, count) in enumerate(calls)
    )
    store.close()
    found = browser.get("/usage?since=2026-11-18").json
    assert [(each["day"], each["calls"]) for each in found["by_day"]] == [
        ("2026-11-18", 5),
        ("2026-11-19", 0),
        ("2026-11-20", 11),
    ]
    assert found["by_account"] == [{"account": OWNER, "calls": 16}]
    assert found["by_endpoint"] == [{"endpoint": "/fx", "calls": 9}, {"endpoint": "/convert", "calls": 7}]
    assert (found["total"], len(found["rows"]), found["rows"][0]["day"]) == (16, 3, "2026-11-20")
    assert browser.get("/usage?since=2026-11-19&until=2026-11-19").json["total"] == 0
    assert len(browser.get("/usage").json["by_day"]) == 30
    assert browser.get("/usage?since=2026-11-20&until=2026-11-19").refusal == (400, "bad_parameter")
    assert browser.get("/usage?since=tomorrow").refusal == (400, "bad_parameter")


# Sources


@pytest.mark.usefixtures("_reports")
def test_sources_are_shown_with_their_state_and_last_error(browser: Browser) -> None:
    found = browser.get("/sources").json
    assert [(each["key"], each["condition"], each["can_ask"]) for each in found["sources"]] == [
        ("ecb", "fresh", True),
        ("fed", "failing", True),
        ("imf", "off", False),
    ]
    assert found["sources"][1]["why"] == "no answer in time"
    assert found["sources"][0]["lag_seconds"] == 7200


@pytest.mark.usefixtures("_reports")
def test_a_source_is_asked_now(browser: Browser, settings: Settings, clock: Clock, audited: Audited) -> None:
    version = data_changes(settings.data).version(Topic.ASKED)
    asked = browser.post("/sources/fed/ask")
    assert (asked.status, asked.json["key"]) == (202, "fed")
    assert asked_at(DataDirectory(settings.data), "fed") == clock.now
    assert data_changes(settings.data).version(Topic.ASKED) != version
    assert audited() == [("source.ask", "fed", "done")]
    assert browser.get("/sources").json["sources"][1]["asked_at"] == asked.json["asked_at"]


@pytest.mark.usefixtures("_reports")
def test_an_unknown_source_and_one_that_is_off_cannot_be_asked(browser: Browser) -> None:
    assert browser.post("/sources/fedd/ask").json["error"] == "Unknown source: [fedd]; did you mean [fed]?"
    assert browser.post("/sources/imf/ask").json["error"] == "The source [imf] is off: its terms"


def test_a_live_service_has_no_faults(browser: Browser) -> None:
    assert browser.get("/faults").refusal == (409, "not_here")


# Overview and audit log


@pytest.mark.usefixtures("_reports", "alice")
def test_the_overview_counts_what_there_is(browser: Browser, settings: Settings) -> None:
    found = browser.get("/overview").json
    assert (found["accounts"], found["disputes_open"], found["calls_today"]) == (2, 0, 0)
    assert (found["book"], found["matrix"], found["ready"]) == (None, None, True)
    assert found["disk"]["folder"] == str(settings.data.resolve())
    assert 0 < found["disk"]["used_bytes"] < found["disk"]["total_bytes"]


@pytest.mark.usefixtures("_reports")
def test_every_change_is_in_the_audit_log(browser: Browser, audited: Audited) -> None:
    browser.post("/accounts", {"name": "eve", "plan": "extra"})
    prefix = browser.post("/accounts/eve/keys").json["created"]["prefix"]
    plans = browser.get("/plans").json
    changes: list[tuple[str, object, str]] = [
        ("/accounts/eve/suspend", None, "account.suspend"),
        ("/accounts/eve/resume", None, "account.resume"),
        ("/accounts/eve/plan", {"plan": "unlimited"}, "account.plan"),
        ("/accounts/eve/plan", {"plan": "extra"}, "account.plan"),
        ("/accounts/eve/buy", {"calls": 5}, "account.buy"),
        (f"/accounts/eve/keys/{prefix}/expire", {"at": "2027-02-01"}, "key.expire"),
        (f"/accounts/eve/keys/{prefix}/revoke", None, "key.revoke"),
        ("/plans", {"text": plans["text"], "version": plans["version"]}, "plans.reload"),
        ("/sources/ecb/ask", None, "source.ask"),
    ]
    for path, body, action in changes:
        assert browser.post(path, body).status < 300, path
        assert action in [found for found, _, _ in audited(2)], path
    who = {each["who"] for each in browser.get("/audit?action=account").json["entries"]}
    assert {each.partition(" ")[0] for each in who} == {"console"}


@pytest.mark.usefixtures("alice")
def test_a_refused_change_is_in_the_audit_log(browser: Browser, audited: Audited) -> None:
    browser.post("/accounts/alice/plan", {"plan": "gold"})
    ((action, on, result),) = audited()
    assert (action, on, result.partition(":")[0]) == ("account.plan", "alice", "refused")


def test_the_audit_log_is_filtered_and_paged(browser: Browser, clock: Clock) -> None:
    for name in ("one", "two", "three"):
        clock.advance(minutes=1)
        browser.post("/accounts", {"name": name, "plan": "extra"})
    first = browser.get("/audit?limit=2").json
    assert [each["on"] for each in first["entries"]] == ["three", "two"]
    older = browser.get(f"/audit?limit=50&before={first['next_before']}").json
    assert older["entries"][0]["on"] == "one"
    assert older["next_before"] is None
    assert [each["on"] for each in browser.get("/audit?on=tw").json["entries"]] == ["two"]
    assert browser.get("/audit?who=cli&action=account").json["entries"] == []
    late = browser.get("/audit?since=2026-11-20T12:03:00Z").json["entries"]
    assert [each["on"] for each in late] == ["three"]


def test_the_last_day_of_each_source_is_shown_by_half_hours(browser: Browser, settings: Settings, clock: Clock) -> None:
    assert browser.get("/sources/activity").json == {"slot_seconds": 1800, "starts": [], "sources": {}}
    counts = ActivityCounts()
    counts.record_poll(clock.now - timedelta(hours=2), timedelta(seconds=2))
    counts.record_held(clock.now, 4)
    activity = SourceActivity(clock.now, {"ecb": counts.last_day(clock.now)})
    write_json_file(DataDirectory(settings.data).source_activity, activity)
    found = browser.get("/sources/activity").json
    assert (len(found["starts"]), found["starts"][-1]) == (48, "2026-11-20T12:00:00Z")
    columns = found["sources"]["ecb"]
    assert (columns["polls"][-5], columns["mean_ms"][-5], columns["held"][-1]) == (1, 2000, 4)
    assert (sum(columns["polls"]), columns["mean_ms"][0]) == (1, None)


def test_an_unexpected_error_is_answered_without_its_reason(
    browser: Browser, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("cambist.admin.accounts.account_admin.AccountAdmin.find", lambda *_: 1 / 0)
    refused = browser.get("/accounts")
    assert refused.refusal == (500, "internal")
    assert b"division" not in refused.content
    assert "division" in caplog.text
