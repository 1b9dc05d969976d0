"""What was asked of each source in the last 24 hours, in slots of half an hour. Pure.

The ingest process writes it every minute, and goes on with it after a restart; the console and the CLI show it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

import msgspec
from msgspec import Struct

SLOT = timedelta(minutes=30)
SLOTS = 48
"""How many slots are kept: those of 24 hours, the one of now among them."""


class ActivitySlot(Struct):
    """Counts of one source in half an hour from `start` on, in UTC.

    `polls` counts requests, `answers` complete rounds of them and prices that were heard, `failures` what went wrong.
    `milliseconds` is the sum of what the requests took, `slowest` the longest of them. `held` is the most of its newest
    fixings that were held at once.
    """

    start: datetime
    polls: int = 0
    answers: int = 0
    failures: int = 0
    milliseconds: float = 0.0
    slowest: float = 0.0
    held: int = 0

    @property
    def mean(self) -> float | None:
        """The milliseconds that a request took on average; None if there was none."""
        return self.milliseconds / self.polls if self.polls else None


class SourceActivity(Struct, frozen=True):
    """The slots of all sources by key, oldest first; a slot in which nothing happened may be missing."""

    written_at: datetime
    sources: dict[str, tuple[ActivitySlot, ...]] = {}


class ActivityCounts:
    """Counts what happens with one source; it keeps as many slots as are shown."""

    def __init__(self) -> None:
        self._slots: dict[int, ActivitySlot] = {}

    def record_poll(self, now: datetime, duration: timedelta) -> None:
        """Count a request that has ended, whatever came of it."""
        slot, milliseconds = self._slot(now), duration / timedelta(milliseconds=1)
        slot.polls += 1
        slot.milliseconds += milliseconds
        slot.slowest = max(slot.slowest, milliseconds)

    def record_answer(self, now: datetime) -> None:
        """Count a complete round of requests, or a price that was heard."""
        self._slot(now).answers += 1

    def record_failure(self, now: datetime) -> None:
        """Count a failure."""
        self._slot(now).failures += 1

    def record_held(self, now: datetime, held: int) -> None:
        """Record how many newest fixings are held now."""
        slot = self._slot(now)
        slot.held = max(slot.held, held)

    def resume(self, slots: Iterable[ActivitySlot], now: datetime) -> None:
        """Go on with what was counted before a restart; what was counted since stays."""
        for slot in slots:
            number = _number(slot.start)
            if _number(now) - SLOTS < number <= _number(now):
                self._slots.setdefault(number, slot)

    def last_day(self, now: datetime) -> tuple[ActivitySlot, ...]:
        """Return copies of the slots of the last 24 hours, oldest first."""
        oldest = _number(now) - SLOTS
        return tuple(msgspec.structs.replace(slot) for number, slot in sorted(self._slots.items()) if number > oldest)

    def _slot(self, now: datetime) -> ActivitySlot:
        number = _number(now)
        slot = self._slots.get(number)
        if slot is None:
            slot = self._slots[number] = ActivitySlot(_start(number))
            for old in [each for each in self._slots if each <= number - SLOTS]:
                del self._slots[old]
        return slot


def aligned(slots: Iterable[ActivitySlot], now: datetime) -> Iterator[ActivitySlot]:
    """Yield one slot for each half hour of the last 24 hours, oldest first; an empty one where nothing happened."""
    known = {_number(slot.start): slot for slot in slots}
    for number in range(_number(now) - SLOTS + 1, _number(now) + 1):
        yield known.get(number) or ActivitySlot(_start(number))


def _number(moment: datetime) -> int:
    return int(moment.timestamp() // SLOT.total_seconds())


def _start(number: int) -> datetime:
    return datetime.fromtimestamp(number * SLOT.total_seconds(), UTC)
