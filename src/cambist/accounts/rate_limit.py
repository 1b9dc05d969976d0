"""The rate limit: a token bucket computed from one counter, which every worker can read.

No worker owns the bucket. Each computes its own from the counter of requests admitted by all workers and from the time
that has passed; workers that read often enough agree without communicating. If two threads admit one request too many
at once, the level falls below zero, and later requests wait longer.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

_CROSSING_SECONDS = 1.0
"""Two threads may read in another order than they read the clock; if it is more than this, the clock was set back."""


class Bucket(NamedTuple):
    """How many requests may come at once at the time `at` (seconds), when `counted` had been admitted."""

    level: float
    counted: int
    at: float

    def read(self, counted: int, at: float, rate: float, burst: int) -> Bucket:
        """Return the bucket later: filled by time up to `burst`, less the requests admitted since."""
        level, counted_before, at_before = self
        if at > at_before:
            level += rate * (at - at_before)
        elif at_before - at < _CROSSING_SECONDS:
            at = at_before
        level -= counted - counted_before
        return Bucket(min(burst, level), counted, at)


def seconds_until_next(bucket: Bucket, rate: float) -> int:
    """Return the seconds until one more request is admitted, rounded up."""
    return max(1, ceil((1 - bucket.level) / rate))
