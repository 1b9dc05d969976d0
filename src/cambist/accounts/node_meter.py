"""The meter of a process of one of several nodes: it admits only calls that a lease of this node covers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from cambist.accounts.day_limits import DayLimits
from cambist.accounts.meter import Meter, PastUsage
from cambist.accounts.node_leases import HeldLease, NodeLeases, PendingRequest
from cambist.accounts.principal import Principal
from cambist.accounts.quota import Period, quota_spent
from cambist.accounts.rate_limits import PlanOf
from cambist.accounts.reservations import PAUSE_SECONDS, Reservations
from cambist.accounts.usage import SHOWN_DAYS, UsageRecord, usage_record
from cambist.accounts.usage_counters import UsageCounters
from cambist.accounts.would_block import WouldBlock
from cambist.errors import QuotaSpent, QuotaUnknown, StoreBroken, StoreBusy

OthersUsage = Callable[[int, date], Mapping[date, int]]
"""Returns the calls of an account by day, since a day, that other nodes counted. Errors: StoreBroken, StoreBusy,
WouldBlock."""

_DAY = timedelta(days=1)
_RETRY_SECONDS = 5
_NO_LEASE = HeldLease(free=0, granted=0, quota=-1, chunk=0)


class _Attempt(NamedTuple):
    """An attempt to reserve calls: whether they are reserved, the lease, and the calls that it had left."""

    is_reserved: bool
    lease: HeldLease
    left: int


class NodeMeter(Meter):
    """A meter whose quotas are those of the node's leases, and whose rates are divided while nodes are apart.

    `past` and the counters have only the calls of this node.
    """

    _is_alone = False

    def __init__(
        self,
        counters: UsageCounters,
        past: PastUsage,
        leases: NodeLeases,
        others_usage: OthersUsage,
        warn: Callable[[str], None] = lambda _sentence: None,
        reservations: Reservations | None = None,
    ) -> None:
        super().__init__(counters, past, warn, reservations)
        self._leases = leases
        self._others_usage = others_usage
        self._others_known: dict[int, Mapping[date, int]] = {}
        self._never_waits = 0
        self._rates.share = leases.share
        self._refilled: dict[int, int] = {}

    def spare_this_thread(self) -> None:
        """Raise WouldBlock in the calling thread from now on, where a check has to wait for a lease."""
        self._never_waits = threading.get_ident()

    def release(self) -> None:
        """Give up what this thread has reserved."""
        self._leases.release()

    def tick(self, plan_of: PlanOf, now: float) -> None:
        """Read also whether the nodes know what the others admit."""
        self._rates.share = self._leases.share
        super().tick(plan_of, now)

    def check_quota(self, principal: Principal, cost: int, now: float, what: str = "the request") -> None:
        """Reserve the calls that `what` costs in a lease of this node, for this thread.

        Errors: QuotaSpent; QuotaUnknown if it cannot be known now; WouldBlock in a thread that never waits.
        """
        if principal.plan.calls_a_month is None:
            return
        limits = self._limits_for(principal, now)
        if not cost:
            limits.remaining = self._remaining(limits)
            return
        attempt = self._attempt(limits, cost)
        if not attempt.is_reserved:
            attempt = self._wait_for_calls(limits, cost, attempt, now, what)
        limits.remaining = attempt.left - cost + attempt.lease.free
        if attempt.lease.free and attempt.left - cost < attempt.lease.chunk // 2:
            self._refill(limits.account.number, attempt.lease)

    def _reserve_at_once(self, _principal: Principal, _cost: int, _now: float) -> bool:
        """Reserve nothing more: `check_quota` has reserved the calls for this thread."""
        return False

    def hold(self, principal: Principal, calls: int, now: float, what: str) -> None:
        """Reserve calls of a lease, first for this thread and then for the answer, which others may send."""
        if not calls or principal.plan.calls_a_month is None:
            return
        try:
            try:
                self.check_quota(principal, calls, now, what)
            except QuotaSpent:
                if not self._has_reservations():
                    raise
                self._reservations.clear_abandoned()
                threading.Event().wait(PAUSE_SECONDS)  # for what was counted, but not yet given up
                self.check_quota(principal, calls, now, what)
            self._reservations.add(principal.account.number, calls)
        finally:
            self._leases.release()

    def _attempt(self, limits: DayLimits, cost: int) -> _Attempt:
        """Reserve calls, unless the lease does not cover them beside what is counted and what others have reserved."""
        number = limits.account.number
        reserved = self._leases.reserve(number, cost)
        lease = self._leases.lease(number, limits.period.start) or _NO_LEASE
        left = self._left(limits, lease)
        if cost <= left - reserved:
            return _Attempt(is_reserved=True, lease=lease, left=left)
        self._leases.release()
        return _Attempt(is_reserved=False, lease=lease, left=left)

    def _left(self, limits: DayLimits, lease: HeldLease) -> int:
        """Return the calls that this node may still answer."""
        granted, quota = lease.granted, limits.quota or 0
        # Before what is used: a reservation is counted before it is given up.
        reserved = self._reservations.total(limits.account.number) if self._has_reservations() else 0
        # Where it is known that nothing is free, a database that is gone makes no difference.
        if limits.plan.offline_calls and (lease.free or lease.quota != quota) and not self._leases.is_reachable:
            granted += limits.plan.offline_calls
        return min(granted, quota) - reserved - self._used(limits)

    def _used(self, limits: DayLimits) -> int:
        """Return the calls of the period that this node has counted, also those of requests around midnight."""
        number, counters = limits.account.number, self._counters
        used = (limits.quota or 0) - limits.quota_left
        for day in _days_in_flight(limits.period, limits.today):
            used += counters.spent(number, day)
            if self._pending.calls:
                used += self._pending.on(number, day)
        return used

    def _used_else(self, number: int, period: Period, today: date) -> int:
        """Return the calls of a period that are no longer counted, and those that are in no counter file."""
        in_flight, past = _days_in_flight(period, today), self._past.get(number, {})
        settled = sum(self.calls_on(number, day) for day in self._counted_days(number, period).difference(in_flight))
        return settled + sum(past.get(day, 0) for day in in_flight)

    def _remaining(self, limits: DayLimits) -> int:
        if limits.quota is None:
            return super()._remaining(limits)
        lease = self._leases.lease(limits.account.number, limits.period.start)
        if lease is None:
            reserved = self._reservations.total(limits.account.number) if self._has_reservations() else 0
            return max(0, limits.quota - reserved - self._used(limits))
        return max(0, self._left(limits, lease)) + lease.free

    def _refill(self, number: int, lease: HeldLease) -> None:
        """Ask for more calls before they are needed, once for each lease."""
        if self._refilled.get(number) != lease.granted:
            self._refilled[number] = lease.granted
            self._leases.request(number, 1, lease.granted)

    def _wait_for_calls(self, limits: DayLimits, cost: int, attempt: _Attempt, now: float, what: str) -> _Attempt:
        """Ask for more calls, and wait for them. Errors: as `check_quota`."""
        self._check_hope(limits, cost, attempt, now, what)
        if threading.get_ident() == self._never_waits:
            if cost <= attempt.left:  # other threads have reserved them
                raise WouldBlock
            wanted = PendingRequest(limits.account.number, cost - attempt.left, attempt.lease.granted)
            raise WouldBlock(self._leases.awaited(wanted, limits.period.start))
        for _ in self._leases.grants():
            attempt = self._attempt(limits, cost)
            if attempt.is_reserved:
                return attempt
            self._check_hope(limits, cost, attempt, now, what)
        raise QuotaUnknown("How many calls the account has left could not be found out in time", _RETRY_SECONDS)

    def _check_hope(self, limits: DayLimits, cost: int, attempt: _Attempt, now: float, what: str) -> None:
        """Ask for more calls. Errors: QuotaSpent or QuotaUnknown if it makes no sense to wait for them."""
        lease, left, quota = attempt.lease, max(0, attempt.left), limits.quota or 0
        if cost <= attempt.left:
            return  # other threads have reserved them, and may not need them
        # Also if nothing was free: that may have changed.
        if cost <= quota:
            self._leases.request(limits.account.number, cost - attempt.left, lease.granted)
        if cost > quota or (not lease.free and lease.quota == quota):
            raise quota_spent(limits.period, cost, left, now, what)
        if not self._leases.is_reachable:
            raise QuotaUnknown("How many calls the account has left cannot be found out now", _RETRY_SECONDS)

    def usage(self, principal: Principal, now: float) -> UsageRecord:
        """Return an account's usage record over all nodes; of the others what was known last. Errors: WouldBlock."""
        today, number = self.today(now), principal.account.number
        limits = self._limits_for(principal, now)
        since = min(limits.period.start, today - SHOWN_DAYS * _DAY)
        with suppress(StoreBroken, StoreBusy):
            self._others_known[number] = self._others_usage(number, since)
        others = self._others_known.get(number, {})
        return usage_record(
            lambda day: self.calls_on(number, day) + others.get(day, 0), limits.quota, limits.period, today
        )

    def spend(self, principal: Principal, endpoint: str, cost: int, now: float) -> None:
        """Count calls that this thread has reserved."""
        super().spend(principal, endpoint, cost, now)
        self._leases.release()

    def headers(self, principal: Principal, now: float, *, quota_checked: bool = False) -> list[tuple[str, str]]:
        """Return the headers of an answer, which is complete."""
        if not quota_checked:
            self._leases.release()
        return super().headers(principal, now, quota_checked=quota_checked)


@lru_cache(maxsize=256)
def _days_in_flight(period: Period, today: date) -> tuple[date, ...]:
    """Return the days of a period on which calls may be counted now: a request may have begun before midnight."""
    return tuple(day for day in (today - _DAY, today, today + _DAY) if period.start <= day <= period.end)
