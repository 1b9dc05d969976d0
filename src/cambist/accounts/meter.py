"""The meter: lets a request in by rate and quota, and counts what its answer cost.

Nothing here waits or locks. The ledger's cells are written by one thread each and read by all. What was counted in
pages that were gone when the process began is in memory; what goes later the ledger keeps. Where the ledger has no room
(a full disk as a page is due), calls are counted in memory and limits hold, though each process knows only its own.
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
from cambist.accounts.quota import NO_QUOTA, Period, period_of, quota_of, seconds_to_end
from cambist.accounts.rate_limit import Bucket, seconds_until_next
from cambist.accounts.usage import UsageRecord, usage_record
from cambist.accounts.usage_counters import UsageCounters
from cambist.errors import QuotaSpent, RateLimited, StoreBroken

_DAY = timedelta(days=1)
_SECONDS_A_DAY = 86_400

_LATE_SECONDS = 120
"""How long after midnight the last day's pages may still be written by answers that began before it."""

PastUsage = Mapping[int, Mapping[date, int]]
"""Calls by account number and day, of pages that the ledger does not have."""


@dataclass(slots=True)
class _Terms:
    """What holds for an account on its plan on one day, worked out once.

    `ends` is the end of its period in seconds since 1970; `settled` its calls of the period before today; `policy` the
    text of `RateLimit-Policy`, `seen_left` what was left when it was looked at last.
    """

    account: Account
    plan: Plan
    today: date
    period: Period
    quota: int | None
    ends: float
    policy: str
    settled: int
    seen_left: int = 0


class Meter:
    """Counts for one process; `past` is what the ledger has no pages of, `warn` hears when it has no room."""

    def __init__(
        self, ledger: UsageCounters, past: PastUsage, warn: Callable[[str], None] = lambda _sentence: None
    ) -> None:
        self._ledger = ledger
        self._warn = warn
        self._past = past
        self._buckets: dict[int, Bucket] = {}
        self._admitted_in_memory: Counter[int] = Counter()
        self._principals: Mapping[Digest, Principal] = {}
        self._limits: dict[int, tuple[float, int]] = {}
        self._terms: dict[int, _Terms] = {}
        self._key_used: dict[int, int] = {}
        self._owed: Counter[tuple[int, str, date]] = Counter()
        self._owing = threading.Lock()
        self._day = (0.0, 0.0, date.min)

    def today(self, now: float) -> date:
        """Give the UTC day of a moment (seconds since 1970)."""
        begins, ends, day = self._day
        if not begins <= now < ends:
            begins = now // _SECONDS_A_DAY * _SECONDS_A_DAY
            day = datetime.fromtimestamp(now, UTC).date()
            self._day = (begins, begins + _SECONDS_A_DAY, day)
        return day

    def check_rate(self, principal: Principal, now: float) -> None:
        """Let one request in, or not. Errors: RateLimited."""
        plan = principal.plan
        if plan.rate is None or plan.burst is None:
            return
        number = principal.account.number
        bucket = self._read(number, now, plan.rate, plan.burst)
        if bucket.level < 1:
            wait = seconds_until_next(bucket, plan.rate)
            raise RateLimited(f"Rate limit exceeded: [{plan.rate:g}] requests a second on the plan [{plan.name}]", wait)
        try:
            self._ledger.admit(number)
        except StoreBroken:
            self._admitted_in_memory[number] += 1

    def _read(self, number: int, now: float, rate: float, burst: int, before: int | None = None) -> Bucket:
        """Read an account's bucket; it was full when it was looked at last, and `before` requests had been let in."""
        counted = self._ledger.admitted(number) + self._admitted_in_memory.get(number, 0)
        last = self._buckets.get(number)
        if last is None:
            last = Bucket(burst, self._ledger.last_admitted(number) if before is None else before, now)
        bucket = self._buckets[number] = last.read(counted, now, rate, burst)
        return bucket

    def tick(self, principals: Mapping[Digest, Principal], now: float) -> None:
        """Do what is due ten times a second: look at what the others let in, and pay what is owed to the ledger."""
        self._ledger.refresh()
        if self._principals is not principals:
            self._principals, self._limits = principals, _limits_of(principals.values())
        for number, before in self._ledger.newly_admitted().items():
            if limit := self._limits.get(number):
                self._read(number, now, *limit, before)
        self._settle()

    def check_quota(self, principal: Principal, cost: int, now: float, what: str = "the request") -> None:
        """Make sure that the account has the calls left that `what` costs. Errors: QuotaSpent, nothing is charged."""
        if principal.plan.calls_a_month is None:
            return
        terms = self._terms_of(principal, now)
        left = self._left(terms)
        if cost > left:
            raise QuotaSpent(
                f"Quota spent: {what} costs [{cost}] calls, [{left}] remain until the period ends on "
                f"{terms.period.end}",
                max(1, seconds_to_end(terms.period, datetime.fromtimestamp(now, UTC))),
            )
        terms.seen_left = left - cost

    def _terms_of(self, principal: Principal, now: float) -> _Terms:
        account, plan, today = principal.account, principal.plan, self.today(now)
        terms = self._terms.get(account.number)
        if terms is None or terms.today != today or terms.account is not account or terms.plan is not plan:
            terms = self._terms[account.number] = self._made_terms(account, plan, today)
        elif now - self._day[0] < _LATE_SECONDS:
            terms.settled = self._settled(account.number, terms.period, today)
        return terms

    def _made_terms(self, account: Account, plan: Plan, today: date) -> _Terms:
        period = period_of(account.anchor_day, today)
        quota = quota_of(plan, account, period)
        end = datetime.combine(period.end + _DAY, datetime.min.time(), UTC)
        seconds = ((period.end - period.start).days + 1) * _SECONDS_A_DAY
        policies = [] if quota is None else [f'"quota";q={quota};w={seconds}']
        if plan.rate is not None and plan.burst is not None:
            policies.append(f'"rate";q={plan.burst};w={round(plan.burst / plan.rate) or 1}')
        settled = self._settled(account.number, period, today)
        return _Terms(account, plan, today, period, quota, end.timestamp(), ", ".join(policies), settled)

    def _settled(self, number: int, period: Period, today: date) -> int:
        days = range((today - period.start).days)
        return sum(self.calls_on(number, period.start + offset * _DAY) for offset in days)

    def _left(self, terms: _Terms) -> int:
        if terms.quota is None:
            return NO_QUOTA
        return max(0, terms.quota - terms.settled - self.calls_on(terms.account.number, terms.today))

    def calls_on(self, number: int, day: date) -> int:
        """Give an account's calls of a day: in the ledger, in pages from before, and those that it had no room for."""
        calls = self._ledger.spent(number, day)
        if (past := self._past.get(number)) is not None:
            calls += past.get(day, 0)
        return calls + self._owed_on(number, day) if self._owed else calls

    def _owed_on(self, number: int, day: date) -> int:
        with self._owing:
            return sum(calls for (who, _, when), calls in self._owed.items() if (who, when) == (number, day))

    def spend(self, principal: Principal, endpoint: str, cost: int, now: float) -> None:
        """Count an answer that is about to be given.

        Where the ledger has no room the answer is given all the same, and what it cost is owed until there is.
        """
        if self._key_used.get(principal.key) != int(now):
            self._key_used[principal.key] = int(now)
            with suppress(StoreBroken):  # it is noted again in a second
                self._ledger.use_key(principal.key, int(now))
        if not cost:
            return
        number, today = principal.account.number, self.today(now)
        try:
            self._ledger.spend(number, endpoint, cost, today)
        except StoreBroken as broken:
            with self._owing:
                if not self._owed:
                    self._warn(f"Ledger: no room; answers go on and are counted in memory: {broken}")
                self._owed[number, endpoint, today] += cost

    def _settle(self) -> None:
        """Count what is owed to the ledger, if there is room now."""
        while self._owed:
            with self._owing:
                owed, calls = next(iter(self._owed.items()))
                try:
                    self._ledger.spend(owed[0], owed[1], calls, owed[2])
                except StoreBroken:
                    return
                del self._owed[owed]
            if not self._owed:
                self._warn("Ledger: there is room again, all calls are counted")

    def usage(self, principal: Principal, now: float) -> UsageRecord:
        """Give an account's usage record."""
        today, number = self.today(now), principal.account.number
        terms = self._terms_of(principal, now)
        return usage_record(lambda day: self.calls_on(number, day), terms.quota, terms.period, today)

    def headers(self, principal: Principal, now: float, *, quota_checked: bool = False) -> list[tuple[str, str]]:
        """Write `RateLimit-Policy` and `RateLimit`, as the IETF draft has them; an unlimited plan has neither.

        What was `quota_checked` a moment ago was read then, and is not read again.
        """
        if not principal.is_limited:
            return []
        plan = principal.plan
        terms, states = self._terms_of(principal, now), []
        if terms.quota is not None:
            left = terms.seen_left if quota_checked else self._left(terms)
            states.append(f'"quota";r={left};t={max(0, ceil(terms.ends - now))}')
        if plan.rate is not None and plan.burst is not None:
            states.append(
                self._rate_state(principal.account.number, now, plan.rate, plan.burst, quota_checked=quota_checked)
            )
        return [("RateLimit-Policy", terms.policy), ("RateLimit", ", ".join(states))]

    def _rate_state(self, number: int, now: float, rate: float, burst: int, *, quota_checked: bool) -> str:
        bucket = self._buckets.get(number) if quota_checked else None
        level = bucket.level - 1 if bucket else self._read(number, now, rate, burst).level
        return f'"rate";r={max(0, int(level))};t={max(0, ceil((burst - level) / rate))}'


def _limits_of(principals: Iterable[Principal]) -> dict[int, tuple[float, int]]:
    """Give rate and burst of every account that has them."""
    return {
        one.account.number: (one.plan.rate, one.plan.burst)
        for one in principals
        if one.plan.rate is not None and one.plan.burst is not None
    }
