"""Requests as they are counted: a mapped file of numbers by thread, endpoint, status and duration, for the operator.

Each thread writes into a slot of its own; whoever wants the figures adds them up. They go on after a restart. Nothing
depends on them: where they cannot be written, requests are not counted.
"""

from __future__ import annotations

import mmap
import os
import weakref
import zlib
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cambist.errors import StoreBroken
from cambist.storage.atomic_file import unwritable
from cambist.storage.shared.usage.writer_slot import ThreadSlot, WriterSlot

OTHER = "other"
"""What is counted of paths that are no endpoint's."""

STATUSES = (200, 204, 304, 400, 401, 403, 404, 405, 429, 500, 503, 0)
"""The statuses that are told apart; 0 for any other."""

BOUNDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
"""The buckets of the histogram: upper bounds in seconds."""

_NANOSECONDS = tuple(int(bound * 1e9) for bound in BOUNDS)
_STATUS_AT = {status: at for at, status in enumerate(STATUSES)}
_BUCKETS_AT = len(STATUSES)
_KEPT_AT = _BUCKETS_AT + len(BOUNDS) + 1
_SUM_AT = _KEPT_AT + 1
_CELLS = _SUM_AT + 1
_BYTES = 8
_LONGEST = 60 * 1000
"""Milliseconds after which a request that has not ended is taken for one whose worker was killed."""


@dataclass(frozen=True, slots=True)
class EndpointFigures:
    """One endpoint: answers by status and by duration (up to each bound, then all), kept ones, and seconds in all."""

    endpoint: str
    by_status: dict[int, int]
    buckets: list[int]
    kept: int
    seconds: float


class RequestCounts:
    """The counts of a folder. `threads` is how many will count in all; more than twice as many are not counted."""

    def __init__(self, folder: Path, endpoints: Iterable[str], threads: int) -> None:
        """Map the file, made if need be. Errors: StoreBroken."""
        self._names = (*endpoints, OTHER)
        self._at = {name: 1 + number * _CELLS for number, name in enumerate(self._names)}
        self._slots = 2 * threads + 2
        self._size = 1 + len(self._names) * _CELLS
        layout = f"{self._names} {self._slots} {STATUSES} {BOUNDS}"
        path = folder / f"{zlib.crc32(layout.encode()):08x}.counts"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._cells = _mapped(path, self._slots * self._size * _BYTES)
        except OSError as error:
            raise StoreBroken(unwritable("counts of requests", path, error)) from error
        self._held: weakref.WeakSet[WriterSlot] = weakref.WeakSet()
        self._seat = ThreadSlot(folder, self._held, lambda _column: None)

    def begin(self, at: int) -> None:
        """Note that this thread begins a request, at a moment of the machine's monotonic clock in nanoseconds."""
        slot = self._slot()
        if slot >= 0:
            self._cells[slot] = at // 1_000_000

    def end(self, path: str, status: int, nanoseconds: int, *, kept: bool) -> None:
        """Count the request that this thread has answered."""
        slot = self._slot()
        if slot < 0:
            return
        cells, at = self._cells, slot + self._at.get(path, self._at[OTHER])
        cells[at + _STATUS_AT.get(status, _STATUS_AT[0])] += 1
        cells[at + _BUCKETS_AT + bisect_left(_NANOSECONDS, nanoseconds)] += 1
        cells[at + _SUM_AT] += nanoseconds
        if kept:
            cells[at + _KEPT_AT] += 1
        cells[slot] = 0

    def _slot(self) -> int:
        """Give where this thread's cells begin; -1 where there is none for it."""
        try:
            column = self._seat.column
        except StoreBroken:
            return -1
        return column * self._size if column < self._slots else -1

    def in_flight(self, at: int) -> int:
        """Give the requests that have begun and not ended, at a moment as `begin` takes it."""
        now = at // 1_000_000
        return sum(since > 0 and 0 <= now - since < _LONGEST for since in self._all()[:, 0].tolist())

    def figures(self) -> list[EndpointFigures]:
        """Give what was counted, of the endpoints that were asked."""
        sums = self._all()[:, 1:].sum(axis=0).reshape(len(self._names), _CELLS).tolist()
        return [_figures(name, cells) for name, cells in zip(self._names, sums, strict=True) if any(cells)]

    def _all(self) -> NDArray[np.uint64]:
        return np.frombuffer(self._cells, np.uint64).reshape(self._slots, self._size)

    def close(self) -> None:
        """Let others have the slots of all threads."""
        for column in list(self._held):
            column.release()


def _figures(name: str, cells: list[int]) -> EndpointFigures:
    by_status = {status: count for status, count in zip(STATUSES, cells[:_BUCKETS_AT], strict=True) if count}
    buckets = list(accumulate(cells[_BUCKETS_AT:_KEPT_AT]))
    return EndpointFigures(name, by_status, buckets, cells[_KEPT_AT], cells[_SUM_AT] / 1e9)


def _mapped(path: Path, size: int) -> memoryview[int]:
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        # Really taken: a hole that a full disk cannot fill would end the process that writes into it.
        os.posix_fallocate(file, 0, size)
        return memoryview(mmap.mmap(file, size)).cast("Q")
    finally:
        os.close(file)
