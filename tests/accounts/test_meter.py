"""The meter of one worker, and several of them over one ledger: what they let in, and what they count."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from msgspec import structs
from tests.conftest import MemoryLedger

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import Digest
from cambist.accounts.meter import Meter
from cambist.accounts.plan import Plan, default_plans, read_plans
from cambist.accounts.principal import Principal, Principals
from cambist.errors import QuotaSpent, RateLimited, StoreBroken

UNLIMITED = read_plans(default_plans(), "plans.toml")["unlimited"]
TODAY = date(2026, 11, 20)
DAY = timedelta(days=1)


def many(plan: Plan, *accounts: Account) -> Mapping[Digest, Principal]:
    """Each account with one key, whose number is ten times the account's."""
    stored_keys = {Digest(bytes([one.number])): StoredKey(one.number * 10, one) for one in accounts}
    return Principals(stored_keys, {plan.name: plan}).by_digest


def a_principal(
    calls: int | None = None, rate: float | None = None, burst: int | None = None, **account: Any
) -> Principal:
    plan = structs.replace(UNLIMITED, name="p", calls_a_month=calls, rate=rate, burst=burst)
    (principal,) = many(plan, Account(**{"number": 1, "name": "one", "plan": "p"} | account)).values()
    return principal


@pytest.fixture
def meter(ledger) -> Meter:
    return Meter(ledger, {})


@pytest.fixture
def use(clock) -> Callable[[Meter, Principal, int], bool]:
    """Ask for an answer that costs so much, and count it if it is let in; say whether it was."""

    def used(meter: Meter, principal: Principal, cost: int = 1) -> bool:
        try:
            meter.check_quota(principal, cost, clock())
        except QuotaSpent:
            return False
        meter.spend(principal, "/fetch-one", cost, clock())
        return True

    return used


def plan_of(*them: Principal) -> Callable[[int], Plan | None]:
    return {one.account.number: one.plan for one in them}.get


def parameters(header: str) -> dict[str, dict[str, int]]:
    """Read a list of strings with whole-number parameters, as RFC 9651 writes it."""
    found = {}
    for item in header.split(", "):
        name, *rest = item.split(";")
        assert name[0] == name[-1] == '"', header
        found[name[1:-1]] = {key: int(value) for key, value in (part.split("=") for part in rest)}
    return found


# The rate


def test_the_burst_is_let_in_at_once_and_then_so_many_a_second(meter, clock, ledger):
    principal = a_principal(rate=2, burst=3)
    for _ in range(3):
        meter.check_rate(principal, clock())
    with pytest.raises(RateLimited):
        meter.check_rate(principal, clock())
    clock.now += 1
    for _ in range(2):
        meter.check_rate(principal, clock())
    with pytest.raises(RateLimited):
        meter.check_rate(principal, clock())
    assert ledger.admitted(1) == 5


@pytest.mark.parametrize(("rate", "wait"), [(0.1, 10), (0.5, 2), (1, 1), (50, 1)])
def test_it_says_how_long_to_wait_and_that_is_enough(meter, clock, rate, wait):
    principal = a_principal(rate=rate, burst=1)
    meter.check_rate(principal, clock())
    with pytest.raises(RateLimited, match=r"on the plan \[p\]") as refused:
        meter.check_rate(principal, clock())
    assert refused.value.retry_after == wait
    if wait > 1:
        clock.now += wait - 1
        with pytest.raises(RateLimited):
            meter.check_rate(principal, clock())
        clock.now -= wait - 1
    clock.now += wait
    meter.check_rate(principal, clock())


def test_an_account_without_a_rate_is_always_let_in_and_not_counted(meter, clock, ledger):
    for _ in range(5000):
        meter.check_rate(a_principal(), clock())
    assert ledger.admitted(1) == 0


def test_each_account_has_its_own_bucket_and_its_keys_share_it(meter, clock):
    one, other = a_principal(rate=1, burst=1), a_principal(rate=1, burst=1, number=2)
    meter.check_rate(one, clock())
    meter.check_rate(other, clock())
    with pytest.raises(RateLimited):
        meter.check_rate(replace(one, key=99), clock())


def test_the_bucket_is_one_over_all_workers(ledger, clock):
    meters = [Meter(ledger, {}) for _ in range(3)]
    principal = a_principal(rate=1, burst=6)
    for each in meters:
        each.tick(plan_of(principal), clock())
    for turn in range(6):
        meters[turn % 3].check_rate(principal, clock())
    for each in meters:
        with pytest.raises(RateLimited):
            each.check_rate(principal, clock())


def test_a_worker_that_was_not_asked_for_long_knows_what_the_others_let_in(ledger, clock):
    busy, idle = Meter(ledger, {}), Meter(ledger, {})
    principal = a_principal(rate=10, burst=20)
    check_rate = 0
    for _ in range(40):  # ten seconds in which every bucket is looked at four times a second
        for _ in range(5):
            try:
                busy.check_rate(principal, clock())
                check_rate += 1
            except RateLimited:
                break
        clock.now += 0.25
        for each in (busy, idle):
            each.tick(plan_of(principal), clock())
    for _ in range(20):
        try:
            idle.check_rate(principal, clock())
            check_rate += 1
        except RateLimited:
            break
    assert check_rate <= 1.02 * (10 * 10 + 20)


def test_another_plan_holds_at_once(meter, clock):
    for _ in range(100):
        meter.check_rate(a_principal(rate=100, burst=1000), clock())
    for _ in range(2):
        meter.check_rate(a_principal(rate=1, burst=2), clock())
    with pytest.raises(RateLimited):
        meter.check_rate(a_principal(rate=1, burst=2), clock())


# The quota


@pytest.mark.parametrize("calls", [0, 1, 7, 100, 1000])
def test_one_worker_gives_the_quota_to_the_last_call(meter, use, calls):
    principal = a_principal(calls=calls)
    assert sum(use(meter, principal) for _ in range(calls + 10)) == calls


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("workers", [2, 4])
def test_workers_that_share_a_ledger_never_give_more_than_the_quota_and_give_it_to_the_last_call(
    ledger, use, workers, seed
):
    rng = random.Random(seed)  # noqa: S311  a schedule, not a secret
    meters = [Meter(ledger, {}) for _ in range(workers)]
    principal, quota, costs = a_principal(calls=2000), 2000, [1, 1, 1, 2, 5, 40]
    chosen = meters[0]
    for _ in range(4000):
        chosen = rng.choice(meters) if rng.random() < 0.2 else chosen
        use(chosen, principal, rng.choice(costs))
        assert ledger.spent(1, TODAY) <= quota
    for each in meters:
        while use(each, principal):
            pass
    assert ledger.spent(1, TODAY) == quota


def test_a_worker_that_was_idle_while_another_spent_the_quota_gives_nothing(ledger, use):
    idle, busy = Meter(ledger, {}), Meter(ledger, {})
    principal = a_principal(calls=1000)
    assert use(idle, principal)  # which leaves it a lease
    assert sum(use(busy, principal) for _ in range(2000)) <= 999
    while use(busy, principal) or use(idle, principal):
        assert ledger.spent(1, TODAY) <= 1000
    assert ledger.spent(1, TODAY) == 1000


def test_a_request_that_costs_more_than_remains_is_refused_whole_and_cheaper_ones_go_on(meter, use, ledger):
    principal = a_principal(calls=10)
    assert use(meter, principal, 7)
    assert not use(meter, principal, 4)
    assert ledger.spent(1, TODAY) == 7
    assert use(meter, principal, 3)
    assert not use(meter, principal, 1)


def test_asking_whether_it_can_be_afforded_charges_nothing(meter, clock, ledger):
    principal = a_principal(calls=3)
    for _ in range(50):
        meter.check_quota(principal, 3, clock())
    assert ledger.spent(1, TODAY) == 0


def test_a_refusal_says_what_it_costs_what_remains_and_when_to_come_again(meter, clock, use):
    principal = a_principal(calls=10)
    use(meter, principal, 8)
    with pytest.raises(QuotaSpent) as refused:
        meter.check_quota(principal, 5, clock())
    assert all(part in str(refused.value) for part in ("[5]", "[2]", "2026-11-30"))
    wait = refused.value.retry_after
    assert clock.now + wait == datetime(2026, 12, 1, tzinfo=UTC).timestamp()
    clock.now += wait - 1
    with pytest.raises(QuotaSpent):
        meter.check_quota(principal, 5, clock())
    clock.now += 1
    meter.check_quota(principal, 5, clock())


@pytest.mark.parametrize("fraction", [0.001, 0.25, 0.5, 0.75, 0.999])
def test_the_wait_of_a_spent_quota_reaches_into_the_next_period_at_any_fraction_of_a_second(
    meter, clock, use, fraction
):
    principal = a_principal(calls=1)
    clock.set(2026, 11, 30, 23, 58)
    clock.now += fraction
    assert use(meter, principal)
    with pytest.raises(QuotaSpent) as refused:
        meter.check_quota(principal, 1, clock())
    assert refused.value.retry_after == 120
    clock.now += refused.value.retry_after
    assert use(meter, principal)


def test_what_costs_nothing_is_afforded_by_who_has_nothing_left(meter, clock, use):
    principal = a_principal(calls=10)
    use(meter, principal, 10)
    meter.check_quota(principal, 0, clock())


def test_what_costs_nothing_is_afforded_by_who_has_spent_more_than_a_smaller_plan_gives(meter, clock, ledger):
    ledger.spend(1, "/fetch-one", 50, TODAY)
    meter.check_quota(a_principal(calls=10), 0, clock())


def test_a_smaller_quota_holds_at_once(meter, use, ledger):
    assert use(meter, a_principal(calls=1_000_000))  # which leaves a long lease
    smaller = a_principal(calls=10)
    assert sum(use(meter, smaller) for _ in range(50)) == 9
    assert ledger.spent(1, TODAY) == 10


def test_a_larger_quota_holds_at_once(meter, use):
    assert not use(meter, a_principal(calls=10), 11)
    assert use(meter, a_principal(calls=11), 11)


def test_a_plan_without_a_quota_affords_everything(meter, use):
    assert use(meter, a_principal(), 10**15)
    assert use(meter, a_principal(), 10**15)


def test_calls_bought_for_the_period_are_added_to_it_alone(meter, use, clock):
    principal = a_principal(calls=10, bought=((date(2026, 11, 1), 3), (date(2026, 11, 1), 2), (date(2026, 12, 1), 9)))
    assert sum(use(meter, principal) for _ in range(40)) == 15
    clock.set(2026, 12, 1)
    assert sum(use(meter, principal) for _ in range(40)) == 19
    clock.set(2027, 1, 1)
    assert sum(use(meter, principal) for _ in range(40)) == 10


def test_calls_of_former_days_of_the_period_count_and_those_before_it_do_not(ledger, use):
    past = {1: {date(2026, 10, 31): 500, date(2026, 11, 1): 30, date(2026, 11, 17): 20}, 2: {TODAY - DAY: 77}}
    assert sum(use(Meter(ledger, past), a_principal(calls=100)) for _ in range(1)) == 1
    assert sum(use(Meter(ledger, past), a_principal(calls=60)) for _ in range(30)) == 9


@pytest.mark.parametrize(
    ("anchor", "first"),
    [
        (1, (2026, 12, 1)),
        (20, (2026, 12, 20)),
        (31, (2026, 11, 30)),
        (31, (2026, 12, 31)),
        (31, (2027, 2, 28)),
        (31, (2028, 2, 29)),
        (29, (2027, 2, 28)),
    ],
)
def test_the_quota_begins_anew_at_midnight_utc_of_the_anchor_day(meter, use, clock, anchor, first):
    principal = a_principal(calls=10, anchor_day=anchor)
    clock.set(*first)
    clock.now -= 2
    assert sum(use(meter, principal) for _ in range(20)) == 10
    clock.now += 1.999
    assert not use(meter, principal)
    clock.set(*first)
    assert sum(use(meter, principal) for _ in range(20)) == 10
    clock.now += 86_400 * 27
    assert not use(meter, principal)


def test_a_lease_of_yesterday_holds_no_more(ledger, use, clock):
    principal = a_principal(calls=1000)
    one, other = Meter(ledger, {}), Meter(ledger, {})
    assert use(one, principal)
    clock.set(2026, 11, 21)
    assert sum(use(other, principal) for _ in range(2000)) + sum(use(one, principal) for _ in range(2000)) == 999


# What is counted


def test_spending_counts_by_account_endpoint_and_day_and_notes_the_key(meter, clock, ledger):
    one, other = a_principal(), replace(a_principal(number=2), key=7)
    clock.now += 0.75
    meter.spend(one, "/fetch-one", 1, clock())
    meter.spend(one, "/fetch-matrix", 6, clock())
    meter.spend(other, "/fetch-one", 1, clock())
    assert ledger.spent_by == {(1, "/fetch-one", TODAY): 1, (1, "/fetch-matrix", TODAY): 6, (2, "/fetch-one", TODAY): 1}
    assert ledger.keys == {10: int(clock.now), 7: int(clock.now)}


def test_what_costs_nothing_is_not_counted_but_uses_the_key(meter, clock, ledger):
    meter.spend(a_principal(), "/historical", 0, clock())
    assert not ledger.spent_by
    assert ledger.keys == {10: int(clock.now)}


def test_calls_land_on_the_day_that_it_is_in_utc(meter, clock, ledger):
    clock.set(2026, 11, 20, 23, 59, 59)
    clock.now += 0.999
    meter.spend(a_principal(), "/fetch-one", 1, clock())
    clock.set(2026, 11, 21)
    meter.spend(a_principal(), "/fetch-one", 2, clock())
    clock.set(2026, 11, 20, 12)  # set back
    meter.spend(a_principal(), "/fetch-one", 4, clock())
    assert (ledger.spent(1, TODAY), ledger.spent(1, TODAY + DAY)) == (5, 2)


def test_the_day_is_the_one_of_utc(meter):
    for moment in (datetime(2026, 11, 20, hour, tzinfo=UTC) for hour in (0, 12, 23)):
        assert meter.today(moment.timestamp()) == TODAY
    assert meter.today(datetime(2026, 11, 21, tzinfo=UTC).timestamp()) == TODAY + DAY
    assert meter.today(datetime(2026, 11, 20, tzinfo=UTC).timestamp() - 0.001) == TODAY - DAY


def test_an_answer_that_is_late_over_midnight_is_still_added_to_the_day_before(meter, clock, ledger, use):
    principal = a_principal(calls=100)
    assert use(meter, principal, 30)
    clock.set(2026, 11, 21)
    meter.usage(principal, clock())
    ledger.spend(1, "/fetch-one", 5, TODAY)
    assert meter.usage(principal, clock()).used == 35
    assert not use(meter, principal, 66)


def test_what_was_counted_in_pages_that_are_gone_is_added_to_what_the_ledger_has(clock, ledger, use):
    ledger.spend(1, "/fetch-one", 40, TODAY)
    meter = Meter(ledger, {1: {TODAY: 35, TODAY - DAY: 25}})
    assert meter.usage(a_principal(), clock()).used == 100
    assert not use(meter, a_principal(calls=110), 11)
    assert use(meter, a_principal(calls=110), 10)


@pytest.mark.parametrize("days", [1, 3, 9])
def test_a_clock_that_jumps_ahead_forgets_nothing_of_the_period(meter, clock, use, days):
    principal = a_principal(calls=100)
    assert use(meter, principal, 70)
    clock.now += 86_400 * days
    meter.tick(plan_of(principal), clock())
    assert meter.usage(principal, clock()).used == 70
    assert not use(meter, principal, 31)
    assert use(meter, principal, 30)


# A ledger without room


class FullLedger(MemoryLedger):
    """A ledger on a full disk, until there is room."""

    room = False

    def _check(self) -> None:
        if not self.room:
            raise StoreBroken("The usage counters in /data/ledger cannot be written: No space left on device")

    def spend(self, *what: Any) -> None:
        self._check()
        super().spend(*what)

    def admit(self, account: int) -> None:
        self._check()
        super().admit(account)

    def use_key(self, key: int, unix_second: int) -> None:
        self._check()
        super().use_key(key, unix_second)


def test_without_room_the_quota_holds_all_the_same(use):
    meter = Meter(FullLedger(), {1: {TODAY: 5}})
    assert sum(use(meter, a_principal(calls=20)) for _ in range(40)) == 15


def test_without_room_the_rate_holds_all_the_same(clock):
    meter, principal = Meter(FullLedger(), {}), a_principal(rate=2, burst=3)
    for moment in (0, 1):
        clock.now += moment
        for _ in range(3 if not moment else 2):
            meter.check_rate(principal, clock())
        with pytest.raises(RateLimited):
            meter.check_rate(principal, clock())


def test_what_was_counted_without_room_is_in_the_ledger_when_there_is_room(clock, use):
    ledger, said = FullLedger(), []
    meter, principal = Meter(ledger, {}, said.append), a_principal(calls=20)
    for _ in range(5):
        assert use(meter, principal, 2)
    meter.tick(plan_of(principal), clock())
    assert (ledger.spent(1, TODAY), meter.usage(principal, clock()).used) == (0, 10)
    ledger.room = True
    meter.tick(plan_of(principal), clock())
    assert (ledger.spent(1, TODAY), meter.usage(principal, clock()).used) == (10, 10)
    assert ["no room" in said[0], "there is room again" in said[1], len(said)] == [True, True, 2]


def test_a_key_whose_use_cannot_be_noted_is_charged_all_the_same(clock):
    class Noteless(MemoryLedger):
        def use_key(self, *_: Any) -> None:
            raise StoreBroken("The usage counters in /data/ledger cannot be written: No space left on device")

    ledger = Noteless()
    Meter(ledger, {}).spend(a_principal(), "/fetch-one", 3, clock())
    assert ledger.spent(1, TODAY) == 3


def test_the_usage_record_is_of_the_account_its_period_and_its_quota(meter, clock, ledger):
    ledger.spend(1, "/fetch-one", 4, TODAY)
    ledger.spend(2, "/fetch-one", 100, TODAY)
    principal = a_principal(calls=10, anchor_day=15, bought=((date(2026, 11, 15), 5),))
    record = meter.usage(principal, clock())
    assert (record.period.start, record.period.end) == (date(2026, 11, 15), date(2026, 12, 14))
    assert (record.quota, record.used, record.remaining) == (15, 4, 11)
    assert list(record.by_day.items())[-1] == (TODAY, 4)
    assert len(record.by_day) == 15
    assert meter.usage(a_principal(), clock()).remaining is None


# The headers


def test_an_unlimited_plan_has_no_limit_headers(meter, clock):
    assert meter.headers(a_principal(), clock()) == []


def test_the_headers_say_policy_and_state_in_the_form_of_the_draft(meter, clock):
    principal = a_principal(calls=1000, rate=50, burst=100)
    assert meter.headers(principal, clock()) == [
        ("RateLimit-Policy", '"quota";q=1000;w=2592000, "rate";q=100;w=2'),
        ("RateLimit", '"quota";r=1000;t=907200, "rate";r=100;t=0'),
    ]


def test_the_state_follows_what_is_spent_and_let_in(meter, clock):
    principal = a_principal(calls=1000, rate=5, burst=100)
    for _ in range(40):
        meter.check_rate(principal, clock())
    meter.spend(principal, "/fetch-matrix", 12, clock())
    state = parameters(dict(meter.headers(principal, clock()))["RateLimit"])
    assert state == {"quota": {"r": 988, "t": 907_200}, "rate": {"r": 60, "t": 8}}
    clock.now += 4
    state = parameters(dict(meter.headers(principal, clock()))["RateLimit"])
    assert state == {"quota": {"r": 988, "t": 907_196}, "rate": {"r": 80, "t": 4}}


@pytest.mark.parametrize(
    ("limits", "names"), [({"calls": 5}, ["quota"]), ({"rate": 1, "burst": 1}, ["rate"]), ({"calls": 0}, ["quota"])]
)
def test_only_the_limits_that_there_are_are_named(meter, clock, limits, names):
    headers = dict(meter.headers(a_principal(**limits), clock()))
    assert [list(parameters(header)) for header in headers.values()] == [names, names]


def test_what_remains_is_never_below_nothing(meter, clock, ledger):
    ledger.spend(1, "/fetch-one", 50, TODAY)
    for _ in range(5):
        ledger.admit(1)
    principal = a_principal(calls=10, rate=1, burst=1)
    meter.headers(principal, clock())
    ledger.admit(1)
    ledger.admit(1)
    state = parameters(dict(meter.headers(principal, clock()))["RateLimit"])
    assert (state["quota"]["r"], state["rate"]["r"]) == (0, 0)


def test_bought_calls_are_in_the_quota_that_the_headers_name(meter, clock):
    headers = dict(meter.headers(a_principal(calls=10, bought=((date(2026, 11, 1), 5),)), clock()))
    assert parameters(headers["RateLimit-Policy"])["quota"]["q"] == 15
    assert parameters(headers["RateLimit"])["quota"]["r"] == 15


@pytest.mark.parametrize(("rate", "burst"), [(0.1, 1), (0.3, 2), (1e6, 10**7), (33.3, 100)])
def test_every_number_in_the_headers_is_whole_and_the_window_at_least_a_second(meter, clock, rate, burst):
    principal = a_principal(calls=10**12, rate=rate, burst=burst)
    meter.check_rate(principal, clock())
    headers = dict(meter.headers(principal, clock()))
    assert parameters(headers["RateLimit-Policy"])["rate"]["w"] >= 1
    assert parameters(headers["RateLimit"])["rate"]["t"] >= 0


@pytest.mark.parametrize(("rate", "burst", "spent"), [(0.1, 3, 1), (50, 100, 70), (1, 10, 10), (0.3, 2, 2)])
def test_after_t_seconds_the_whole_burst_is_there(meter, clock, rate, burst, spent):
    principal = a_principal(rate=rate, burst=burst)
    for _ in range(spent):
        meter.check_rate(principal, clock())
    clock.now += parameters(dict(meter.headers(principal, clock()))["RateLimit"])["rate"]["t"]
    assert parameters(dict(meter.headers(principal, clock()))["RateLimit"])["rate"]["r"] == burst


def test_the_principals_of_keys_that_have_not_changed_stay_the_same() -> None:
    plans = {"unlimited": UNLIMITED}
    keys = {Digest(bytes([number])): StoredKey(number, Account(number, f"a{number}", "unlimited")) for number in (1, 2)}
    principals = Principals(keys, plans)
    first, second = principals.by_digest.values()
    changed = {digest: replace(stored, account=replace(stored.account)) for digest, stored in keys.items()}
    changed[Digest(b"\2")] = replace(changed[Digest(b"\2")], account=Account(2, "a2", "unlimited", suspended=True))
    changed[Digest(b"\3")] = StoredKey(3, Account(3, "a3", "unlimited"))
    principals.update(stored_keys=changed, plans=dict(plans))
    assert principals.by_digest[Digest(b"\1")] is first
    assert (second.is_open, principals.by_digest[Digest(b"\2")].is_open) == (True, False)
    assert principals.by_digest[Digest(b"\3")].key == 3
    principals.update(plans={"unlimited": structs.replace(UNLIMITED, rate=1.0, burst=1)})
    assert {one.is_limited for one in principals.by_digest.values()} == {True}
    principals.update(stored_keys={})
    assert principals.by_digest == {}
