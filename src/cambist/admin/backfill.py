"""Backfilling a data folder: beside a running service or without one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime

import aiohttp
from stamina.instrumentation import set_on_retry_hooks

from cambist.errors import BadParameter, shorten
from cambist.ingest.backfill import Backfill, BackfillProgress, gaps, longest
from cambist.ingest.fetch import Fetcher
from cambist.registry.archive_tasks import ArchiveTasks
from cambist.registry.components import open_store
from cambist.registry.sources import fixing_adapters, reasons_off, source_keys
from cambist.settings import Settings
from cambist.sources.base import FixingAdapter
from cambist.status.environment import Environment
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import Topic, data_changes

ALL = "all"
_AT_ONCE = 4
_GAPS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class BackfillResult:
    """What a backfill did of one source, and the longest gaps in what is here of it now."""

    course: BackfillProgress
    gaps: list[tuple[date, date]]


class BackfillAdmin:
    """Fills the archive of the folder that the settings name, and has the image built of it.

    Errors when made: CannotStart for a sandbox's folder.
    """

    def __init__(self, settings: Settings, environment: Mapping[str, str], clock: Callable[[], datetime]) -> None:
        DataDirectory(settings.data).check(Environment.LIVE)
        self._settings = settings
        self._clock = clock
        self._store = open_store(settings)
        self._store.migrate()
        self._worker_state = ArchiveTasks(settings)
        self._adapters = fixing_adapters(settings)
        self._keys = source_keys(settings, self._adapters.values(), environment)

    def chosen(self, source: str) -> list[FixingAdapter]:
        """Give the feeds that a name means: one, or all that are on. Errors: BadParameter."""
        off = reasons_off(self._settings, self._adapters, self._keys)
        if source == ALL:
            return [adapter for key, adapter in self._adapters.items() if key not in off]
        if source not in self._adapters:
            known = ", ".join(self._adapters)
            raise BadParameter(f"No source [{shorten(source)}] publishes fixings; there are {known}")
        if source in off:
            raise BadParameter(f"The source [{source}] is off: {off[source]}")
        return [self._adapters[source]]

    def run(
        self, adapters: list[FixingAdapter], first: date | None, told: Callable[[BackfillProgress], None]
    ) -> list[BackfillResult]:
        """Fill in these sources, some side by side, each at its own pace."""
        set_on_retry_hooks([])
        courses = asyncio.run(self._run(adapters, first, told))
        self._worker_state.rebuild(self._clock().date())
        data_changes(self._settings.data).notify(Topic.ARCHIVE)
        archive = self._store.archive
        return [BackfillResult(course, longest(list(gaps(archive, course.key)), _GAPS_SHOWN)) for course in courses]

    async def _run(
        self, adapters: list[FixingAdapter], first: date | None, told: Callable[[BackfillProgress], None]
    ) -> list[BackfillProgress]:
        async with aiohttp.ClientSession() as session:
            fetcher = Fetcher(session, self._settings.gateway, self._keys)
            backfill = Backfill(self._store.archive, fetcher, self._worker_state.file, self._clock, told)
            places = asyncio.Semaphore(_AT_ONCE)

            async def one(adapter: FixingAdapter) -> BackfillProgress:
                async with places:
                    return await backfill.of(adapter, first)

            return list(await asyncio.gather(*map(one, adapters)))

    def close(self) -> None:
        """Let go of the database."""
        self._store.close()
