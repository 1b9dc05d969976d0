"""Reservations: what answers in the making will cost is spent by nobody else, and given back if they are not sent."""

from __future__ import annotations

import threading

import pytest
from msgspec import structs
from tests.conftest import Clock, MemoryLedger

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.meter import Meter
from cambist.accounts.plan import default_plans, read_plans
from cambist.accounts.principal import Principal
from cambist.accounts.reservations import OwnReservations
from cambist.accounts.would_block import WouldBlock
from cambist.errors import QuotaSpent, RateLimited

UNLIMITED = read_plans(default_plans(), "plans.toml")["unlimited"]


def shop(calls: int | None = 10, **fields: object) -> Principal:
    plan = structs.replace(UNLIMITED, name="p", calls_a_month=calls, **fields)
    return Principal.build(StoredKey(10, Account(1, "shop", "p")), {"p": plan})


@pytest.fixture
def meter(ledger: MemoryLedger) -> Meter:
    return Meter(ledger, {})


def left(meter: Meter, clock: Clock) -> str:
    return dict(meter.headers(shop(), clock()))["RateLimit"].partition(";t=")[0]


def test_what_is_reserved_can_be_spent_once(meter: Meter, ledger: MemoryLedger, clock: Clock) -> None:
    first = meter.reserve(shop(), 7, clock())
    with pytest.raises(QuotaSpent, match=r"the row costs \[4\] calls, \[3\] remain"):
        meter.reserve(shop(), 4, clock(), "the row")
    with pytest.raises(QuotaSpent):
        meter.check_quota(shop(), 4, clock())
    with pytest.raises(QuotaSpent):
        meter.admit(shop(), "/a", 4, clock())
    second = meter.reserve(shop(), 3, clock())
    first.commit("/a")
    second.commit("/b")
    assert sum(ledger.spent_by.values()) == 10
    with pytest.raises(QuotaSpent, match=r"\[0\] remain"):
        meter.reserve(shop(), 1, clock())


def test_what_is_not_committed_is_given_back(meter: Meter, ledger: MemoryLedger, clock: Clock) -> None:
    with pytest.raises(KeyError), meter.reserve(shop(), 10, clock()):
        raise KeyError
    with meter.reserve(shop(), 10, clock()):
        pass
    with meter.reserve(shop(), 10, clock()) as reservation:
        settle = reservation.hand_over("/a")
    with pytest.raises(QuotaSpent):
        meter.reserve(shop(), 1, clock())
    settle(False)
    assert (sum(ledger.spent_by.values()), left(meter, clock)) == (0, '"quota";r=10')
    with meter.reserve(shop(), 10, clock()) as reservation:
        settle = reservation.hand_over("/a")
    settle(True)
    assert sum(ledger.spent_by.values()) == 10


def test_the_calls_left_are_without_what_is_reserved(meter: Meter, clock: Clock) -> None:
    reservation = meter.reserve(shop(), 4, clock())
    assert left(meter, clock) == '"quota";r=6'
    reservation.commit("/a")
    assert left(meter, clock) == '"quota";r=6'


def test_a_reservation_can_grow_and_shrink_and_change(meter: Meter, ledger: MemoryLedger, clock: Clock) -> None:
    reservation = meter.reserve(shop(), 1, clock())
    reservation.add(8)
    with pytest.raises(QuotaSpent):
        reservation.add(2)
    reservation.remove(5)
    assert (reservation.cost, left(meter, clock)) == (4, '"quota";r=6')
    reservation.change(10)
    assert left(meter, clock) == '"quota";r=0'
    reservation.change(2)
    reservation.commit("/a")
    assert sum(ledger.spent_by.values()) == 2


def test_a_plan_without_a_quota_reserves_nothing(ledger: MemoryLedger, clock: Clock) -> None:
    reservations = OwnReservations()
    meter = Meter(ledger, {}, reservations=reservations)
    reservation = meter.reserve(shop(None), 10**6, clock())
    assert not reservations.has_any()
    reservation.commit("/a")
    assert sum(ledger.spent_by.values()) == 10**6


def test_what_is_answered_at_once_leaves_the_decision_to_others_if_it_may_be_too_late(
    ledger: MemoryLedger, clock: Clock
) -> None:
    reservations = OwnReservations()

    class Late(Meter):
        """Another thread reserves between the look at the quota and the reservation."""

        def check_quota(self, principal: Principal, cost: int, now: float, what: str = "the request") -> None:
            super().check_quota(principal, cost, now, what)
            reservations.add(1, 5)

    meter = Late(ledger, {}, reservations=reservations)
    with pytest.raises(WouldBlock):
        meter.admit(shop(), "/a", 6, clock())
    assert (reservations.total(1), sum(ledger.spent_by.values())) == (5, 0)


def test_a_rate_that_refuses_leaves_nothing_reserved(ledger: MemoryLedger, clock: Clock) -> None:
    reservations = OwnReservations()
    meter = Meter(ledger, {}, reservations=reservations)
    slow = shop(rate=1, burst=1)
    meter.admit(slow, "/a", 2, clock())
    with pytest.raises(RateLimited):
        meter.admit(slow, "/a", 2, clock())
    assert (reservations.has_any(), sum(ledger.spent_by.values())) == (False, 2)


@pytest.mark.parametrize("seed", range(24))
def test_threads_that_reserve_at_once_spend_the_quota_and_no_more(
    ledger: MemoryLedger, clock: Clock, seed: int
) -> None:
    meter, quota, cost, gate = Meter(ledger, {}), 30, 1 + seed % 10, threading.Barrier(24)
    answered: list[int] = []

    def ask() -> None:
        gate.wait(10)
        try:
            with meter.reserve(shop(quota), cost, clock()) as reservation:
                threading.Event().wait(0.001 * (seed % 3))
                settle = reservation.hand_over("/a")
        except QuotaSpent:
            return
        answered.append(cost)
        settle(True)

    threads = [threading.Thread(target=ask) for _ in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert sum(answered) == sum(ledger.spent_by.values()) == min(24, quota // cost) * cost
