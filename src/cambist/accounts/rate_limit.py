"""The rate limit: a token bucket that is a function of one counter, which every worker can read.

No worker owns the bucket. Each keeps its own reading of it, made of the counter of requests let in (over all workers)
and of the time that passed; two workers that read often enough hold the same bucket without a word between them. A
request too many, let in by two threads at once, lowers the level below nothing and is made up for by those after it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

_CROSSING_SECONDS = 1.0
"""Two threads may read in another order than they looked at the clock; by more than this the clock was set back."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """How many requests may come at once at the moment `at` (seconds), when `counted` had been let in."""

    level: float
    counted: int
    at: float

    def read(self, counted: int, at: float, rate: float, burst: int) -> Bucket:
        """Read the bucket anew: filled by time, drawn by what was let in since, never over the brim."""
        drawn = counted - self.counted
        back = self.at - at
        if 0 < back < _CROSSING_SECONDS:
            at = self.at
        return Bucket(min(burst, self.level + rate * max(0.0, at - self.at) - drawn), counted, at)


def seconds_until_next(bucket: Bucket, rate: float) -> int:
    """Give the whole seconds after which one more request is let in."""
    return max(1, ceil((1 - bucket.level) / rate))
