"""Barring: the bars that form are saved every second, filed once they have ended, and forgotten when they are old."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from cambist.errors import CambistError
from cambist.history.bars import BarOf, Interval
from cambist.history.folding import Folding
from cambist.market.hours import is_open
from cambist.market.pair import Pair
from cambist.reference.tables import CURRENCIES

log = logging.getLogger(__name__)

IsOpen = Callable[[Pair, datetime], bool]
"""Says whether a pair's market is open at a moment."""

FORGET_EVERY = timedelta(hours=1)
"""How often old minutes are removed."""

_EVERY = _SECOND = timedelta(seconds=1)
_LONGEST = timedelta(days=36_525)
"""A century: what is kept for longer is kept for ever."""


def has_bars(pair: Pair) -> bool:
    """Say whether bars are made of a pair: of two currencies they are."""
    return pair.base in CURRENCIES and pair.quote in CURRENCIES


def is_within_hours(pair: Pair, as_of: datetime, is_open: IsOpen = is_open) -> bool:
    """Say whether a tick of a moment lies within its market's hours.

    The second in which they end counts as open, but begins a minute, an hour and perhaps a day that hold nothing else.
    """
    return is_open(pair, as_of) and is_open(pair, as_of + _SECOND)


def oldest_minute(now: datetime, minutes_for: timedelta) -> datetime:
    """Give the moment before which minutes are no longer kept."""
    return now - min(minutes_for, _LONGEST)


@dataclass(slots=True)
class Upkeep:
    """What becomes of the bars besides being folded.

    `save` keeps the ones that form and says whether it could; `file` and `forget` may fail with any CambistError.
    Minutes are kept for `minutes_for`, hours and days for ever.
    """

    folding: Folding
    save: Callable[[bytes], bool]
    file: Callable[[Sequence[BarOf]], Awaitable[None]]
    forget: Callable[[Interval, datetime], Awaitable[int]]
    minutes_for: timedelta
    clock: Callable[[], datetime]
    _saved: int = 0
    _failing: bool = False
    _told: tuple[int, int] = field(default=(0, 0))

    async def run(self) -> None:
        """Look after the bars for ever; a fault of ours in one part of it is logged and stops none."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(_for_ever(self._look, _EVERY))
                group.create_task(_for_ever(self._file, _EVERY))
                group.create_task(_for_ever(self._forget, FORGET_EVERY))
        finally:
            self._save()

    async def _look(self) -> None:
        self._save()

    def _save(self) -> None:
        revision = self.folding.revision
        if revision != self._saved and self.save(self.folding.saved()):
            self._saved = revision

    async def _file(self) -> None:
        """File what has ended; what cannot be filed now stays, and is tried again."""
        due = self.folding.closed(self.clock())
        try:
            if due:
                await self.file(due)
        except CambistError as error:
            if not self._failing:
                log.warning("Bars: %d cannot be archived now, they wait: %s", len(due), error)
            self._failing = True
            return
        if due and self._failing:
            log.info("Bars: %d archived, those that had to wait among them", len(due))
            self._failing = False
        self.folding.filed(due, self.clock())

    async def _forget(self) -> None:
        """Forget old minutes; say what has been lost since it was said last."""
        told = (self.folding.late.total(), self.folding.given_up)
        if told[0] > self._told[0]:
            log.info("Bars: %d ticks came too late for theirs", told[0] - self._told[0])
        if told[1] > self._told[1]:
            log.error("Bars: %d minutes were given up, they could not be archived", told[1] - self._told[1])
        self._told = told
        try:
            count = await self.forget(Interval.MINUTE, oldest_minute(self.clock(), self.minutes_for))
        except CambistError as error:
            log.warning("Bars: old minutes cannot be removed now: %s", error)
            return
        if count:
            log.debug("Bars: %d old minutes removed", count)


async def _for_ever(work: Callable[[], Coroutine[Any, Any, None]], every: timedelta) -> None:
    while True:
        try:
            await work()
        except Exception:
            log.exception("Bars: a fault of ours")
        await asyncio.sleep(every.total_seconds())
