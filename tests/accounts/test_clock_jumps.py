"""A clock that jumps, ahead or back: limits neither vanish nor lock anybody out."""

from __future__ import annotations

import pytest
from tests.accounts.test_meter import a_principal, plan_of
from tests.conftest import MemoryLedger

from cambist.accounts.failed_keys import FAILURES_A_SECOND, FAILURES_AT_ONCE, FailedKeys
from cambist.accounts.meter import Meter
from cambist.errors import QuotaSpent, RateLimited

HOURS, DAY = 7_200, 86_400
JUMPS = pytest.mark.parametrize("jump", [HOURS, -HOURS, DAY, -DAY, 30 * DAY, -30 * DAY])


class Workers:
    """Two workers whose clock is set; each ticks ten times a second, and so soon after a jump."""

    def __init__(self, ledger, clock, principal) -> None:
        self.meters = [Meter(ledger, {}) for _ in range(2)]
        self._clock, self._plan_of = clock, plan_of(principal)
        self.jump(0)

    def jump(self, seconds: float) -> None:
        self._clock.now += seconds
        for meter in self.meters:
            meter.tick(self._plan_of, self._clock())


def admitted(meter: Meter, principal, now: float, count: int) -> int:
    """Ask so many times at once, and return how often it was let in."""
    found = 0
    for _ in range(count):
        try:
            meter.check_rate(principal, now)
        except RateLimited:
            continue
        found += 1
    return found


def spent(meter: Meter, principal, now: float, count: int) -> int:
    found = 0
    for _ in range(count):
        try:
            meter.check_quota(principal, 1, now)
        except QuotaSpent:
            continue
        meter.spend(principal, "/fetch-one", 1, now)
        found += 1
    return found


@JUMPS
def test_a_jump_lets_in_one_more_burst_at_most_and_locks_nobody_out(ledger, clock, jump):
    principal = a_principal(rate=2, burst=5)
    workers = Workers(ledger, clock, principal)
    assert sum(admitted(meter, principal, clock(), 10) for meter in workers.meters) == 5
    workers.jump(jump)
    assert sum(admitted(meter, principal, clock(), 10) for meter in workers.meters) == (5 if jump > 0 else 0)
    for _ in range(10):
        workers.jump(1)
        assert sum(admitted(meter, principal, clock(), 10) for meter in workers.meters) == 2


class QuietLedger(MemoryLedger):
    """A ledger that names no account whose requests were let in before the last tick, as the mapped one does."""

    def newly_admitted(self):
        return {}


@pytest.mark.parametrize("idle", [2.5, HOURS, DAY])
def test_an_account_that_was_idle_has_one_burst_over_all_workers(clock, idle):
    principal = a_principal(rate=2, burst=5)
    workers = Workers(QuietLedger(), clock, principal)
    assert sum(admitted(meter, principal, clock(), 10) for meter in workers.meters) == 5
    workers.jump(idle)
    assert sum(admitted(meter, principal, clock(), 10) for meter in workers.meters) == 5
    workers.jump(0.1)
    assert sum(admitted(meter, principal, clock(), 10) for meter in workers.meters) == 0


@JUMPS
def test_a_clock_that_jumps_to_and_fro_lets_in_no_more_than_a_burst_for_each_jump(ledger, clock, jump):
    principal, meter = a_principal(rate=1, burst=5), Meter(ledger, {})
    found = 0
    for _ in range(10):
        found += admitted(meter, principal, clock(), 20)
        clock.now += jump
        found += admitted(meter, principal, clock(), 20)
        clock.now -= jump
    assert found <= 5 * 11  # only jumps ahead fill a bucket


@JUMPS
def test_guesses_at_keys_are_slowed_down_across_a_jump(jump):
    failed, now = FailedKeys(), 1_795_176_000.0

    def guesses(count: int) -> int:
        found = 0
        for _ in range(count):
            if not failed.retry_after("a", now):
                failed.record_failure("a", now)
                found += 1
        return found

    assert guesses(100) == FAILURES_AT_ONCE
    now += jump
    assert guesses(100) <= FAILURES_AT_ONCE
    for _ in range(5):
        now += 1 / FAILURES_A_SECOND
        assert guesses(10) == 1


@pytest.mark.parametrize("jump", [HOURS, -HOURS, DAY, -DAY, 9 * DAY, -9 * DAY])
def test_a_quota_holds_across_jumps_to_and_fro_within_its_period(ledger, clock, jump):
    principal = a_principal(calls=100, anchor_day=10)
    workers = Workers(ledger, clock, principal)
    assert spent(workers.meters[0], principal, clock(), 30) == 30
    workers.jump(jump)
    assert spent(workers.meters[1], principal, clock(), 30) == 30
    workers.jump(-jump)
    assert sum(spent(worker, principal, clock(), 50) for worker in workers.meters) == 40
    assert workers.meters[0].usage(principal, clock()).used == 100
    workers.jump(jump)
    assert sum(spent(worker, principal, clock(), 50) for worker in workers.meters) == 0


@pytest.mark.parametrize("jump", [40 * DAY, -40 * DAY])
def test_calls_of_another_period_are_counted_there(ledger, clock, jump):
    principal, meter = a_principal(calls=100, anchor_day=10), Meter(ledger, {})
    assert spent(meter, principal, clock(), 200) == 100
    clock.now += jump
    assert spent(meter, principal, clock(), 30) == 30
    clock.now -= jump
    assert spent(meter, principal, clock(), 10) == 0
