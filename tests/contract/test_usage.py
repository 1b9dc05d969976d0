"""`GET /usage` as the API documents it."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from msgspec import structs

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest, mint
from cambist.accounts.plan import default_plans, read_plans

OTHER = mint(lambda alphabet: alphabet[9])
PLANS = read_plans(default_plans(), "plans.toml")
TODAY = "2026-11-20"


@pytest.fixture
def make(make_client, key):
    """Make a client whose account is on the plan `one`; what is given is of the account, `past` its former calls."""

    def made(past=None, clock=None, **account):
        stored_key = StoredKey(1, Account(**{"number": 1, "name": "one", "plan": "one"} | account))
        rest = {} if clock is None else {"clock": clock}
        return make_client(stored_keys={digest(key): stored_key}, past={1: past or {}}, **rest)

    return made


@pytest.fixture
def metered(make):
    return make()


def days_of(record):
    return [date.fromisoformat(day) for day in record["usage"]]


def today_of(client):
    return client.get("/usage").json["usage"][TODAY]


def test_the_record_has_its_keys_in_this_order(metered):
    reply = metered.get("/usage")
    assert reply.status == 200
    assert list(reply.json) == ["usage", "monthly_quota", "current_period", "ms"]
    assert list(reply.json["current_period"]) == ["start", "end", "remaining_quota", "usage"]


def test_ms_is_an_integer_and_last(metered):
    assert re.search(r',"ms":[0-9]+}$', metered.get("/usage").text)


def test_a_first_call_finds_nothing_spent(metered):
    assert metered.get("/usage").json | {"usage": {}, "ms": 0} == {
        "usage": {},
        "monthly_quota": 1_000_000,
        "current_period": {
            "start": "2026-11-01",
            "end": "2026-11-30",
            "remaining_quota": 1_000_000,
            "usage": 0,
        },
        "ms": 0,
    }


def test_it_shows_fifteen_days_oldest_first_zeros_included_ending_today(metered):
    record = metered.get("/usage").json
    today = date.fromisoformat(TODAY)
    assert days_of(record) == [today - timedelta(days=back) for back in range(14, -1, -1)]
    assert set(record["usage"].values()) == {0}


def test_former_days_are_shown_and_those_of_the_period_summed(make):
    past = {date(2026, 11, 19): 3, date(2026, 11, 6): 5, date(2026, 11, 5): 7, date(2026, 10, 31): 11}
    record = make(past).get("/usage").json
    assert record["usage"]["2026-11-19"] == 3
    assert record["usage"]["2026-11-06"] == 5
    assert "2026-11-05" not in record["usage"]
    assert record["current_period"]["usage"] == 15
    assert record["current_period"]["remaining_quota"] == 999_985


def test_the_days_go_on_at_midnight_utc(make, clock):
    client = make(clock=clock)
    client.get("/fetch-one?to=EUR")
    clock.set(2026, 11, 20, 23, 59, 59)
    assert list(client.get("/usage").json["usage"])[-1] == TODAY
    clock.set(2026, 11, 21)
    record = client.get("/usage").json
    assert list(record["usage"].items())[-2:] == [(TODAY, 2), ("2026-11-21", 0)]
    assert len(record["usage"]) == 15


@pytest.mark.parametrize(
    ("target", "calls"),
    [
        ("/fetch-one?from=EUR&to=USD", 1),
        ("/fetch-multi?to=EUR,JPY,GBP", 1),
        ("/fetch-all", 1),
        ("/fetch-many-to-one?from=EUR,JPY,GBP&to=USD", 3),
        ("/fetch-many-to-one?from=EUR,EUR,jpy,&to=USD", 2),
        ("/fetch-matrix?from=EUR,JPY&to=USD,GBP,CHF", 6),
        ("/fetch-matrix?from=EUR,USD&to=USD,EUR", 4),
        ("/convert?to=EUR&amount=1", 1),
        ("/historical?date=2026-10-30", 1),
        ("/time-series?to=EUR&start=2026-01-01&end=2026-10-30", 1),
        ("/currencies", 1),
        ("/usage", 1),
    ],
)
def test_an_answer_counts_its_cost_whether_computed_or_cached(metered, target, calls):
    before = today_of(metered)
    for _ in range(2):  # made, then kept
        reply = metered.get(target)
        assert (reply.status, reply.headers["x-calls-cost"]) == (200, str(calls))
        if "calls" in reply.json:
            assert reply.json["calls"] == calls
        after = today_of(metered)
        assert after == before + 1 + calls  # one for the look before
        before = after


@pytest.mark.parametrize(
    ("target", "path"), [("/fetch-one?from=EUR&to=USD", "/fetch-one"), ("/fetch-one/?to=EUR", "/fetch-one")]
)
def test_calls_are_counted_under_the_path_of_their_endpoint(metered, target, path):
    for _ in range(2):  # made, then kept
        metered.get(target)
    assert {endpoint: calls for (_, endpoint, _), calls in metered.ledger.spent_by.items()} == {path: 2}


def test_the_record_costs_one_call_which_the_next_one_shows(metered):
    assert [today_of(metered) for _ in range(4)] == [0, 1, 2, 3]
    assert metered.get("/usage").headers["x-calls-cost"] == "1"


def test_usage_is_never_cached_and_has_no_etag(metered):
    for _ in range(2):
        headers = metered.get("/usage").headers
        assert headers["cache-control"] == "no-store"
        assert "etag" not in headers


def test_remaining_and_used_go_together(metered):
    metered.get("/fetch-matrix?from=EUR,JPY&to=USD,GBP,CHF")
    period = metered.get("/usage").json["current_period"]
    assert (period["usage"], period["remaining_quota"]) == (6, 999_994)


@pytest.mark.parametrize(
    ("anchor", "start", "end"),
    [
        (1, "2026-11-01", "2026-11-30"),
        (20, "2026-11-20", "2026-12-19"),
        (21, "2026-10-21", "2026-11-20"),
        (31, "2026-10-31", "2026-11-29"),
    ],
)
def test_the_period_runs_from_the_anchor_day_to_the_day_before_the_next(make, anchor, start, end):
    past = {date(2026, 10, 20): 1, date(2026, 10, 21): 10, date(2026, 10, 31): 100, date(2026, 11, 19): 1000}
    record = make(past, anchor_day=anchor).get("/usage").json
    period = record["current_period"]
    assert (period["start"], period["end"]) == (start, end)
    assert period["usage"] == sum(calls for day, calls in past.items() if day.isoformat() >= start)


def test_at_the_anchor_day_the_period_begins_anew(make, clock):
    clock.set(2026, 11, 19, 23, 59, 59)
    client = make(clock=clock, anchor_day=20)
    client.get("/fetch-one?to=EUR")
    assert client.get("/usage").json["current_period"]["usage"] == 1
    clock.now += 1
    period = client.get("/usage").json["current_period"]
    assert period == {"start": "2026-11-20", "end": "2026-12-19", "remaining_quota": 1_000_000, "usage": 0}


def test_bought_calls_are_in_the_quota(make):
    record = make(bought=((date(2026, 11, 1), 500),)).get("/usage").json
    assert record["monthly_quota"] == 1_000_500
    assert record["current_period"]["remaining_quota"] == 1_000_500


def test_without_a_quota_both_are_the_largest_integer_of_json(client):
    client.get("/fetch-one?to=EUR")
    record = client.get("/usage").json
    assert (record["monthly_quota"], record["current_period"]["remaining_quota"]) == (2**53 - 1, 2**53 - 1)
    assert record["unlimited"] is True
    assert record["current_period"]["usage"] == 1


def test_what_remains_is_never_below_nothing(make_client, key):
    plans = PLANS | {"one": structs.replace(PLANS["one"], calls_a_month=11)}
    stored_keys = {digest(key): StoredKey(1, Account(1, "one", "one"))}
    client = make_client(stored_keys=stored_keys, plans=plans, past={1: {date(2026, 11, 3): 10}})
    period = client.get("/usage").json["current_period"]
    assert (period["usage"], period["remaining_quota"]) == (10, 1)
    client.ledger.spend(1, "/fetch-one", 20, date(2026, 11, 20))
    assert client.get("/usage").json["code"] == "quota_spent"


def test_keys_of_one_account_share_its_usage_and_other_accounts_have_their_own(make_client, key):
    third = mint(lambda alphabet: alphabet[11])
    one, two = Account(1, "one", "one"), Account(2, "two", "one")
    client = make_client(
        stored_keys={digest(key): StoredKey(1, one), digest(OTHER): StoredKey(2, one), digest(third): StoredKey(3, two)}
    )
    client.get("/fetch-one?to=EUR")
    client.get("/fetch-one?to=EUR", key=OTHER)
    assert client.get("/usage").json["current_period"]["usage"] == 2
    assert client.get("/usage", key=third).json["current_period"]["usage"] == 0


@pytest.mark.parametrize("wrong", [None, "cmb_wrong"])
def test_it_needs_a_key(metered, wrong):
    assert metered.get("/usage", key=wrong).status == 401


def test_parameters_are_ignored(metered):
    assert metered.get("/usage?days=3&from=EUR").status == 200
