"""Calls of one round are decided once and counted once: nothing that a client or another process sees differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.accounts.test_meter import TODAY, a_principal
from tests.conftest import Clock, MemoryLedger

from cambist.accounts.call_runs import ENOUGH, RUN_CALLS
from cambist.accounts.meter import Meter
from cambist.accounts.principal import Principal
from cambist.api.call.settlement import Settlement
from cambist.errors import QuotaSpent, RateLimited, StoreBroken
from cambist.storage.shared.usage.reservation_file import ReservationFile
from cambist.storage.shared.usage.worker_counters import WorkerCounters

PLANS: dict[str, dict[str, Any]] = {
    "quota": {"calls": 1_000_000},
    "rate": {"rate": 10_000, "burst": 20_000},
    "both": {"calls": 1_000_000, "rate": 10_000, "burst": 20_000},
    "a small burst": {"calls": 1_000_000, "rate": 100, "burst": 50},
    "a small quota": {"calls": 40},
}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[list[Meter]]:
    """Two workers of a service."""
    counters = [WorkerCounters(tmp_path, ["/fetch-one", "/convert"], 4) for _ in range(2)]
    reservations = [ReservationFile(tmp_path / "reservations") for _ in range(2)]
    yield [Meter(one, {}, reservations=held) for one, held in zip(counters, reservations, strict=True)]
    for each in (*counters, *reservations):
        each.close()


def answered(settlement: Settlement, principal: Principal, label: str, now: float) -> str:
    """Return the headers of a call, or why it was refused."""
    try:
        return settlement.settle_directly(principal, label, 1, now).decode()
    except (QuotaSpent, RateLimited) as refused:
        return type(refused).__name__


@pytest.mark.parametrize("plan", PLANS)
def test_a_round_says_and_counts_what_single_calls_would(plan: str, clock: Clock) -> None:
    chance, principal = Random(plan), a_principal(**PLANS[plan])  # noqa: S311
    together, single = MemoryLedger(), MemoryLedger()
    one, other = Settlement(Meter(together, {})), Settlement(Meter(single, {}))
    for _ in range(30):
        for _ in range(chance.choice((1, 2, 3, 5, 32))):
            label = chance.choice(("/fetch-one", "/convert"))
            expected = answered(other, principal, label, clock())
            other.settle_owed()
            assert answered(one, principal, label, clock()) == expected
        one.settle_owed()
        assert (together.spent_by, together.admitted_by) == (single.spent_by, single.admitted_by)
        clock.now += chance.choice((0, 0.01, 0.5))
    assert together.spent(1, TODAY) > 0


def test_more_calls_than_are_reserved_are_admitted_one_by_one(clock: Clock) -> None:
    ledger = MemoryLedger()
    settlement, principal = Settlement(Meter(ledger, {})), a_principal(**PLANS["both"])
    for _ in range(2 * RUN_CALLS):
        assert "ratelimit:" in answered(settlement, principal, "/fetch-one", clock())
    settlement.settle_owed()
    assert (ledger.spent(1, TODAY), ledger.admitted(1)) == (2 * RUN_CALLS, 2 * RUN_CALLS)


def test_two_workers_never_admit_more_than_the_quota(workers: list[Meter], clock: Clock) -> None:
    chance, quota = Random(7), ENOUGH + 500  # noqa: S311
    principal, found = a_principal(calls=quota), Counter[str]()
    settlements = [Settlement(meter) for meter in workers]
    for _ in range(400):
        for settlement in chance.sample(settlements, 2):
            for _ in range(chance.choice((1, 4, 32))):
                found[answered(settlement, principal, "/fetch-one", clock())[:9]] += 1
        for settlement in settlements:
            settlement.settle_owed()
    assert found["ratelimit"] == quota
    assert set(found) == {"ratelimit", "QuotaSpen"}
    assert workers[0].calls_on(1, TODAY) == quota


def test_a_run_is_a_reservation_until_its_calls_are_counted(workers: list[Meter], clock: Clock) -> None:
    one, other = workers
    settlement, principal = Settlement(one), a_principal(calls=ENOUGH + RUN_CALLS + 2)
    for _ in range(10):
        answered(settlement, principal, "/fetch-one", clock())
    assert other.calls_on(1, TODAY) == 2
    with pytest.raises(QuotaSpent):
        other.reserve(principal, ENOUGH + 1, clock())
    settlement.settle_owed()
    assert other.calls_on(1, TODAY) == 10
    with other.reserve(principal, ENOUGH + RUN_CALLS - 8, clock()):
        pass


def test_after_a_round_with_a_run_the_next_begins_with_one(workers: list[Meter], clock: Clock) -> None:
    one, other = workers
    settlement, principal = Settlement(one), a_principal(**PLANS["quota"])
    for _ in range(5):
        answered(settlement, principal, "/fetch-one", clock())
    settlement.settle_owed()
    answered(settlement, principal, "/fetch-one", clock())
    assert other.calls_on(1, TODAY) == 5  # a call by itself would be counted by now
    settlement.settle_owed()
    assert other.calls_on(1, TODAY) == 6


def test_calls_that_cannot_be_written_are_counted_in_memory(clock: Clock) -> None:
    class Full(MemoryLedger):
        is_full = False

        def spend(self, *call: Any) -> None:
            if self.is_full:
                raise StoreBroken("full")
            super().spend(*call)

        def admit_many(self, account: int, requests: int) -> None:
            if self.is_full:
                raise StoreBroken("full")
            super().admit_many(account, requests)

    ledger, warned = Full(), list[str]()
    meter = Meter(ledger, {}, warned.append)
    settlement, principal = Settlement(meter), a_principal(**PLANS["both"])
    for _ in range(10):
        answered(settlement, principal, "/fetch-one", clock())
    ledger.is_full = True
    settlement.settle_owed()
    assert (ledger.spent(1, TODAY), meter.calls_on(1, TODAY), len(warned)) == (2, 10, 1)
    assert "r=999989;" in answered(settlement, principal, "/fetch-one", clock())
