"""Barring: the bars that form are saved every second, filed once they have ended, and forgotten when they are old."""

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

KeptFor = Mapping[Interval, timedelta]
"""How long bars of a length are kept; those that are not named for ever."""

_EVERY = timedelta(seconds=1)
_LONGEST = timedelta(days=36_525)
"""A century: what is kept for longer is kept for ever."""


def oldest_kept(now: datetime, kept_for: KeptFor) -> Mapping[Interval, datetime]:
    """Give the moments before which bars are no longer kept, of each length that is not kept for ever."""
    return {interval: now - min(length, _LONGEST) for interval, length in kept_for.items()}


@dataclass(slots=True)
class BarWriter:
    """What becomes of the bars besides being folded.

    `save` keeps the ones that form and says whether it could; `file` and `forget` may fail with any CambistError.
    Bars are kept for as long as `kept_for` says of their length, for ever where it does not.
    """

    folding: BarAggregator
    save: Callable[[bytes], bool]
    file: Callable[[Sequence[PairBar]], Awaitable[None]]
    forget: Callable[[Interval, datetime], Awaitable[int]]
    kept_for: KeptFor
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
        if revision != self._saved and self.save(self.folding.to_bytes()):
            self._saved = revision

    async def _file(self) -> None:
        """File what has ended; what cannot be filed now stays, and is tried again."""
        due = self.folding.completed(self.clock())
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
        self.folding.mark_filed(due, self.clock())

    async def _forget(self) -> None:
        """Forget old bars; say what has been lost since it was said last."""
        told = (self.folding.late.total(), self.folding.dropped)
        if told[0] > self._told[0]:
            log.info("Bars: %d ticks came too late for theirs", told[0] - self._told[0])
        if told[1] > self._told[1]:
            log.error("Bars: %d minutes were given up, they could not be archived", told[1] - self._told[1])
        self._told = told
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
            log.exception("Bars: a fault of ours")
        await asyncio.sleep(every.total_seconds())
