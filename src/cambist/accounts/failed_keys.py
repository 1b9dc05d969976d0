"""Failed keys by client address: guessing is slowed down to nothing, those who are known there are not disturbed.

An address may fail so many times at once and then once in a while. Beyond that, every key that has not opened anything
from there before is refused unseen, right or wrong, so that a guess learns nothing. Pure.
"""

from __future__ import annotations

from math import ceil

from cambist.accounts.api_key import Digest
from cambist.accounts.rate_limit import Bucket

FAILURES_AT_ONCE = 20
FAILURES_A_SECOND = 0.5
_MOST_REMEMBERED = 50_000


class FailedKeys:
    """What one process has seen fail. Addresses are neighbourhoods; times are seconds since 1970."""

    def __init__(self) -> None:
        self._buckets: dict[str, Bucket] = {}
        self._known: set[tuple[str, Digest]] = set()

    def __bool__(self) -> bool:
        """Whether any key has failed."""
        return bool(self._buckets)

    def opened(self, place: str, digest: Digest) -> None:
        """Remember that a key opened something from a place: an address, or what stands for it."""
        known = (place, digest)
        if known not in self._known:
            if len(self._known) > _MOST_REMEMBERED:
                self._known.clear()
            self._known.add(known)

    def wait(self, address: str, place: str, digest: Digest, now: float) -> int:
        """Give the seconds for which a key is refused unseen; 0 where it may be tried, or is known at its place."""
        if address not in self._buckets or (place, digest) in self._known:
            return 0
        level = self._read(address, now).level
        return 0 if level >= 1 else max(1, ceil((1 - level) / FAILURES_A_SECOND))

    def failed(self, address: str, now: float) -> None:
        """Count a key that opened nothing."""
        if len(self._buckets) > _MOST_REMEMBERED:
            for oldest in list(self._buckets)[: _MOST_REMEMBERED // 2]:
                self._buckets.pop(oldest, None)
        # Read before it is counted: what was regained meanwhile is no more than there may be at once.
        self._read(address, now)
        self._read(address, now, 1)

    def _read(self, address: str, now: float, more: int = 0) -> Bucket:
        last = self._buckets.get(address) or Bucket(FAILURES_AT_ONCE, 0, now)
        bucket = self._buckets[address] = last.read(last.counted + more, now, FAILURES_A_SECOND, FAILURES_AT_ONCE)
        return bucket
