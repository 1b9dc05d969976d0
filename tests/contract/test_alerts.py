"""`/alerts`: what an account may ask to be told of, what it costs, and what is refused."""

from __future__ import annotations

import json

import pytest
from msgspec import structs
from tests.conftest import KEY, OWNER, PLANS

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest, mint
from cambist.accounts.keyless_access import PAGE
from cambist.api.state.alert_book import AlertBook
from cambist.errors import StoreBroken

LEVEL = {"when": "above", "from": "eur", "to": "usd", "level": 1.25, "deliver": "stream"}
HOOK = LEVEL | {"deliver": "webhook", "address": "https://hooks.example.org/a"}
OTHER = mint(lambda alphabet: alphabet[13])


def post(client, path, question, **rest):
    headers = {"Content-Type": "application/json"}
    return client.request("POST", path, body=json.dumps(question).encode(), headers=headers, **rest)


def allow(client, **rest):
    """Let the service have other ways."""
    readers = client.worker_state.readers
    book = AlertBook(readers.alerts.alerts, readers.alerts.pool, **rest)
    object.__setattr__(readers, "alerts", book)
    return client


def test_an_alert_is_added_listed_tried_and_removed(client):
    added = post(client, "/alerts/add", HOOK | {"repeat": True, "note": "buy"})
    assert (added.status, added.headers["x-calls-cost"], added.headers["cache-control"]) == (200, "1", "no-store")
    alert = added.json["alert"]
    assert alert == {
        "id": 1, "when": "above", "from": "EUR", "to": "USD", "level": 1.25, "deliver": "webhook",
        "address": "https://hooks.example.org/a", "repeat": True, "note": "buy",
        "created_at": "2026-11-20T12:00:00Z", "fired": 0,
    }  # fmt: skip
    assert added.json["secret"].startswith("whsec_")
    assert post(client, "/alerts/test", {"id": 1}).json["event"] == 1
    listed = client.get("/alerts")
    assert listed.json["alerts"] == [alert]
    (event,) = listed.json["events"]
    assert (event["alert"], event["test"], event["deliver"], event["attempts"]) == (1, True, "webhook", 0)
    assert "whsec_" not in listed.text
    removed = post(client, "/alerts/remove", {"id": 1})
    assert (removed.json["removed"], removed.headers["x-calls-cost"]) == (1, "0")
    assert client.get("/alerts").json["alerts"] == []


def test_what_is_listed_is_never_an_answer_of_before(client):
    for count in range(3):
        assert len(client.get("/alerts").json["alerts"]) == count
        post(client, "/alerts/add", LEVEL)


def test_an_account_has_alerts_of_its_own(make_client):
    other = StoredKey(2, Account(2, "other", "unlimited"))
    client = make_client(stored_keys={digest(KEY): OWNER, digest(OTHER): other})
    post(client, "/alerts/add", LEVEL)
    assert client.get("/alerts", key=OTHER).json["alerts"] == []
    for path in ("/alerts/remove", "/alerts/test"):
        refused = post(client, path, {"id": 1}, key=OTHER)
        assert (refused.status, refused.headers["x-calls-cost"]) == (400, "0")
        assert "Unknown alert: [1]" in refused.json["error"]
    assert len(client.get("/alerts").json["alerts"]) == 1


def test_visitors_of_an_open_page_neither_see_nor_add_alerts_of_who_pays_for_them(make_client):
    client = make_client(stored_keys={digest(KEY): OWNER, PAGE: StoredKey(0, OWNER.account)})
    post(client, "/alerts/add", LEVEL)
    page = {"Cambist-Page": "1", "Content-Type": "application/json"}
    seen = client.get("/alerts", key=None, headers=page)
    assert (seen.status, seen.json["code"]) == (401, "key_missing")
    for path, question in (("/alerts/add", LEVEL), ("/alerts/remove", {"id": 1}), ("/alerts/test", {"id": 1})):
        body = json.dumps(question).encode()
        assert client.request("POST", path, body=body, key=None, headers=dict(page)).status == 401
    assert len(client.get("/alerts").json["alerts"]) == 1


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"to": "ZZZ"}, "unsupported target currency: [ZZZ]"),
        ({"to": "EUR"}, "Invalid to: [EUR]"),
        ({"from": "GBX"}, "Invalid currency: [GBX]"),
        ({"from": "XAU", "to": "BTC"}, "Coins are not priced in metals"),
        ({"level": -1}, "Invalid level: [-1]"),
        ({"level": "1e999999"}, "is not a rate"),
        ({"level": "1e-99"}, "is not a rate"),
        ({"level": "1." + "1" * 40}, "is not a rate"),
        ({"level": None}, "Missing [level]"),
        ({"low": 1}, "Unneeded [low]"),
        ({"when": "over"}, "Invalid body at [when]"),
        ({"deliver": "sms"}, "Invalid body at [deliver]"),
        ({"deliver": "email"}, "this service sends no e-mail"),
        ({"deliver": "webhook"}, "needs an [address]"),
        ({"deliver": "webhook", "address": "http://hooks.example.org/"}, "alerts are sent by https"),
        ({"deliver": "webhook", "address": "https://10.0.0.1/"}, "is not on the internet"),
        ({"when": "moves", "level": None, "change": "x", "within": "PT1H"}, "Invalid change: [x]"),
        ({"when": "moves", "level": None, "change": "1%", "within": "1 hour"}, "Invalid body at [within]"),
        ({"account": 2}, "Invalid body"),
        ({"note": "x" * 300}, "Invalid note"),
    ],
)
def test_a_wrong_definition_is_refused_and_costs_nothing(client, changed, says):
    question = {name: value for name, value in (LEVEL | changed).items() if value is not None}
    refused = post(client, "/alerts/add", question)
    assert (refused.status, refused.headers["x-calls-cost"]) == (400, "0"), refused.text
    assert says in refused.json["error"]
    assert client.get("/alerts").json["alerts"] == []


def test_a_source_that_does_not_exist_is_refused(client):
    refused = post(client, "/alerts/add", {"when": "published", "source": "ebc", "deliver": "stream"})
    assert (refused.status, refused.json["error"]) == (400, "Unknown source: [ebc]; did you mean [ecb]?")
    assert post(client, "/alerts/add", {"when": "published", "source": "ECB", "deliver": "stream"}).status == 200


def test_what_can_never_happen_is_refused(client, make_client):
    quota = {"when": "quota", "change": "80%", "deliver": "stream"}
    refused = post(client, "/alerts/add", quota)
    assert (refused.status, "has no quota" in refused.json["error"]) == (400, True)
    counted = make_client(plans=PLANS | {"unlimited": structs.replace(PLANS["unlimited"], calls_a_month=9)})
    assert post(counted, "/alerts/add", quota).status == 200
    reports = client.worker_state.source_reports
    off = [structs.replace(each, enabled=False) for each in reports.reports]
    client.worker_state.apply_source_reports(structs.replace(reports, reports=tuple(off)))
    refused = post(client, "/alerts/add", {"when": "published", "source": "ecb", "deliver": "stream"})
    assert (refused.status, "is not asked" in refused.json["error"]) == (400, True)


def test_e_mail_goes_to_the_address_of_the_account_only(make_client):
    mailed = StoredKey(1, Account(1, "owner", "unlimited", email="a@example.org"))
    for stored, status in ((OWNER, 400), (mailed, 200)):
        client = allow(make_client(stored_keys={digest(KEY): stored}), has_mail=True)
        assert post(client, "/alerts/add", LEVEL | {"deliver": "email"}).status == status
    assert post(client, "/alerts/add", LEVEL | {"deliver": "email", "address": "b@example.org"}).status == 400


def test_an_operator_may_allow_receivers_in_private_networks(client):
    question = HOOK | {"address": "http://127.0.0.1:8080/"}
    assert post(client, "/alerts/add", question).status == 400
    assert post(allow(client, allows_private=True), "/alerts/add", question).status == 200


@pytest.mark.parametrize(
    ("tags", "changed", "group"),
    [
        (("admin", "stream"), {}, "currency"),
        (("admin", "stream", "currency"), {"from": "XAU"}, "metals"),
        (("admin", "stream", "currency"), {"from": "BTC"}, "crypto"),
        (("admin", "currency"), {}, "stream"),
    ],
)
def test_what_a_plan_does_not_include_is_not_watched(make_client, tags, changed, group):
    plan = structs.replace(PLANS["unlimited"], tags=tags)
    client = make_client(plans=PLANS | {"unlimited": plan})
    refused = post(client, "/alerts/add", LEVEL | changed)
    assert (refused.status, refused.json["code"]) == (403, "not_in_plan")
    assert f"[{group}]" in refused.json["error"]


def test_a_plan_limits_how_many_there_are(make_client):
    client = make_client(plans=PLANS | {"unlimited": structs.replace(PLANS["unlimited"], alerts=2)})
    assert [post(client, "/alerts/add", LEVEL).status for _ in range(3)] == [200, 200, 403]
    post(client, "/alerts/remove", {"id": 1})
    assert post(client, "/alerts/add", LEVEL).status == 200


def test_a_spent_quota_adds_nothing_and_still_removes(make_client):
    client = make_client(plans=PLANS | {"unlimited": structs.replace(PLANS["unlimited"], calls_a_month=1)})
    assert post(client, "/alerts/add", LEVEL).status == 200
    refused = post(client, "/alerts/add", LEVEL)
    assert (refused.status, refused.json["code"]) == (429, "quota_spent")
    assert len(client.worker_state.readers.alerts.alerts.kept) == 1
    assert post(client, "/alerts/test", {"id": 1}).status == 429
    assert post(client, "/alerts/remove", {"id": 1}).status == 200


@pytest.mark.parametrize(
    ("path", "question"),
    [("/alerts", None), ("/alerts/add", LEVEL), ("/alerts/remove", {"id": 1}), ("/alerts/test", {"id": 1})],
)
def test_a_database_that_fails_is_a_503_that_says_when_to_try_again(client, monkeypatch, caplog, path, question):
    def fails(*_given):
        raise StoreBroken("The database cannot be used: secret details")

    alerts = client.worker_state.readers.alerts.alerts
    for method in ("create", "of_account", "remove", "try_out"):
        monkeypatch.setattr(alerts, method, fails)
    reply = client.get(path) if question is None else post(client, path, question)
    assert (reply.status, reply.headers["retry-after"], reply.headers["x-calls-cost"]) == (503, "60", "0")
    assert reply.json == {"error": "The database cannot be used now", "code": "rate_unavailable"}
    (record,) = [each for each in caplog.records if "secret details" in each.getMessage()]
    assert record.exc_info is None
