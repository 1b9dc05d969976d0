"""`GET /sources`: the sources, their state, and what is stored from them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from msgspec import structs

from cambist.accounts.account import Account, DatetimeFormat, StoredKey
from cambist.accounts.api_key import digest
from cambist.accounts.plan import default_plans, read_plans
from cambist.status.source_report import SourceReport, SourceReports

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
PLANS = read_plans(default_plans(), "plans.toml")
FACTS = {
    "name": "The Mint",
    "home": "https://mint.example/",
    "terms": "https://mint.example/terms",
    "licence": "a test's",
    "redistribution": "unclear",
    "pace": "realtime",
    "rate_type": "market",
    "covers": "what a test needs",
}


def report(key="mint", **rest):
    return SourceReport(**{"key": key, "enabled": True} | FACTS | rest)


def source_reports(*reports, **rest):
    return SourceReports(NOW - timedelta(seconds=1), reports, **rest)


@pytest.fixture
def shown(client):
    """Show these source reports."""

    def shown(*reports, **rest):
        client.worker_state.apply_source_reports(source_reports(*reports, **rest))
        reply = client.get("/sources")
        assert reply.status == 200, reply.text
        return reply.json

    return shown


def test_a_source_has_all_its_fields(shown):
    full = report(
        why="a frame was refused",
        last_success=NOW - timedelta(seconds=2),
        newest=NOW - timedelta(milliseconds=2900),
        late_after=timedelta(minutes=2),
        codes=312,
        held=4,
        left_out=("EUR/USD on 2026-11-19 is no rate: [-]",),
        pairs=29,
        first=date(1999, 1, 4),
        last=date(2026, 11, 19),
    )
    answer = shown(full)
    assert list(answer) == ["environment", "updated", "sources", "ms"]
    assert answer | {"ms": 0} == {
        "environment": "live",
        "updated": "2026-11-20T11:59:59Z",
        "sources": {
            "mint": FACTS
            | {
                "state": "fresh",
                "why": "a frame was refused",
                "last_success": "2026-11-20T11:59:58Z",
                "newest": "2026-11-20T11:59:57Z",
                "lag": 2,
                "quoted": 312,
                "quarantined": 4,
                "left_out": ["EUR/USD on 2026-11-19 is no rate: [-]"],
                "history": {"pairs": 29, "first": "1999-01-04", "last": "2026-11-19"},
            }
        },
        "ms": 0,
    }


def test_a_source_without_data_says_that_it_is_waiting(shown):
    (source,) = shown(report())["sources"].values()
    assert source["state"] == "waiting"
    assert [source[name] for name in ("last_success", "newest", "lag")] == [None, None, None]
    assert source["history"] == {"pairs": 0, "first": None, "last": None}


def test_the_state_is_the_one_at_this_moment(shown):
    hour = timedelta(hours=1)
    told = {
        "fresh": report("fresh", newest=NOW - hour, late_after=hour),
        "late": report("late", newest=NOW - hour - timedelta(seconds=1), late_after=hour),
        "held": report("held", newest=NOW - hour, late_after=hour, held=2, only_held=True),
        "failing": report("failing", newest=NOW, failures=1, last_failure=NOW, why="no answer in time"),
        "waiting": report("waiting"),
        "off": report("off", enabled=False, newest=NOW, why="switched off by the setting feeds_off"),
    }
    sources = shown(*told.values())["sources"]
    assert {key: source["state"] for key, source in sources.items()} == {key: key for key in told}
    assert sources["off"]["why"] == "switched off by the setting feeds_off"


def test_sources_are_in_the_order_of_the_report_best_first(shown):
    assert list(shown(report("zinc"), report("ecb"), report("abc"))["sources"]) == ["zinc", "ecb", "abc"]


def test_while_no_source_can_be_reached_that_is_told_once(shown):
    lost = {"failures": 1, "unreachable": True, "last_failure": NOW, "why": "Name or service not known"}
    days = {"first": date(1999, 1, 4), "last": date(2026, 10, 30)}
    told = shown(report("one", **lost, **days), report("two", **lost), report("off", enabled=False))
    assert told["no_network"] == {
        "sentence": "No network: newest rates of 30 October 2026 (The Mint)",
        "unreached": ["one", "two"],
        "why": "Name or service not known",
    }
    assert told["sources"]["one"]["state"] == "failing"
    assert "no_network" not in shown(report("one", **lost), report("two", last_success=NOW))


def test_a_market_time_ahead_of_our_clock_is_no_lag_below_nothing(shown):
    (source,) = shown(report(newest=NOW + timedelta(seconds=3)))["sources"].values()
    assert source["lag"] == 0


def test_a_sandbox_says_that_it_is_one(shown):
    assert shown(report(), environment="sandbox")["environment"] == "sandbox"


def test_before_any_source_was_requested_it_is_503(client):
    client.worker_state.apply_source_reports(None)
    reply = client.get("/sources")
    assert (reply.status, reply.json) == (503, {"error": "No source has been asked yet", "code": "rate_unavailable"})
    assert reply.headers["x-calls-cost"] == "0"


def test_it_costs_one_call_is_never_cached_and_always_current(client):
    for key in ("one", "two"):
        client.worker_state.apply_source_reports(source_reports(report(key)))
        reply = client.get("/sources")
        assert list(reply.json["sources"]) == [key]
        assert (reply.headers["x-calls-cost"], reply.headers["cache-control"]) == ("1", "no-store")
        assert "etag" not in reply.headers
    assert client.ledger.spent(1, NOW.date()) == 2


def test_times_are_written_as_the_account_wants_them(make_client, key):
    account = Account(1, "one", "unlimited", datetime_format=DatetimeFormat.UNIX_MS)
    client = make_client(stored_keys={digest(key): StoredKey(1, account)})
    client.worker_state.apply_source_reports(source_reports(report(newest=NOW, last_success=NOW)))
    answer = client.get("/sources").json
    noon = 1_795_176_000_000  # date -ud '2026-11-20 12:00' +%s000
    assert (answer["updated"], answer["sources"]["mint"]["newest"]) == (noon - 1000, noon)
    assert answer["sources"]["mint"]["last_success"] == noon


def test_a_plan_without_currencies_does_not_see_them(make_client, key):
    plans = PLANS | {"p": structs.replace(PLANS["unlimited"], name="p", tags=("admin",))}
    client = make_client(stored_keys={digest(key): StoredKey(1, Account(1, "one", "p"))}, plans=plans)
    reply = client.get("/sources")
    assert (reply.status, reply.json["code"]) == (403, "not_in_plan")


@pytest.mark.parametrize("query", ["x=1", "from=EUR"])
def test_a_parameter_that_it_does_not_take_is_handled_as_everywhere(client, query):
    assert client.get(f"/sources?{query}").status == client.get(f"/currencies?{query}").status
