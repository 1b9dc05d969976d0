"""Failed API keys by client address: guessing keys is slowed down, and a working key is never refused.

An address may fail 20 times at once, and then once every two seconds. Beyond that, its wrong keys are refused without
saying why. A working key is looked up first, whoever else has failed at its address: with 190 random bits a key, no
number of guesses finds one. Pure.
"""

from __future__ import annotations

from math import ceil

from cambist.accounts.rate_limit import Bucket

FAILURES_AT_ONCE = 20
FAILURES_A_SECOND = 0.5
_MAX_REMEMBERED = 50_000


class FailedKeys:
    """The failures that one process has seen. Addresses are networks of one client; times are seconds since 1970."""

    def __init__(self) -> None:
        self.buckets: dict[str, Bucket] = {}

    def retry_after(self, address: str, now: float) -> int:
        """Return the seconds for which an address gets no answer about its wrong keys; 0 if it gets one."""
        if address not in self.buckets:
            return 0
        level = self._read(address, now).level
        return 0 if level >= 1 else max(1, ceil((1 - level) / FAILURES_A_SECOND))

    def record_failure(self, address: str, now: float) -> None:
        """Count a key that failed."""
        if len(self.buckets) > _MAX_REMEMBERED:
            for oldest in list(self.buckets)[: _MAX_REMEMBERED // 2]:
                self.buckets.pop(oldest, None)
        # Read before the failure is counted: the bucket must not regain more than it can hold.
        self._read(address, now)
        self._read(address, now, 1)

    def _read(self, address: str, now: float, more: int = 0) -> Bucket:
        last = self.buckets.get(address) or Bucket(FAILURES_AT_ONCE, 0, now)
        bucket = self.buckets[address] = last.read(last.counted + more, now, FAILURES_A_SECOND, FAILURES_AT_ONCE)
        return bucket
