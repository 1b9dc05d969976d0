"""Counts of requests for the metrics: a memory-mapped file of numbers by thread, endpoint, status and duration.

Each thread writes in its own slot, and a reader adds them up. The counts continue after a restart. Nothing depends on
them: if they cannot be written, requests are not counted.
"""

from __future__ import annotations

import mmap
import os
import weakref
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from cambist.errors import StoreBroken
from cambist.storage.atomic_file import unwritable
from cambist.storage.shared.usage.writer_slot import ThreadSlot, WriterSlot

OTHER = "other"
"""The name under which requests for all other paths are counted."""

STATUSES = (200, 204, 304, 400, 401, 403, 404, 405, 429, 500, 503, 0)
"""The statuses that are counted separately; 0 stands for any other."""

BOUNDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
"""The upper bounds of the histogram's buckets, in seconds."""

_NANOSECONDS = tuple(int(bound * 1e9) for bound in BOUNDS)
_STATUS_INDEX = {status: at for at, status in enumerate(STATUSES)}
_BUCKETS_INDEX = len(STATUSES)
_CACHED_INDEX = _BUCKETS_INDEX + len(BOUNDS) + 1
_SUM_INDEX = _CACHED_INDEX + 1
_COUNTERS = _SUM_INDEX + 1
_BYTES = 8
_LONGEST_MS = 60 * 1000
"""After so many milliseconds without an end, the worker of a request is considered killed."""


@dataclass(frozen=True, slots=True)
class EndpointFigures:
    """One endpoint: responses by status and by duration (cumulative; the last is all), cached ones, total seconds."""

    endpoint: str
    by_status: dict[int, int]
    buckets: list[int]
    cached: int
    seconds: float


class RequestCounts:
    """The counts in a directory, for `threads` threads over all workers. More than twice as many are not counted."""

    def __init__(self, folder: Path, endpoints: Iterable[str], threads: int) -> None:
        """Map the file; create it if it does not exist. Errors: StoreBroken."""
        self._names = (*endpoints, OTHER)
        self._at = {name: 1 + number * _COUNTERS for number, name in enumerate(self._names)}
        self._other = self._at[OTHER]
        self._slot_count = 2 * threads + 2
        self._size = 1 + len(self._names) * _COUNTERS
        layout = f"{self._names} {self._slot_count} {STATUSES} {BOUNDS}"
        path = folder / f"{zlib.crc32(layout.encode()):08x}.counts"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._counters = _mapped(path, self._slot_count * self._size * _BYTES)
        except OSError as error:
            raise StoreBroken(unwritable("counts of requests", path, error)) from error
        self._slots: weakref.WeakSet[WriterSlot] = weakref.WeakSet()
        self._thread_slot = ThreadSlot(folder, self._slots, lambda _number: None)

    def begin(self, at: int) -> None:
        """Record the start of a request in this thread, in nanoseconds of the monotonic clock."""
        start = self._start()
        if start >= 0:
            self._counters[start] = at // 1_000_000

    def end(self, path: str, status: int, nanoseconds: int, *, cached: bool) -> None:
        """Count the request that this thread has answered, and its duration."""
        start = self._start()
        if start < 0:
            return
        counters, at = self._counters, start + self._at.get(path, self._other)
        counters[at + _STATUS_INDEX.get(status, _STATUS_INDEX[0])] += 1
        counters[at + _BUCKETS_INDEX + bisect_left(_NANOSECONDS, nanoseconds)] += 1
        counters[at + _SUM_INDEX] += nanoseconds
        if cached:
            counters[at + _CACHED_INDEX] += 1
        counters[start] = 0

    def end_many(self, path: str, nanoseconds: Sequence[int]) -> None:
        """Count requests that this thread has answered with status 200, and not from a cache, by their durations."""
        start = self._start()
        if start < 0:
            return
        counters, at = self._counters, start + self._at.get(path, self._other)
        counters[at + _STATUS_INDEX[200]] += len(nanoseconds)
        counters[at + _SUM_INDEX] += sum(nanoseconds)
        for each in nanoseconds:
            counters[at + _BUCKETS_INDEX + bisect_left(_NANOSECONDS, each)] += 1

    def _start(self) -> int:
        """Return where the numbers of this thread start; -1 if it has no slot."""
        try:
            slot = self._thread_slot.number
        except StoreBroken:
            return -1
        return slot * self._size if slot < self._slot_count else -1

    def in_flight(self, at: int) -> int:
        """Return how many requests have started and not ended; `at` is a time as in `begin`."""
        now = at // 1_000_000
        return sum(since > 0 and 0 <= now - since < _LONGEST_MS for since in self._counters[:: self._size].tolist())

    def figures(self) -> list[EndpointFigures]:
        """Return the counts of the endpoints that had requests."""
        starts = range(0, self._slot_count * self._size, self._size)
        sums = [
            sum(counters) for counters in zip(*(self._counters[at : at + self._size] for at in starts), strict=True)
        ]
        by_name = {name: sums[at : at + _COUNTERS] for name, at in self._at.items()}
        return [_figures(name, counters) for name, counters in by_name.items() if any(counters)]

    def close(self) -> None:
        """Release the slots of all threads."""
        for slot in list(self._slots):
            slot.release()


def _figures(name: str, counters: list[int]) -> EndpointFigures:
    by_status = {status: count for status, count in zip(STATUSES, counters[:_BUCKETS_INDEX], strict=True) if count}
    buckets = list(accumulate(counters[_BUCKETS_INDEX:_CACHED_INDEX]))
    return EndpointFigures(name, by_status, buckets, counters[_CACHED_INDEX], counters[_SUM_INDEX] / 1e9)


def _mapped(path: Path, size: int) -> memoryview[int]:
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        # Allocated, because writing into a hole on a full disk would end the process with SIGBUS.
        os.posix_fallocate(file, 0, size)
        return memoryview(mmap.mmap(file, size)).cast("Q")
    finally:
        os.close(file)
