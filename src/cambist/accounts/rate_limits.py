"""The rate limits of one process: a bucket for each account, read from the counters of all processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from cambist.accounts.plan import Plan
from cambist.accounts.rate_limit import Bucket, seconds_until_next
from cambist.accounts.usage_counters import UsageCounters
from cambist.errors import RateLimited, StoreBroken

PlanOf = Callable[[int], Plan | None]
"""Returns the plan of the account of a number; None if there is none."""


class RateLimits:
    """Buckets by account number. `share` is over how many nodes each rate is divided.

    If no counter file can be made, requests are counted in memory.
    """

    def __init__(self, counters: UsageCounters) -> None:
        self._counters = counters
        self._buckets: dict[int, Bucket] = {}
        self._in_memory: Counter[int] = Counter()
        self.ticked_at = 0.0
        self.share = 1

    def admit(self, plan: Plan, number: int, now: float) -> float | None:
        """Count one request; return how full the bucket is after it, None without a limit. Errors: RateLimited."""
        if plan.rate is None or plan.burst is None:
            return None
        last = self._buckets.get(number)
        if last is None or last[2] > now or self.ticked_at > now or self._in_memory or self.share > 1:
            bucket = self._read(number, now, plan.rate, plan.burst)
        else:  # as `_read` would, for every call
            before, counted_before, at = last
            if at < self.ticked_at:
                before, at = min(plan.burst, before + plan.rate * (self.ticked_at - at)), self.ticked_at
            counted = self._counters.admitted(number)
            filled = before + plan.rate * (now - at) - (counted - counted_before)
            bucket = self._buckets[number] = Bucket(min(plan.burst, filled), counted, now)
        level = bucket[0]
        if level < 1:
            wait = seconds_until_next(bucket, plan.rate)
            raise RateLimited(f"Rate limit exceeded: [{plan.rate:g}] requests a second on the plan [{plan.name}]", wait)
        try:
            self._counters.admit(number)
        except StoreBroken:
            self._in_memory[number] += 1
        return level - 1

    def admit_many(self, number: int, requests: int) -> None:
        """Count requests that are let in, as `level` has told."""
        try:
            self._counters.admit_many(number, requests)
        except StoreBroken:
            self._in_memory[number] += requests

    def level(self, plan: Plan, number: int, now: float, *, is_admitted: bool) -> float | None:
        """Return how full a bucket is; `is_admitted` says that a request was admitted a moment ago."""
        if plan.rate is None or plan.burst is None:
            return None
        last = self._buckets.get(number) if is_admitted else None
        return last.level - 1 if last else self._read(number, now, plan.rate, plan.burst).level

    def _read(self, number: int, now: float, rate: float, burst: int, before: int | None = None) -> Bucket:
        """Read an account's bucket. A new one is full, and begins at `before` admitted requests."""
        if self.share > 1:
            rate, burst = rate / self.share, max(1, burst // self.share)
        counted = self._counters.admitted(number)
        if self._in_memory:
            counted += self._in_memory.get(number, 0)
        last = self._buckets.get(number)
        if last is None:
            last = Bucket(burst, self._counters.last_admitted(number) if before is None else before, now)
        elif self.ticked_at > last[2]:  # nobody was let in until then, and no bucket holds more than the burst
            last = last.read(last.counted, self.ticked_at, rate, burst)
        bucket = self._buckets[number] = last.read(counted, now, rate, burst)
        return bucket

    def tick(self, plan_of: PlanOf, now: float) -> None:
        """Read what other processes admitted; called ten times a second."""
        self._counters.refresh()
        admitted = self._counters.newly_admitted()
        for number, before in admitted.items():
            plan = plan_of(number)
            if plan is not None and plan.rate is not None and plan.burst is not None:
                self._read(number, now, plan.rate, plan.burst, before)
        self.ticked_at = now
