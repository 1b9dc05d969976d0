"""The meter: applies rate limits and quotas, and counts calls.

An answer in the making reserves what it will cost. The reservation is committed when the answer is sent, or given back.
What is answered at once is checked and counted in one step; a call of cost 1 needs no reservation for that. Only
`reserve` waits, for others that do the same. Each usage counter is written by one thread and read by all. Calls whose
counter files were gone when the process started are in memory. If no counter file can be made because the disk is full,
calls are counted in memory; limits still hold, but each process knows only its own calls.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta

from cambist.accounts.account import Account
from cambist.accounts.call_runs import CallRuns, RunSources
from cambist.accounts.day_limits import SECONDS_A_DAY, DayLimits, build_day_limits, is_jump
from cambist.accounts.pending_calls import PendingCalls
from cambist.accounts.plan import Plan
from cambist.accounts.principal import Principal
from cambist.accounts.quota import NO_QUOTA, Period, quota_spent
from cambist.accounts.rate_limits import PlanOf, RateLimits
from cambist.accounts.reservation import Reservation
from cambist.accounts.reservations import PAUSE_SECONDS, OwnReservations, Reservations
from cambist.accounts.usage import UsageRecord, usage_record
from cambist.accounts.usage_counters import UsageCounters
from cambist.accounts.would_block import WouldBlock
from cambist.errors import StoreBroken

_DAY = timedelta(days=1)

PastUsage = Mapping[int, Mapping[date, int]]
"""Calls by account number and day that are in no counter file."""


class Meter:
    """The meter of one process; `past` are calls in no counter file, `warn` is called if no file can be made.

    `reservations` are those of all processes that share the counters.
    """

    _is_alone = True
    """Whether no other node shares the limits, so that calls are only counted and not reserved in a lease."""

    def __init__(
        self,
        counters: UsageCounters,
        past: PastUsage,
        warn: Callable[[str], None] = lambda _sentence: None,
        reservations: Reservations | None = None,
    ) -> None:
        self._counters = counters
        self._reservations = reservations or OwnReservations()
        self._has_reservations = self._reservations.has_any
        self._past = past
        self._rates = RateLimits(counters)
        self._day_limits: dict[int, DayLimits] = {}
        self._keys_used: set[int] = set()
        self._second = -1.0
        self._pending = PendingCalls(counters, warn)
        self._day = (0.0, 0.0, date.min)
        sources = RunSources(self._limits_for, self._unspent, lambda: self._is_alone and not self._pending.calls)
        self.runs = CallRuns(sources, self._reservations, self._rates)

    def spare_this_thread(self) -> None:
        """Raise WouldBlock in the calling thread where a check has to wait; on one machine, none has to."""

    def release(self) -> None:
        """Give up calls that were checked in the calling thread and are not spent; on one machine, none are kept."""

    def today(self, now: float) -> date:
        """Return the UTC day of a moment (seconds since 1970)."""
        begins, ends, day = self._day
        if not begins <= now < ends:
            begins = now // SECONDS_A_DAY * SECONDS_A_DAY
            day = datetime.fromtimestamp(now, UTC).date()
            self._day = (begins, begins + SECONDS_A_DAY, day)
        return day

    def check_rate(self, principal: Principal, now: float) -> None:
        """Count one request against the rate limit. Errors: RateLimited."""
        self._rates.admit(principal.plan, principal.account.number, now)

    def tick(self, plan_of: PlanOf, now: float) -> None:
        """Read what other processes admitted, and count what is pending; called ten times a second."""
        if is_jump(self._rates.ticked_at, now):
            self._day_limits = {}  # calls may have been counted on other days meanwhile
        self._rates.tick(plan_of, now)
        self._pending.count()
        if self._has_reservations():
            self._reservations.clear_abandoned()

    def admit(
        self,
        principal: Principal,
        endpoint: str,
        cost: int,
        now: float,
        what: str = "the request",
        *,
        is_rate_checked: bool = False,
    ) -> None:
        """Check quota and rate for an answer that is there, and count it.

        Errors: QuotaSpent, RateLimited; WouldBlock if only `reserve` can decide. Then `release` has to be called.
        """
        self.check_quota(principal, cost, now, what)
        is_reserved = cost > 1 and self._reserve_at_once(principal, cost, now)
        try:
            if not is_rate_checked:
                self.check_rate(principal, now)
            self.spend(principal, endpoint, cost, now)
        finally:
            if is_reserved:
                self.give_back(principal, cost)

    def admit_one(self, principal: Principal, endpoint: str, now: float) -> tuple[str, str]:
        """Admit and count an answer that costs one call, on a plan with limits.

        Return the values of the headers `RateLimit-Policy` and `RateLimit`. It does what `admit` and `headers` do, in
        half the time. Errors: as `admit`.
        """
        plan, number = principal.plan, principal.account.number
        if not self._is_alone or self._has_reservations() or self._pending.calls:
            self.admit(principal, endpoint, 1, now)
            policy, state = self.headers(principal, now, quota_checked=True)
            return policy[1], state[1]
        limits, left = self._limits_for(principal, now), 0
        if limits.quota is not None:
            left = limits.quota_left - self._counters.spent(number, limits.today) - 1
            if left < 0:
                raise quota_spent(limits.period, 1, max(0, left + 1), now, "the request")
        level = self._rates.admit(plan, number, now)
        self.spend(principal, endpoint, 1, now)
        return limits.policy[1], limits.shown(left, level, now)

    def _reserve_at_once(self, principal: Principal, cost: int, now: float) -> bool:
        """Reserve calls without waiting for others that do so; return whether there is a quota.

        Errors: WouldBlock if the others may have come first.
        """
        if principal.plan.calls_a_month is None:
            return False
        number = principal.account.number
        self._reservations.add(number, cost)
        if self._reservations.total(number) > self._unspent(self._limits_for(principal, now)):
            self._reservations.remove(number, cost)
            raise WouldBlock
        return True

    def reserve(self, principal: Principal, cost: int, now: float, what: str = "the request") -> Reservation:
        """Reserve the calls that `what` will cost, and return the reservation: to be committed or given back.

        Errors: QuotaSpent; StoreBusy; QuotaUnknown on one of several nodes.
        """
        reservation = Reservation(self, principal, now)
        reservation.add(cost, what)
        return reservation

    def hold(self, principal: Principal, calls: int, now: float, what: str) -> None:
        """Reserve calls. Of several threads and processes that do so at once, each is told the truth."""
        number = principal.account.number
        if not calls or principal.plan.calls_a_month is None:
            return
        with self._reservations.deciding():
            self._reservations.add(number, calls)
            limits = self._limits_for(principal, now)
            reserved, left = self._reservations.total(number), self._unspent(limits)
            if left < reserved != calls:
                self._reservations.clear_abandoned()
                threading.Event().wait(PAUSE_SECONDS)
                reserved, left = self._reservations.total(number), self._unspent(limits)
            if left < reserved:
                self._reservations.remove(number, calls)
                raise quota_spent(limits.period, calls, max(0, left - (reserved - calls)), now, what)

    def give_back(self, principal: Principal, calls: int) -> None:
        """Give up calls that were reserved: they are counted, or not needed."""
        if calls and principal.plan.calls_a_month is not None:
            self._reservations.remove(principal.account.number, calls)

    def check_quota(self, principal: Principal, cost: int, now: float, what: str = "the request") -> None:
        """Check that the account has the calls left that `what` costs, before it is computed; nothing is reserved.

        Errors: QuotaSpent. On one of several nodes also QuotaUnknown, and WouldBlock.
        """
        if principal.plan.calls_a_month is None:
            return
        limits = self._limits_for(principal, now)
        if self._has_reservations() or self._pending.calls:
            left = self._remaining(limits)
        else:  # as `_remaining` would, for every call
            left = max(0, limits.quota_left - self._counters.spent(limits.account.number, limits.today))
        if cost > left:
            raise quota_spent(limits.period, cost, left, now, what)
        limits.remaining = left - cost

    def _limits_for(self, principal: Principal, now: float) -> DayLimits:
        account = principal.account
        limits = self._day_limits.get(account.number)
        if (
            limits is not None
            and limits.settled_at <= now < limits.day_ends
            and limits.account is account
            and limits.plan is principal.plan
        ):
            return limits
        return self._update_limits(limits, account, principal.plan, self.today(now))

    def _update_limits(self, limits: DayLimits | None, account: Account, plan: Plan, today: date) -> DayLimits:
        """Work out the limits of a day; just after midnight calls may still be counted on the day before."""
        if limits is None or limits.today != today or limits.account is not account or limits.plan is not plan:
            limits = build_day_limits(account, plan, today)
        limits.quota_left = (limits.quota or 0) - self._used_else(account.number, limits.period, today)
        self._day_limits[account.number] = limits  # only now: other threads read it at once
        return limits

    def _used_else(self, number: int, period: Period, today: date) -> int:
        """Return the calls of a period on other days, and those of today that are in no counter file."""
        others = self._counted_days(number, period) - {today}
        return sum(self.calls_on(number, day) for day in others) + self._past.get(number, {}).get(today, 0)

    def _counted_days(self, number: int, period: Period) -> set[date]:
        """Return the days of a period on which an account may have calls; later ones if the clock was set back.

        Most days of a period have none: this is worked out for each account when it calls first on a day.
        """
        days = {*self._counters.days(), *self._past.get(number, ()), *self._pending.days()}
        return {day for day in days if period.start <= day <= period.end}

    def _remaining(self, limits: DayLimits) -> int:
        if limits.quota is None:
            return NO_QUOTA
        # Before what is spent: a reservation is counted before it is given up.
        reserved = self._reservations.total(limits.account.number) if self._has_reservations() else 0
        return max(0, self._unspent(limits) - reserved)

    def _unspent(self, limits: DayLimits) -> int:
        """Return the calls that are left of a quota, reserved ones included; below 0 if more were spent."""
        left = limits.quota_left - self._counters.spent(limits.account.number, limits.today)
        return left - self._pending.on(limits.account.number, limits.today) if self._pending.calls else left

    def calls_on(self, number: int, day: date) -> int:
        """Return an account's calls of a day: in counter files, from before, and pending."""
        calls = self._counters.spent(number, day) + self._past.get(number, {}).get(day, 0)
        return calls + self._pending.on(number, day) if self._pending.calls else calls

    def _use_key(self, key: int, now: float) -> None:
        """Record the last use of a key, once a second."""
        if not 0 <= now - self._second < 1:
            self._keys_used, self._second = set(), now // 1
        if key not in self._keys_used:
            self._keys_used.add(key)
            try:
                self._counters.use_key(key, int(now))
            except StoreBroken:  # it is recorded again in a second
                return

    def spend(self, principal: Principal, endpoint: str, cost: int, now: float) -> None:
        """Count the calls of an answer about to be sent; if no counter file can be made, they are pending."""
        if principal.key not in self._keys_used or not 0 <= now - self._second < 1:
            self._use_key(principal.key, now)
        if not cost:
            return
        begins, ends, today = self._day
        if not begins <= now < ends:
            today = self.today(now)
        try:
            self._counters.spend(principal.account.number, endpoint, cost, today)
        except StoreBroken as broken:
            self._pending.add(principal.account.number, endpoint, cost, today, broken)

    def usage(self, principal: Principal, now: float) -> UsageRecord:
        """Return an account's usage record."""
        today, number = self.today(now), principal.account.number
        limits = self._limits_for(principal, now)
        return usage_record(lambda day: self.calls_on(number, day), limits.quota, limits.period, today)

    def headers(self, principal: Principal, now: float, *, quota_checked: bool = False) -> list[tuple[str, str]]:
        """Return `RateLimit-Policy` and `RateLimit` as in the IETF draft; an unlimited plan has neither.

        With `quota_checked` the quota was checked a moment ago, and is not read again.
        """
        if not principal.is_limited:
            return []
        plan, number = principal.plan, principal.account.number
        limits = self._day_limits.get(number) if quota_checked else None
        if limits is None or limits.plan is not plan:
            limits = self._limits_for(principal, now)
        left = limits.remaining if quota_checked else self._remaining(limits)
        level = self._rates.level(plan, number, now, is_admitted=quota_checked)
        return [limits.policy, ("RateLimit", limits.shown(left, level, now))]
