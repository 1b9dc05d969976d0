"""Failed API keys by client address: guessing keys is slowed down, and clients with a working key are not disturbed.

An address may fail 20 times at once, and then once every two seconds. Beyond that, a key that has not worked from there
before is refused without being looked up, right or wrong, so that a guess reveals nothing. Pure.
"""

from __future__ import annotations

from math import ceil

from cambist.accounts.api_key import Digest
from cambist.accounts.rate_limit import Bucket

FAILURES_AT_ONCE = 20
FAILURES_A_SECOND = 0.5
_MAX_REMEMBERED = 50_000


class FailedKeys:
    """The failures that one process has seen. Addresses are networks of one client; times are seconds since 1970.

    `worked` are the keys that have worked, each with its origin: an address, or what stands for it.
    """

    def __init__(self) -> None:
        self.buckets: dict[str, Bucket] = {}
        self.worked: set[tuple[str, Digest]] = set()

    def record_success(self, origin: str, digest: Digest) -> None:
        """Remember that a key works from an origin."""
        if (origin, digest) not in self.worked:
            if len(self.worked) > _MAX_REMEMBERED:
                self.worked.clear()
            self.worked.add((origin, digest))

    def retry_after(self, address: str, origin: str, digest: Digest, now: float) -> int:
        """Return the seconds for which a key is refused; 0 if it may be tried, or has worked from its origin."""
        if address not in self.buckets or (origin, digest) in self.worked:
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
