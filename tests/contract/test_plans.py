"""Plans: what they include, what they limit, and the headers and errors that show it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from msgspec import structs

from cambist.accounts.account import Account, DatetimeFormat, StoredKey
from cambist.accounts.api_key import digest, mint
from cambist.accounts.plan import default_plans, read_plans
from cambist.pricing.rate_book import RateBook

PLANS = read_plans(default_plans(), "plans.toml")
OWNER_KEY, SECOND = (mint(lambda alphabet, index=index: alphabet[index]) for index in (11, 12))
OWNER = StoredKey(9, Account(9, "owner", "unlimited"))
TODAY = date(2026, 11, 20)
LIVE, CLOSED = "/fetch-one?from=EUR&to=USD", "/historical?date=2026-10-30&to=EUR"
MATRIX = "/fetch-matrix?from=EUR,JPY&to=USD,GBP"
KEPT = [
    LIVE,
    CLOSED,
    MATRIX,
    "/fetch-all",
    "/convert?to=EUR&amount=1",
    "/time-series?to=EUR&start=2026-10-01&end=2026-10-30",
]
CODES = {
    "/fetch-one": (400, "bad_parameter"),
    "/fetch-one?to=ZZZ": (400, "unknown_currency"),
    "/fetch-matrix?from=EUR": (400, "bad_parameter"),
    "/historical?date=2026-11-22": (400, "bad_parameter"),
    "/time-series?to=EUR&start=2026-11-02&end=2026-11-01": (400, "bad_parameter"),
    "/historical?date=1998-01-01&from=EUR": (404, "no_rate"),
    "/fetch-one?to=XDR": (503, "rate_unavailable"),
    "/fetch-one?to=EUR&max_age=PT1S": (503, "rate_unavailable"),
}


@pytest.fixture
def make(make_client, key):
    """Make a client on a plan `p`: what is given is of the plan, `account` and `stored_key` change those.

    The service keeps answers that somebody else, on a plan without limits, may have asked for: `warm` asks for them.
    """

    def made(account=None, stored_key=None, clock=None, past=None, **plan):
        given = {"name": "p", "calls_a_month": None, "rate": None, "burst": None} | plan
        plans = PLANS | {"p": structs.replace(PLANS["unlimited"], **given)}
        one = Account(**{"number": 1, "name": "one", "plan": "p"} | (account or {}))
        stored_keys = {
            digest(key): StoredKey(**{"key": 1, "account": one} | (stored_key or {})),
            digest(OWNER_KEY): OWNER,
        }
        rest = {} if clock is None else {"clock": clock}
        return make_client(stored_keys=stored_keys, plans=plans, past={1: past or {}}, **rest)

    return made


def warm(client, *targets):
    """Ask as the owner, so that the answers are kept."""
    for target in targets:
        assert client.get(target, key=OWNER_KEY).status == 200


def charged(client):
    return client.ledger.spent(1, TODAY)


def state_of(reply):
    """Read `RateLimit`: what remains of each limit, and in how many seconds it is there again."""
    items = re.findall(r'"(\w+)";r=(\d+);t=(\d+)', reply.headers["ratelimit"])
    assert ", ".join(f'"{name}";r={left};t={ends}' for name, left, ends in items) == reply.headers["ratelimit"]
    return {name: (int(left), int(ends)) for name, left, ends in items}


def is_refused(reply, status, code):
    assert (reply.status, reply.json["code"]) == (status, code), reply.text
    assert list(reply.json) == ["error", "code"]
    assert reply.headers["x-calls-cost"] == "0"
    assert reply.headers["cache-control"] == "no-store"
    return True


# What a plan includes


@pytest.mark.parametrize("target", [*KEPT, "/currencies", "/fetch-one", "/fetch-one?to=ZZZ"])
def test_what_the_plan_does_not_include_is_403_and_costs_nothing(make, target):
    client = make(tags=("crypto", "admin"))
    for _ in range(2):  # made, then kept
        reply = client.get(target)
        assert is_refused(reply, 403, "not_in_plan")
        assert "[p]" in reply.json["error"]
        assert "[currency]" in reply.json["error"]
        warm(client, *{target} & set(KEPT))
    assert charged(client) == 0


@pytest.mark.parametrize("target", KEPT)
def test_what_it_includes_is_answered(make, target):
    client = make(tags=("currency",))
    for _ in range(2):  # made, then kept
        assert client.get(target).status == 200


def test_usage_has_a_group_of_its_own(make):
    assert make(tags=("admin",)).get("/usage").status == 200
    reply = make(tags=("currency",)).get("/usage")
    assert is_refused(reply, 403, "not_in_plan")
    assert "[admin]" in reply.json["error"]


def test_head_and_an_unchanged_answer_are_refused_with_the_rest(make):
    client = make(tags=("admin",))
    for _ in range(2):  # made, then kept
        assert client.request("HEAD", CLOSED).status == 403
        assert client.get(CLOSED, headers={"If-None-Match": "*"}).status == 403
        warm(client, CLOSED)


def test_an_account_on_a_removed_plan_is_refused_with_its_name(make):
    client = make(account={"plan": "gone"})
    for _ in range(2):  # made, then kept
        reply = client.get(LIVE)
        assert is_refused(reply, 403, "not_in_plan")
        assert "[gone]" in reply.json["error"]
        warm(client, LIVE)


def test_changed_plans_apply_at_once_also_to_cached_answers(make):
    client = make()
    for _ in range(2):
        assert client.get(LIVE).status == 200
    client.worker_state.apply_plans(PLANS | {"p": structs.replace(PLANS["unlimited"], name="p", tags=("admin",))})
    assert is_refused(client.get(LIVE), 403, "not_in_plan")
    client.worker_state.apply_plans(PLANS | {"p": structs.replace(PLANS["unlimited"], name="p")})
    assert client.get(LIVE).status == 200


# How far back it sees


@pytest.mark.parametrize(
    "target",
    [
        "/historical?date=2026-10-20&to=EUR",
        "/historical?date=1999-01-04",
        "/time-series?to=EUR&start=2026-10-20&end=2026-10-30",
        "/time-series?to=EUR&start=2026-10-20",
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_history_older_than_the_plan_is_403_with_the_name_of_the_parameter(make, method, target):
    client = make(history_days=30)
    for _ in range(2):  # made, then kept
        reply = client.request(method, target)
        assert reply.status == 403
        if method == "GET":
            assert is_refused(reply, 403, "not_in_plan")
            assert "limited to 30 days" in reply.json["error"]
        warm(client, target)
        assert client.request(method, target, headers={"If-None-Match": "*"}).status == 403
    assert charged(client) == 0


@pytest.mark.parametrize(
    "target",
    [
        "/historical?date=2026-10-21&to=EUR",
        "/historical?date=2026-11-20&to=AED",
        "/time-series?to=EUR&start=2026-10-21&end=2026-10-30",
        "/time-series?to=EUR",
    ],
)
def test_history_as_old_as_the_plan_says_is_answered(make, target):
    client = make(history_days=30)
    for _ in range(2):  # made, then kept
        assert client.get(target).status == 200


def test_the_age_of_history_is_counted_from_today_also_for_cached_answers(make, clock):
    client = make(history_days=30, clock=clock)
    target = "/historical?date=2026-10-21&to=EUR"
    clock.set(2026, 11, 20, 23, 59, 59)
    for _ in range(2):
        assert client.get(target).status == 200
    clock.now += 1
    assert is_refused(client.get(target), 403, "not_in_plan")
    assert client.get(target, key=OWNER_KEY).status == 200


def test_live_rates_are_no_history(make):
    client = make(history_days=1)
    for _ in range(2):  # made, then kept
        assert client.get(LIVE).status == 200  # from a fixing that is three weeks old


# The quota


def test_a_spent_quota_is_429_until_the_period_ends_and_charges_nothing(make, clock):
    client = make(calls_a_month=3, clock=clock)
    warm(client, LIVE)
    for target in (LIVE, CLOSED, LIVE):
        assert client.get(target).status == 200
    for target in (LIVE, CLOSED, MATRIX, "/usage", "/currencies"):
        reply = client.get(target)
        assert is_refused(reply, 429, "quota_spent")
        end = datetime(2026, 12, 1, tzinfo=UTC).timestamp()
        assert int(reply.headers["retry-after"]) == end - clock.now
    assert charged(client) == 3


def test_the_wait_of_a_spent_quota_is_true(make, clock):
    client = make(calls_a_month=1, clock=clock, account={"anchor_day": 21})
    assert client.get(LIVE).status == 200
    wait = int(client.get(LIVE).headers["retry-after"])
    assert wait == 12 * 3600
    clock.now += wait - 1
    assert is_refused(client.get(LIVE), 429, "quota_spent")
    clock.now += 1
    assert client.get(LIVE).status == 200


@pytest.mark.parametrize("is_kept", [False, True])
def test_a_request_that_costs_more_than_the_quota_left_is_refused(make, is_kept):
    client = make(calls_a_month=5)
    if is_kept:
        warm(client, MATRIX)
    assert client.get(LIVE).status == 200
    assert client.get(LIVE).status == 200
    reply = client.get(MATRIX)
    assert is_refused(reply, 429, "quota_spent")
    assert "[4]" in reply.json["error"]
    assert "[3]" in reply.json["error"]
    assert charged(client) == 2
    assert client.get("/fetch-many-to-one?from=EUR,JPY,GBP&to=USD").status == 200
    assert charged(client) == 5


def test_former_days_of_the_period_count(make):
    client = make(calls_a_month=100, past={date(2026, 11, 1): 98, date(2026, 10, 31): 50})
    assert [client.get(LIVE).status for _ in range(3)] == [200, 200, 429]


def test_the_keys_of_an_account_share_its_quota_and_accounts_do_not(make, key):
    client = make(calls_a_month=3)
    one = Account(1, "one", "p")
    other = StoredKey(3, Account(2, "other", "p"))
    client.worker_state.apply_accounts(
        {digest(key): StoredKey(1, one), digest(SECOND): StoredKey(2, one), digest(OWNER_KEY): other}
    )
    assert [client.get(LIVE, key=each).status for each in (key, SECOND, key, SECOND)] == [200, 200, 200, 429]
    assert client.get(LIVE, key=OWNER_KEY).status == 200


def test_a_smaller_plan_holds_at_once(make):
    client = make(calls_a_month=1_000_000)
    assert [client.get(LIVE).status for _ in range(5)] == [200] * 5
    client.worker_state.apply_plans(PLANS | {"p": structs.replace(PLANS["unlimited"], name="p", calls_a_month=6)})
    assert [client.get(LIVE).status for _ in range(3)] == [200, 429, 429]


def test_calls_that_are_bought_hold_at_once(make, key):
    client = make(calls_a_month=1)
    assert [client.get(LIVE).status for _ in range(2)] == [200, 429]
    more = Account(1, "one", "p", bought=((date(2026, 11, 1), 2),))
    client.worker_state.apply_accounts({digest(key): StoredKey(1, more)})
    assert [client.get(LIVE).status for _ in range(3)] == [200, 200, 429]


# The rate


@pytest.mark.parametrize("is_kept", [False, True])
@pytest.mark.parametrize("target", [LIVE, CLOSED, "/usage"])
def test_too_many_at_once_is_429_with_the_right_wait(make, clock, target, is_kept):
    client = make(rate=0.25, burst=3, clock=clock)
    if is_kept:
        warm(client, target)
    assert [client.get(target).status for _ in range(4)] == [200, 200, 200, 429]
    reply = client.get(target)
    assert is_refused(reply, 429, "rate_limited")
    wait = int(reply.headers["retry-after"])
    assert wait == 4
    clock.now += wait - 1
    assert is_refused(client.get(target), 429, "rate_limited")
    clock.now += 1
    assert [client.get(target).status for _ in range(2)] == [200, 429]
    assert charged(client) == 4


def test_a_wait_is_at_least_a_second(make, clock):
    client = make(rate=1000, burst=1, clock=clock)
    client.get(LIVE)
    assert client.get(LIVE).headers["retry-after"] == "1"


@pytest.mark.parametrize(
    "target", ["/fetch-one?to=ZZZ", "/fetch-one?to=XDR", "/historical?date=1998-01-01", "/fetch-one?to=%zz"]
)
def test_errors_are_limited_like_answers(make, clock, target):
    client = make(rate=1, burst=3, clock=clock)
    statuses = [client.get(target).status for _ in range(4)]
    assert statuses[3] == 429
    assert 429 not in statuses[:3]


@pytest.mark.parametrize("way", ["query", "bearer", "HEAD", "unchanged"])
def test_the_rate_limit_holds_for_every_way_to_request_an_answer(make, key, clock, way):
    client = make(rate=1, burst=2, clock=clock)

    def ask():
        if way == "query":
            return client.get(f"{CLOSED}&api_key={key}", key=None)
        if way == "bearer":
            return client.get(CLOSED, key=None, headers={"Authorization": f"Bearer {key}"})
        if way == "HEAD":
            return client.request("HEAD", CLOSED)
        return client.get(CLOSED, headers={"If-None-Match": "*"})

    statuses = [ask().status for _ in range(3)]
    assert statuses[2] == 429
    assert statuses[:2] == ([304, 304] if way == "unchanged" else [200, 200])


def test_each_request_uses_the_rate_limit_whether_computed_or_cached(make, clock):
    client = make(rate=1, burst=10, clock=clock)
    left = [state_of(client.get(LIVE))["rate"][0] for _ in range(10)]
    assert left == list(range(9, -1, -1))


# What responses say


@pytest.mark.parametrize("target", [*KEPT, "/currencies", "/usage"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_every_answer_has_its_cost_and_the_remaining_quota(make, method, target):
    client = make(calls_a_month=1000, rate=50, burst=100)
    remains = 1000
    for turn in range(2):  # made, then kept
        reply = client.request(method, target)
        assert reply.status == 200
        remains -= int(reply.headers["x-calls-cost"])
        assert reply.headers["ratelimit-policy"] == '"quota";q=1000;w=2592000, "rate";q=100;w=2'
        assert state_of(reply) == {"quota": (remains, 907_200), "rate": (99 - turn, 1)}
    assert charged(client) == 1000 - remains


@pytest.mark.parametrize("target", CODES)
def test_every_error_with_a_valid_key_has_the_same_headers_and_costs_nothing(make, target):
    client = make(calls_a_month=1000, rate=50, burst=100)
    for turn in range(2):
        reply = client.get(target)
        assert is_refused(reply, *CODES[target])
        assert reply.headers["ratelimit-policy"] == '"quota";q=1000;w=2592000, "rate";q=100;w=2'
        assert state_of(reply)["quota"] == (1000, 907_200)
        assert state_of(reply)["rate"][0] == 99 - turn
    assert charged(client) == 0


def test_a_malformed_query_has_the_same_headers(make):
    reply = make(calls_a_month=1000, rate=50, burst=100).get("/fetch-one?to=%zz")
    assert is_refused(reply, 400, "bad_parameter")
    assert state_of(reply)["quota"][0] == 1000


@pytest.mark.parametrize(
    ("plan", "code"),
    [
        ({"tags": ("admin",)}, "not_in_plan"),
        ({"history_days": 1}, "not_in_plan"),
        ({"calls_a_month": 0}, "quota_spent"),
        ({"rate": 0.001, "burst": 1}, "rate_limited"),
    ],
)
def test_refusals_of_the_plan_say_the_same(make, plan, code):
    client = make(**{"calls_a_month": 1000, "rate": 50, "burst": 100} | plan)
    if code == "rate_limited":
        client.get("/usage")
    for _ in range(2):  # made, then kept
        reply = client.get(CLOSED)
        assert reply.json["code"] == code
        assert reply.headers["x-calls-cost"] == "0"
        assert set(state_of(reply)) == {"quota", "rate"}
        warm(client, CLOSED)


def test_an_unlimited_plan_has_only_the_cost_header(client):
    for target in (LIVE, LIVE, "/fetch-one?to=ZZZ"):
        headers = client.get(target).headers
        assert "x-calls-cost" in headers
        assert "ratelimit" not in headers
        assert "ratelimit-policy" not in headers


@pytest.mark.parametrize("key", [None, "cmb_wrong"])
def test_a_refused_key_gets_no_limit_headers(make_client, key):
    headers = make_client().get(LIVE, key=key).headers
    assert not {"ratelimit", "ratelimit-policy", "x-calls-cost"} & set(headers)


# What costs nothing


def test_an_unchanged_answer_costs_nothing_whether_computed_or_cached(make):
    etag = make().get(CLOSED).headers["etag"]
    client = make(calls_a_month=10)
    for _ in range(2):  # made, then kept
        reply = client.get(CLOSED, headers={"If-None-Match": etag})
        assert (reply.status, reply.headers["x-calls-cost"]) == (304, "0")
        assert state_of(reply)["quota"][0] == 10
        warm(client, CLOSED)
    assert charged(client) == 0


def test_who_names_no_etag_pays_for_finding_out_that_there_is_an_answer(make):
    client = make(calls_a_month=10)
    for calls in (1, 2):  # made, then kept
        reply = client.get(CLOSED, headers={"If-None-Match": "*"})
        assert (reply.status, reply.headers["x-calls-cost"], charged(client)) == (304, "1", calls)


@pytest.mark.parametrize("target", KEPT)
def test_a_head_request_costs_the_same_as_a_get_whether_computed_or_cached(make, target):
    client = make(calls_a_month=100)
    costs = [client.request("HEAD", target).headers["x-calls-cost"] for _ in range(3)]
    costs.append(client.get(target).headers["x-calls-cost"])
    assert set(costs) == {"4" if target == MATRIX else "1"}
    assert charged(client) == 4 * int(costs[0])


LISTS = ["/currencies", "/fx/pairs", "/fx/pairs/quote-sizes", "/metals/list"]


@pytest.mark.long(every=2)
@pytest.mark.parametrize("spent", [10, 11, 1000])
@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("target", [CLOSED, "/time-series?to=EUR&start=2026-10-01&end=2026-10-30", *LISTS])
def test_a_free_answer_is_returned_with_a_spent_quota(make, spent, kept, target):
    etag = make().get(target).headers["etag"]
    client = make(calls_a_month=10)
    warm(client, *[target, LIVE][: 2 * kept])
    client.ledger.spend(1, "/fetch-one", spent, TODAY)
    assert client.get(target, headers={"If-None-Match": etag}).status == 304
    for condition in ("*", '"another"'):
        assert client.get(target, headers={"If-None-Match": condition}).status == 429
        assert client.request("HEAD", target, headers={"If-None-Match": condition}).status == 429
    for method in ("GET", "HEAD"):
        assert (client.request(method, target).status, client.request(method, LIVE).status) == (429, 429)
    assert charged(client) == spent


@pytest.mark.long(every=2)
@pytest.mark.parametrize("target", [*KEPT, *LISTS])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("condition", [{}, {"If-None-Match": "*"}, {"If-None-Match": '"another"'}])
def test_the_cost_does_not_depend_on_earlier_requests(make, target, method, condition):
    first, second = make(calls_a_month=100), make(calls_a_month=100)
    warm(second, target)
    replies = [client.request(method, target, headers=condition) for client in (first, second)]
    assert len({(reply.status, reply.headers["x-calls-cost"]) for reply in replies}) == 1
    assert charged(first) == charged(second) == int(replies[0].headers["x-calls-cost"]) > 0


@pytest.mark.parametrize("target", CODES)
def test_an_error_is_the_same_whether_somebody_may_pay_for_it_or_not(make, target):
    client = make(calls_a_month=1)
    assert is_refused(client.get(target), *CODES[target])
    assert charged(client) == 0


# Keys


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"stored_key": {"revoked": True}}, 401, "key_ended"),
        ({"stored_key": {"expires_at": datetime(2026, 11, 20, 12, tzinfo=UTC)}}, 401, "key_ended"),
        ({"stored_key": {"expires_at": datetime(2020, 1, 1, tzinfo=UTC)}}, 401, "key_ended"),
        ({"account": {"suspended": True}}, 403, "account_suspended"),
    ],
)
@pytest.mark.parametrize("way", ["header", "query", "bearer"])
def test_a_revoked_or_suspended_key_is_refused_with_the_reason_and_not_repeated(make, key, way, changes, status, code):
    client = make(**changes)
    for _ in range(2):  # made, then kept
        if way == "query":
            reply = client.get(f"{LIVE}&api_key={key}", key=None)
        elif way == "header":
            reply = client.get(LIVE)
        else:
            reply = client.get(LIVE, key=None, headers={"Authorization": f"Bearer {key}"})
        assert (reply.status, reply.json["code"]) == (status, code)
        assert key not in reply.text
        assert "ratelimit" not in reply.headers
        warm(client, LIVE)
    assert charged(client) == 0


def test_a_key_opens_until_the_moment_that_it_expires(make, clock):
    client = make(stored_key={"expires_at": datetime(2026, 11, 20, 12, 0, 10, tzinfo=UTC)}, clock=clock)
    clock.now += 9.999
    for _ in range(2):
        assert client.get(LIVE).status == 200
    clock.now += 0.001
    for target in (LIVE, "/fetch-one?from=EUR&to=JPY"):  # kept, and to be made
        reply = client.get(target)
        assert (reply.status, reply.json["code"]) == (401, "key_ended")


@pytest.mark.parametrize("target", [LIVE, CLOSED])
@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"revoked": True}, (401, "key_ended")),
        ({"expires_at": datetime(2026, 11, 20, 11, 59, tzinfo=UTC)}, (401, "key_ended")),
        ({"account": Account(1, "one", "p", suspended=True)}, (403, "account_suspended")),
        (None, (401, "key_unknown")),
    ],
)
def test_an_ended_key_stops_working_at_once_also_for_cached_answers(make, key, target, change, refusal):
    client = make()
    for _ in range(2):
        assert client.get(target).status == 200
    stored_key = StoredKey(1, Account(1, "one", "p"))
    client.worker_state.apply_accounts({} if change is None else {digest(key): replace(stored_key, **change)})
    reply = client.get(target)
    assert (reply.status, reply.json["code"]) == refusal
    assert client.request("HEAD", target).status == refusal[0]
    client.worker_state.apply_accounts({digest(key): stored_key})
    assert client.get(target).status == 200


def test_too_many_failed_keys_from_an_address_are_429_but_valid_keys_still_work(make, clock, key):
    client = make(clock=clock)
    assert client.get(LIVE).status == 200
    statuses = [client.get(LIVE, key="cmb_wrong").status for _ in range(40)]
    assert statuses[:20] == [401] * 20
    assert set(statuses[20:]) == {429}
    reply = client.get(LIVE, key="cmb_wrong")
    assert (reply.status, reply.json["code"]) == (429, "too_many_failures")
    assert client.get(LIVE, key=key).status == 200
    assert client.get(LIVE, key=OWNER_KEY).status == 200  # also the first time from here
    clock.now += int(reply.headers["retry-after"])
    assert client.get(LIVE, key="cmb_wrong").status == 401


# Times, and how often a book is seen


@pytest.mark.parametrize(
    ("form", "updated"),
    [
        (DatetimeFormat.ISO, r'"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"'),
        (DatetimeFormat.SPACED, r'"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"'),
        (DatetimeFormat.UNIX_MS, r"\d{13}"),
    ],
)
@pytest.mark.parametrize(
    "target", [LIVE, "/fetch-multi?to=EUR", "/fetch-all", "/fetch-many-to-one?from=EUR&to=USD", MATRIX]
)
def test_updated_is_written_as_the_account_wants_it(make, target, form, updated):
    client = make(account={"datetime_format": form})
    for _ in range(2):  # made, then kept; and between them kept for somebody else in ISO
        reply = client.get(target)
        assert re.search(f'"updated":{updated},', reply.text), reply.text
        warm(client, target)


def test_the_formats_write_the_same_time(make, key):
    client, seen = make(), {}
    for form in DatetimeFormat:
        client.worker_state.apply_accounts({digest(key): StoredKey(1, Account(1, "one", "p", form))})
        first, second = (client.get(LIVE).json["updated"] for _ in range(2))  # made, then kept
        assert first == second
        seen[form] = first
    assert seen[DatetimeFormat.ISO] == seen[DatetimeFormat.SPACED].replace(" ", "T") + "Z"
    assert datetime.fromisoformat(seen[DatetimeFormat.ISO]).timestamp() * 1000 == seen[DatetimeFormat.UNIX_MS]


def test_a_slow_plan_sees_a_new_rate_book_later_and_a_fast_one_at_once(make, clock, real_book):
    client = make(book_refresh=60, clock=clock)
    for _ in range(2):  # made, then kept
        assert client.get(LIVE).status == 200
    warm(client, LIVE)
    clock.now += 59
    client.worker_state.apply_book(RateBook.of(replace(real_book.quoted(), version=2, quotes={}, listed=("USD",))))
    for _ in range(2):
        assert client.get(LIVE).status == 200
        assert client.get(LIVE, key=OWNER_KEY).status == 503
    clock.now += 1
    client.worker_state.tick()
    assert client.get(LIVE).status == 503


def test_answers_cached_for_a_slow_plan_are_not_sent_to_a_faster_one(make, clock, real_book):
    client = make(book_refresh=60, clock=clock)
    clock.now += 1
    eur = real_book.quotes["EUR"]
    quotes = dict(real_book.quotes) | {"EUR": replace(eur, bid=eur.bid * 2, ask=eur.ask * 2)}
    client.worker_state.apply_book(RateBook.of(replace(real_book.quoted(), version=2, quotes=quotes)))
    old, new = client.get(LIVE).json["result"], client.get(LIVE, key=OWNER_KEY).json["result"]
    assert old != new
    for _ in range(2):
        assert client.get(LIVE).json["result"] == old
        assert client.get(LIVE, key=OWNER_KEY).json["result"] == new


def test_an_account_that_moves_to_a_faster_plan_sees_the_newest_rate_book_at_once(make, key, clock, real_book):
    client = make(book_refresh=60, clock=clock)
    clock.now += 1
    client.worker_state.apply_book(RateBook.of(replace(real_book.quoted(), version=2, quotes={}, listed=("USD",))))
    assert client.get(LIVE).status == 200
    client.worker_state.apply_accounts({digest(key): StoredKey(1, Account(1, "one", "unlimited"))})
    assert client.get(LIVE).status == 503


def test_a_day_is_as_long_as_a_day(make, clock):
    """The clock that the other tests turn is the one that the service reads."""
    client = make(history_days=1, clock=clock)
    target = "/historical?date=2026-11-19&to=AED"
    assert client.get(target).status == 200
    clock.now += timedelta(days=1).total_seconds()
    assert client.get(target).status == 403


def test_a_series_without_a_start_begins_where_the_plan_does(make):
    series = make(history_days=30).get("/time-series?to=EUR&end=2026-10-30").json
    assert (series["start"], series["end"]) == ("2026-10-21", "2026-10-30")
