"""The meter of one of several nodes: it admits what the node's leases cover."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

import pytest
from msgspec import structs
from tests.conftest import Clock, MemoryLedger

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import Digest
from cambist.accounts.node_leases import HeldLease, NodeLeases, PendingRequest
from cambist.accounts.node_meter import NodeMeter
from cambist.accounts.plan import Plan, default_plans, read_plans
from cambist.accounts.principal import Principal, Principals
from cambist.accounts.would_block import WouldBlock
from cambist.errors import QuotaSpent, QuotaUnknown, RateLimited, StoreBroken

UNLIMITED = read_plans(default_plans(), "plans.toml")["unlimited"]
NOVEMBER, DECEMBER, TODAY = date(2026, 11, 1), date(2026, 12, 1), date(2026, 11, 20)
DAY = timedelta(days=1)
QUOTA = 800


@dataclass
class Leases:
    """Leases in memory. `bank` grants what is asked for, as a link does while a request waits."""

    held: dict[tuple[int, date], HeldLease] = field(default_factory=dict)
    others: int = 0
    own: int = 0
    requests: list[PendingRequest] = field(default_factory=list)
    bank: list[HeldLease] = field(default_factory=list)
    pauses: int = 3
    is_reachable: bool = True
    share: int = 1

    def lease(self, account: int, period_start: date) -> HeldLease | None:
        return self.held.get((account, period_start))

    def reserve(self, _account: int, calls: int) -> int:
        self.own = calls
        return self.others

    def release(self) -> None:
        self.own = 0

    def request(self, account: int, calls: int, granted: int) -> None:
        self.requests.append(PendingRequest(account, calls, granted))

    def awaited(self, wanted: PendingRequest, period_start: date) -> Callable[[], bool]:
        before = self.lease(wanted.account, period_start)
        return lambda: self.lease(wanted.account, period_start) != before

    def grants(self) -> Iterator[None]:
        for _ in range(self.pauses):
            if self.bank:
                self.held[1, NOVEMBER] = self.bank.pop(0)
            yield


@pytest.fixture
def leases() -> Leases:
    return Leases()


OTHERS = {TODAY: 7, TODAY - DAY: 20}


@pytest.fixture
def meter(ledger: MemoryLedger, leases: Leases) -> NodeMeter:
    checked: NodeLeases = leases
    return NodeMeter(ledger, {}, checked, lambda _account, _since: OTHERS)


def ann(plan: Plan | None = None, **fields: object) -> Principal:
    plan = plan or structs.replace(UNLIMITED, **{"name": "p", "calls_a_month": QUOTA} | fields)
    return Principal.build(StoredKey(10, Account(1, "ann", plan.name)), {plan.name: plan})


def lease(granted: int, free: int = 500, quota: int = QUOTA, chunk: int = 0) -> HeldLease:
    return HeldLease(free, granted, quota, chunk)


def test_calls_are_admitted_within_the_lease_and_no_further(
    meter: NodeMeter, leases: Leases, ledger: MemoryLedger, clock: Clock
) -> None:
    leases.held[1, NOVEMBER] = lease(5, free=0)
    for _ in range(5):
        meter.check_quota(ann(), 1, clock())
        assert leases.own == 1
        meter.spend(ann(), "/a", 1, clock())
        assert leases.own == 0
    with pytest.raises(QuotaSpent, match=r"costs \[2\] calls, \[0\] remain until the period ends on 2026-11-30"):
        meter.check_quota(ann(), 2, clock())
    assert (ledger.spent(1, TODAY), leases.own) == (5, 0)


def test_an_account_without_a_quota_needs_no_lease(meter: NodeMeter, leases: Leases, clock: Clock) -> None:
    meter.check_quota(ann(UNLIMITED), 10**6, clock())
    meter.spend(ann(UNLIMITED), "/a", 10**6, clock())
    assert leases.requests == []


def test_what_costs_nothing_needs_no_lease(meter: NodeMeter, leases: Leases, clock: Clock) -> None:
    meter.check_quota(ann(), 0, clock())
    assert leases.requests == []


def test_a_first_call_waits_for_a_grant(meter: NodeMeter, leases: Leases, clock: Clock) -> None:
    leases.bank = [lease(100)]
    meter.check_quota(ann(), 1, clock())
    assert leases.requests[0] == PendingRequest(1, 1, 0)
    assert leases.own == 1


def test_a_large_answer_asks_for_what_is_missing(meter: NodeMeter, leases: Leases, clock: Clock) -> None:
    leases.held[1, NOVEMBER] = lease(30)
    leases.bank = [lease(100)]
    meter.check_quota(ann(), 80, clock())
    assert leases.requests[0] == PendingRequest(1, 50, 30)


def test_a_thread_that_never_waits_leaves_it_to_another(meter: NodeMeter, leases: Leases, clock: Clock) -> None:
    meter.spare_this_thread()
    with pytest.raises(WouldBlock):
        meter.check_quota(ann(), 1, clock())
    leases.bank = [lease(100)]
    thread = threading.Thread(target=meter.check_quota, args=(ann(), 1, clock()))
    thread.start()
    thread.join()
    meter.check_quota(ann(), 1, clock())


def test_the_event_loop_is_told_when_a_grant_is_there(meter: NodeMeter, leases: Leases, clock: Clock) -> None:
    meter.spare_this_thread()
    with pytest.raises(WouldBlock) as blocked:
        meter.check_quota(ann(), 2, clock())
    is_over = blocked.value.is_over
    assert is_over is not None
    assert not is_over()
    assert leases.requests == [PendingRequest(1, 2, 0)]
    leases.held[1, NOVEMBER] = lease(100)
    assert is_over()
    meter.check_quota(ann(), 2, clock())


def test_what_other_threads_have_reserved_is_for_a_thread(meter: NodeMeter, leases: Leases, clock: Clock) -> None:
    leases.held[1, NOVEMBER] = lease(5, free=0)
    leases.others = 5
    meter.spare_this_thread()
    with pytest.raises(WouldBlock) as blocked:
        meter.check_quota(ann(), 1, clock())
    assert blocked.value.is_over is None


def test_without_a_grant_in_time_the_quota_is_unknown(meter: NodeMeter, clock: Clock) -> None:
    with pytest.raises(QuotaUnknown, match="in time") as refused:
        meter.check_quota(ann(), 1, clock())
    assert refused.value.retry_after > 0


def test_while_no_calls_can_be_granted_nobody_waits(meter: NodeMeter, leases: Leases, clock: Clock) -> None:
    leases.is_reachable = False
    leases.pauses = 0
    leases.held[1, NOVEMBER] = lease(1)
    meter.check_quota(ann(), 1, clock())
    meter.spend(ann(), "/a", 1, clock())
    meter.spare_this_thread()
    with pytest.raises(QuotaUnknown, match="cannot be found out now"):
        meter.check_quota(ann(), 1, clock())


def test_what_other_threads_have_reserved_is_waited_for(meter: NodeMeter, leases: Leases, clock: Clock) -> None:
    leases.held[1, NOVEMBER] = lease(5, free=0)
    leases.others = 4
    meter.check_quota(ann(), 1, clock())
    with pytest.raises(QuotaUnknown):
        meter.check_quota(ann(), 2, clock())
    assert leases.requests == []


def test_a_spent_quota_is_asked_for_again_and_again(meter: NodeMeter, leases: Leases, clock: Clock) -> None:
    leases.held[1, NOVEMBER] = lease(0, free=0)
    for _ in range(2):
        with pytest.raises(QuotaSpent):
            meter.check_quota(ann(), 1, clock())
    assert leases.requests == [PendingRequest(1, 1, 0)] * 2


def test_calls_that_were_bought_are_waited_for(meter: NodeMeter, leases: Leases, clock: Clock) -> None:
    leases.held[1, NOVEMBER] = lease(0, free=0, quota=QUOTA - 1)
    leases.bank = [lease(10)]
    meter.check_quota(ann(), 1, clock())


def test_more_than_the_whole_quota_is_refused_at_once(meter: NodeMeter, leases: Leases, clock: Clock) -> None:
    with pytest.raises(QuotaSpent):
        meter.check_quota(ann(), QUOTA + 1, clock())
    assert leases.requests == []


def test_a_lease_above_the_quota_is_cut(meter: NodeMeter, leases: Leases, clock: Clock) -> None:
    leases.held[1, NOVEMBER] = lease(QUOTA, free=0, quota=10)
    meter.check_quota(ann(calls_a_month=10), 10, clock())
    with pytest.raises(QuotaSpent):
        meter.check_quota(ann(calls_a_month=10), 11, clock())


def test_half_a_chunk_before_the_end_more_is_asked_for_once(meter: NodeMeter, leases: Leases, clock: Clock) -> None:
    leases.held[1, NOVEMBER] = lease(100, chunk=20)
    for _ in range(90):
        meter.check_quota(ann(), 1, clock())
        meter.spend(ann(), "/a", 1, clock())
    assert leases.requests == []
    for _ in range(5):
        meter.check_quota(ann(), 1, clock())
        meter.spend(ann(), "/a", 1, clock())
    assert leases.requests == [PendingRequest(1, 1, 100)]


def test_some_calls_go_on_while_the_database_is_gone_if_the_plan_says_so(
    meter: NodeMeter, leases: Leases, ledger: MemoryLedger, clock: Clock
) -> None:
    leases.held[1, NOVEMBER] = lease(3)
    leases.is_reachable = False
    careful = ann(offline_calls=4)
    for _ in range(7):
        meter.check_quota(careful, 1, clock())
        meter.spend(careful, "/a", 1, clock())
    with pytest.raises(QuotaUnknown):
        meter.check_quota(careful, 1, clock())
    leases.is_reachable = True
    leases.bank = [lease(9)]
    meter.check_quota(careful, 1, clock())
    assert leases.requests[-1] == PendingRequest(1, 5, 3)
    assert ledger.spent(1, TODAY) == 7


def test_a_quota_that_is_known_to_be_spent_has_no_offline_calls(meter: NodeMeter, leases: Leases, clock: Clock) -> None:
    leases.held[1, NOVEMBER] = lease(0, free=0)
    leases.is_reachable = False
    with pytest.raises(QuotaSpent):
        meter.check_quota(ann(offline_calls=4), 1, clock())


def test_calls_of_the_days_around_midnight_are_counted(ledger: MemoryLedger, leases: Leases, clock: Clock) -> None:
    meter = NodeMeter(ledger, {1: {TODAY - 3 * DAY: 100}}, leases, lambda *_: {})
    leases.held[1, NOVEMBER] = lease(110, free=0)
    meter.check_quota(ann(), 10, clock())
    # A request that began before midnight is counted after the limits of the day were worked out.
    for day in (TODAY - DAY, TODAY, TODAY + DAY):
        ledger.spend(1, "/a", 3, day)
    meter.check_quota(ann(), 1, clock())
    with pytest.raises(QuotaSpent, match=r"\[1\] remain"):
        meter.check_quota(ann(), 2, clock())


def test_a_new_period_needs_a_new_lease(meter: NodeMeter, leases: Leases, ledger: MemoryLedger, clock: Clock) -> None:
    leases.held[1, NOVEMBER] = lease(10, free=0)
    leases.held[1, DECEMBER] = lease(20, free=0)
    ledger.spend(1, "/a", 10, date(2026, 11, 30))
    clock.set(2026, 12, 1, 0, 0, 1)
    meter.check_quota(ann(), 20, clock())
    clock.set(2026, 11, 30, 23, 59, 59)
    with pytest.raises(QuotaSpent):
        meter.check_quota(ann(), 1, clock())


def test_the_header_shows_what_the_account_has_as_it_was_known_last(
    meter: NodeMeter, leases: Leases, clock: Clock
) -> None:
    leases.held[1, NOVEMBER] = lease(100, free=500)
    one = ann()
    meter.check_quota(one, 10, clock())
    assert "r=590;" in dict(meter.headers(one, clock(), quota_checked=True))["RateLimit"]
    meter.spend(one, "/a", 10, clock())
    assert "r=590;" in dict(meter.headers(one, clock()))["RateLimit"]


def test_an_answer_that_is_complete_has_nothing_reserved(meter: NodeMeter, leases: Leases, clock: Clock) -> None:
    leases.held[1, NOVEMBER] = lease(100)
    meter.check_quota(ann(), 10, clock())
    meter.headers(ann(), clock())
    assert leases.own == 0


def test_usage_is_that_of_all_nodes(meter: NodeMeter, ledger: MemoryLedger, clock: Clock) -> None:
    ledger.spend(1, "/a", 5, TODAY)
    record = meter.usage(ann(), clock())
    assert (record.by_day[TODAY], record.by_day[TODAY - DAY]) == (12, 20)
    assert (record.used, record.remaining) == (32, QUOTA - 32)


def test_usage_of_the_others_is_what_was_known_last(ledger: MemoryLedger, leases: Leases, clock: Clock) -> None:
    answers: list[Mapping[date, int] | StoreBroken] = [OTHERS, StoreBroken("gone")]

    def ask(_account: int, since: date) -> Mapping[date, int]:
        assert since == NOVEMBER
        answer = answers.pop(0)
        if isinstance(answer, StoreBroken):
            raise answer
        return answer

    meter = NodeMeter(ledger, {}, leases, ask)
    assert [meter.usage(ann(), clock()).used for _ in range(2)] == [27, 27]


def test_usage_is_read_where_there_is_time_to_wait(ledger: MemoryLedger, leases: Leases, clock: Clock) -> None:
    def would_block(_account: int, _since: date) -> Mapping[date, int]:
        raise WouldBlock

    with pytest.raises(WouldBlock):
        NodeMeter(ledger, {}, leases, would_block).usage(ann(), clock())


@pytest.mark.parametrize(("share", "admitted"), [(1, 10), (3, 3), (50, 1)])
def test_nodes_that_are_apart_divide_the_rate(
    meter: NodeMeter, leases: Leases, clock: Clock, share: int, admitted: int
) -> None:
    limited = ann(rate=10, burst=10)
    plan_of = Principals({Digest(b"1"): StoredKey(10, limited.account)}, {"p": limited.plan}).by_digest.plan_of
    leases.share = share
    meter.tick(plan_of, clock())
    for _ in range(admitted):
        meter.check_rate(limited, clock())
    with pytest.raises(RateLimited):
        meter.check_rate(limited, clock())
    clock.now += share / 10 * 1.5
    meter.check_rate(limited, clock())
    with pytest.raises(RateLimited):
        meter.check_rate(limited, clock())


def test_the_period_is_that_of_the_request(meter: NodeMeter, leases: Leases) -> None:
    leases.held[1, NOVEMBER] = lease(1, free=0)
    with pytest.raises(QuotaUnknown):
        meter.check_quota(ann(), 1, datetime(2026, 12, 1, tzinfo=UTC).timestamp())


def test_what_an_answer_has_reserved_is_spent_by_nobody_else(
    meter: NodeMeter, leases: Leases, ledger: MemoryLedger, clock: Clock
) -> None:
    leases.held[1, NOVEMBER] = lease(10, free=0)
    reservation = meter.reserve(ann(), 7, clock())
    assert leases.own == 0  # the thread is free for another request
    with pytest.raises(QuotaSpent, match=r"costs \[4\] calls, \[3\] remain"):
        meter.reserve(ann(), 4, clock())
    with pytest.raises(QuotaSpent):
        meter.admit(ann(), "/a", 4, clock())
    meter.admit(ann(), "/a", 3, clock())
    reservation.release()
    with meter.reserve(ann(), 7, clock()) as again:
        settle = again.hand_over("/a")
    settle(True)
    assert ledger.spent(1, TODAY) == 10
    with pytest.raises(QuotaSpent, match=r"\[0\] remain"):
        meter.reserve(ann(), 1, clock())


def test_what_is_reserved_is_asked_for_beyond_what_was_granted(meter: NodeMeter, leases: Leases, clock: Clock) -> None:
    leases.held[1, NOVEMBER] = lease(10)
    leases.bank = [lease(17)]
    with meter.reserve(ann(), 8, clock()), meter.reserve(ann(), 9, clock()):
        pass
    assert (PendingRequest(1, 7, 10)) in leases.requests
