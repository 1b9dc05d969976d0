"""The bar writer: saves open bars every second, files completed bars, and removes old ones."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from cambist.errors import CambistError
from cambist.history.bar_aggregator import BarAggregator
from cambist.history.bars import Interval, PairBar

log = logging.getLogger(__name__)

FORGET_EVERY = timedelta(hours=1)
"""How often old bars are removed."""

HELD_FOR = timedelta(minutes=15)
"""How long a standby holds completed bars that the leader should have filed."""

KeptFor = Mapping[Interval, timedelta]
"""How long bars of each interval are kept; intervals that are not named are kept for ever."""

_EVERY = timedelta(seconds=1)
_LONGEST = timedelta(days=36_525)
"""A century, the longest time that can be subtracted from every date."""


def oldest_kept(now: datetime, kept_for: KeptFor) -> Mapping[Interval, datetime]:
    """Return the moments before which bars are removed, by interval."""
    return {interval: now - min(length, _LONGEST) for interval, length in kept_for.items()}


@dataclass(slots=True)
class BarWriter:
    """Saves, files and removes bars.

    `save` writes the open bars to disk and returns whether it could; `file` stores completed bars and `forget` removes
    old ones, and both may raise any CambistError. While `is_standby`, another node files and removes bars; those
    completed here are held for a while, because this node may have to take over from it, and while `holds_all` for
    longer, because the other cannot file either.
    """

    aggregator: BarAggregator
    save: Callable[[bytes], bool]
    file: Callable[[Sequence[PairBar]], Awaitable[None]]
    forget: Callable[[Interval, datetime], Awaitable[int]]
    kept_for: KeptFor
    clock: Callable[[], datetime]
    is_standby: Callable[[], bool] = lambda: False
    holds_all: Callable[[], bool] = lambda: False
    _saved: int = 0
    _failing: bool = False
    _logged: tuple[int, int] = field(default=(0, 0))

    async def run(self) -> None:
        """Run for ever; an unexpected error in one of the three is logged and stops none."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(_for_ever(self._save_open, _EVERY))
                group.create_task(_for_ever(self._file, _EVERY))
                group.create_task(_for_ever(self._forget, FORGET_EVERY))
        finally:
            await self._save_open()

    async def _save_open(self) -> None:
        revision = self.aggregator.revision
        if revision != self._saved and self.save(self.aggregator.to_bytes()):
            self._saved = revision

    async def _file(self) -> None:
        """File completed bars; those that cannot be filed now are tried again."""
        if self.is_standby():
            if not self.holds_all():
                self.aggregator.drop_completed(self.clock() - HELD_FOR)
            return
        due = self.aggregator.completed(self.clock())
        try:
            if due:
                await self.file(due)
        except CambistError as error:
            if not self._failing:
                log.warning("Bars: %d cannot be archived now and will be tried again: %s", len(due), error)
            self._failing = True
            return
        if due and self._failing:
            log.info("Bars: %d archived, including those that had to wait", len(due))
            self._failing = False
        self.aggregator.mark_filed(due, self.clock())

    async def _forget(self) -> None:
        """Remove old bars, and log how many ticks and bars have been lost since the last time."""
        lost = (self.aggregator.late.total(), self.aggregator.dropped)
        if lost[0] > self._logged[0]:
            log.info("Bars: %d ticks were too late for their bar", lost[0] - self._logged[0])
        if lost[1] > self._logged[1]:
            log.error("Bars: %d minutes could not be archived and are lost", lost[1] - self._logged[1])
        self._logged = lost
        if self.is_standby():
            return
        try:
            for interval, before in oldest_kept(self.clock(), self.kept_for).items():
                if count := await self.forget(interval, before):
                    log.debug("Bars: %d old ones of %s removed", count, interval)
        except CambistError as error:
            log.warning("Bars: old ones cannot be removed now: %s", error)


async def _for_ever(work: Callable[[], Coroutine[Any, Any, None]], every: timedelta) -> None:
    while True:
        try:
            await work()
        except Exception:
            log.exception("Bars: unexpected error")
        await asyncio.sleep(every.total_seconds())
