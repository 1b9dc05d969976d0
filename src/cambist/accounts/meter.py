"""The meter: applies rate limits and quotas, and counts calls.

Nothing here waits or locks. Each usage counter is written by one thread and read by all. Calls whose counter files were
gone when the process started are in memory. If no counter file can be made because the disk is full, calls are counted
in memory; limits still hold, but each process knows only its own calls.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from math import ceil

from cambist.accounts.account import Account
from cambist.accounts.api_key import Digest
from cambist.accounts.plan import Plan
from cambist.accounts.principal import Principal
from cambist.accounts.quota import NO_QUOTA, Period, period_of, quota_of, quota_spent
from cambist.accounts.rate_limit import Bucket, seconds_until_next
from cambist.accounts.usage import UsageRecord, usage_record
from cambist.accounts.usage_counters import UsageCounters
from cambist.errors import RateLimited, StoreBroken

_DAY = timedelta(days=1)
_SECONDS_A_DAY = 86_400

_LATE_SECONDS = 120
"""How long after midnight answers that began before it may still be counted on the day before."""

_JUMP_SECONDS = 60
"""More than this between two ticks, and the clock was set."""

PastUsage = Mapping[int, Mapping[date, int]]
"""Calls by account number and day that are in no counter file."""


@dataclass(slots=True)
class DayLimits:
    """The limits of an account on one day, worked out once.

    `quota_left` are the calls that it had left when the day began; `ends` is the end of its period, `settled_at` and
    `day_ends` the times between which `quota_left` does not change, in seconds since 1970. `policy` is the header
    `RateLimit-Policy`. `remaining` are its calls left when they were checked last. `rate_state` is what
    `RateLimit` said of the rate last: its two numbers and the text.
    """

    account: Account
    plan: Plan
    today: date
    period: Period
    quota: int | None
    ends: float
    settled_at: float
    day_ends: float
    policy: tuple[str, str]
    quota_left: int
    remaining: int = 0
    rate_state: tuple[int, int, str] = (-1, -1, "")


class Meter:
    """The meter of one process; `past` are calls in no counter file, `warn` is called if no file can be made."""

    def __init__(
        self, counters: UsageCounters, past: PastUsage, warn: Callable[[str], None] = lambda _sentence: None
    ) -> None:
        self._counters = counters
        self._warn = warn
        self._past = past
        self._buckets: dict[int, Bucket] = {}
        self._admitted_in_memory: Counter[int] = Counter()
        self._principals: Mapping[Digest, Principal] = {}
        self._rates: dict[int, tuple[float, int]] = {}
        self._day_limits: dict[int, DayLimits] = {}
        self._keys_used: set[int] = set()
        self._second = -1.0
        self._ticked_at = 0.0
        self._pending: Counter[tuple[int, str, date]] = Counter()
        self._pending_lock = threading.Lock()
        self._day = (0.0, 0.0, date.min)

    def spare_this_thread(self) -> None:
        """Raise MustWait in the calling thread where a check has to wait; on one machine, none has to."""

    def release(self) -> None:
        """Give up calls that were checked in the calling thread and are not spent; on one machine, none are kept."""

    def today(self, now: float) -> date:
        """Return the UTC day of a moment (seconds since 1970)."""
        begins, ends, day = self._day
        if not begins <= now < ends:
            begins = now // _SECONDS_A_DAY * _SECONDS_A_DAY
            day = datetime.fromtimestamp(now, UTC).date()
            self._day = (begins, begins + _SECONDS_A_DAY, day)
        return day

    def check_rate(self, principal: Principal, now: float) -> None:
        """Count one request against the rate limit. Errors: RateLimited."""
        plan = principal.plan
        if plan.rate is None or plan.burst is None:
            return
        number = principal.account.number
        if self._read_bucket(number, now, plan.rate, plan.burst).level < 1:
            wait = seconds_until_next(self._buckets[number], plan.rate)
            raise RateLimited(f"Rate limit exceeded: [{plan.rate:g}] requests a second on the plan [{plan.name}]", wait)
        try:
            self._counters.admit(number)
        except StoreBroken:
            self._admitted_in_memory[number] += 1

    def _read_bucket(self, number: int, now: float, rate: float, burst: int, before: int | None = None) -> Bucket:
        """Read an account's bucket. A new one is full, and begins at `before` admitted requests."""
        counted = self._counters.admitted(number)
        if self._admitted_in_memory:
            counted += self._admitted_in_memory.get(number, 0)
        last = self._buckets.get(number)
        if last is None:
            last = Bucket(burst, self._counters.last_admitted(number) if before is None else before, now)
        elif self._ticked_at > last.at:  # nobody was let in until then, and no bucket holds more than the burst
            last = last.read(last.counted, self._ticked_at, rate, burst)
        bucket = self._buckets[number] = last.read(counted, now, rate, burst)
        return bucket

    def tick(self, principals: Mapping[Digest, Principal], now: float) -> None:
        """Read what other processes admitted, and count what is pending; called ten times a second."""
        self._counters.refresh()
        admitted = self._counters.newly_admitted()
        if admitted and self._principals is not principals:
            self._principals, self._rates = principals, _rates_of(principals.values())
        for number, before in admitted.items():
            if limit := self._rates.get(number):
                self._read_bucket(number, now, *limit, before)
        if not 0 <= now - self._ticked_at < _JUMP_SECONDS:
            self._day_limits = {}  # calls may have been counted on other days meanwhile
        self._ticked_at = now
        self._count_pending()

    def check_quota(self, principal: Principal, cost: int, now: float, what: str = "the request") -> None:
        """Check that the account has the calls left that `what` costs; nothing is charged.

        Errors: QuotaSpent. On one of several nodes also QuotaUnknown, and MustWait.
        """
        if principal.plan.calls_a_month is None:
            return
        limits = self._limits_for(principal, now)
        left = self._remaining(limits)
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
            limits = self._build_limits(account, plan, today)
        limits.quota_left = (limits.quota or 0) - self._used_else(account.number, limits.period, today)
        self._day_limits[account.number] = limits  # only now: other threads read it at once
        return limits

    def _build_limits(self, account: Account, plan: Plan, today: date) -> DayLimits:
        period = period_of(account.anchor_day, today)
        quota = quota_of(plan, account, period)
        end = datetime.combine(period.end + _DAY, datetime.min.time(), UTC)
        seconds = ((period.end - period.start).days + 1) * _SECONDS_A_DAY
        policies = [] if quota is None else [f'"quota";q={quota};w={seconds}']
        if plan.rate is not None and plan.burst is not None:
            policies.append(f'"rate";q={plan.burst};w={round(plan.burst / plan.rate) or 1}')
        begins = datetime.combine(today, datetime.min.time(), UTC).timestamp()
        return DayLimits(
            account=account,
            plan=plan,
            today=today,
            period=period,
            quota=quota,
            ends=end.timestamp(),
            settled_at=begins + _LATE_SECONDS,
            day_ends=begins + _SECONDS_A_DAY,
            policy=("RateLimit-Policy", ", ".join(policies)),
            quota_left=0,
        )

    def _used_else(self, number: int, period: Period, today: date) -> int:
        """Return the calls of a period on other days than today, and those of today that are in no counter file.

        Later days have calls if the clock was set back.
        """
        other_days = sum(self.calls_on(number, day) for day in period.days() if day != today)
        return other_days + self._past.get(number, {}).get(today, 0)

    def _remaining(self, limits: DayLimits) -> int:
        if limits.quota is None:
            return NO_QUOTA
        left = limits.quota_left - self._counters.spent(limits.account.number, limits.today)
        if self._pending:
            left -= self._pending_on(limits.account.number, limits.today)
        return max(0, left)

    def calls_on(self, number: int, day: date) -> int:
        """Return an account's calls of a day: in counter files, from before, and pending."""
        calls = self._counters.spent(number, day)
        if (past := self._past.get(number)) is not None:
            calls += past.get(day, 0)
        return calls + self._pending_on(number, day) if self._pending else calls

    def _pending_on(self, number: int, day: date) -> int:
        with self._pending_lock:
            return sum(calls for (who, _, when), calls in self._pending.items() if (who, when) == (number, day))

    def _use_key(self, key: int, now: float) -> None:
        """Record the last use of a key, once a second."""
        if not 0 <= now - self._second < 1:
            self._keys_used, self._second = set(), now // 1
        if key not in self._keys_used:
            self._keys_used.add(key)
            with suppress(StoreBroken):  # it is recorded again in a second
                self._counters.use_key(key, int(now))

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
            number = principal.account.number
            with self._pending_lock:
                if not self._pending:
                    self._warn(f"Ledger: no room; answers go on and are counted in memory: {broken}")
                self._pending[number, endpoint, today] += cost

    def _count_pending(self) -> None:
        """Count what is pending, if there is room now."""
        while self._pending:
            with self._pending_lock:
                pending, calls = next(iter(self._pending.items()))
                try:
                    self._counters.spend(pending[0], pending[1], calls, pending[2])
                except StoreBroken:
                    return
                del self._pending[pending]
            if not self._pending:
                self._warn("Ledger: there is room again, all calls are counted")

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
        text = ""
        if limits.quota is not None:
            left = limits.remaining if quota_checked else self._remaining(limits)
            text = f'"quota";r={left};t={max(0, ceil(limits.ends - now))}'
        if plan.rate is not None and plan.burst is not None:
            bucket = self._buckets.get(number) if quota_checked else None
            level = bucket.level - 1 if bucket else self._read_bucket(number, now, plan.rate, plan.burst).level
            rate = _rate_text(limits, max(0, int(level)), max(0, ceil((plan.burst - level) / plan.rate)))
            text = f"{text}, {rate}" if text else rate
        return [limits.policy, ("RateLimit", text)]


def _rate_text(limits: DayLimits, left: int, full_in: int) -> str:
    """Return what `RateLimit` says of the rate; the same text while the numbers are the same."""
    last_left, last_full_in, text = limits.rate_state
    if left != last_left or full_in != last_full_in:
        text = f'"rate";r={left};t={full_in}'
        limits.rate_state = left, full_in, text
    return text


def _rates_of(principals: Iterable[Principal]) -> dict[int, tuple[float, int]]:
    """Return rate and burst of every account with a rate limit, by its number."""
    return {
        one.account.number: (one.plan.rate, one.plan.burst)
        for one in principals
        if one.plan.rate is not None and one.plan.burst is not None
    }
