"""Failed API keys by client address: an address may fail 20 times at once, and then once every two seconds.

Only keys that fail are limited. A right key is never asked about here, so nobody is disturbed by the wrong keys of
others. Pure.
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
        """Return the seconds for which no other key may fail from an address; 0 if one may."""
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
