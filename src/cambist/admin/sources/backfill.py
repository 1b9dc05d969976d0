"""Backfill the archive of a data directory, whether its service runs or not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime

import aiohttp
from stamina.instrumentation import set_on_retry_hooks

from cambist.admin.operators.audit import AuditRecorder
from cambist.errors import BadParameter, shorten
from cambist.ingest.backfill import Backfill, BackfillProgress, find_gaps, longest_gaps
from cambist.ingest.fetch import Fetcher
from cambist.registry.archiving.archive_tasks import ArchiveTasks
from cambist.registry.sources.source_adapters import fixing_adapters, reasons_off, source_keys
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings
from cambist.settings.outgoing import outgoing_proxies
from cambist.sources.base import FixingAdapter
from cambist.status.environment import Environment
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import Topic, data_changes

ALL = "all"
_SOURCES_AT_ONCE = 4
_GAPS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class BackfillResult:
    """What the backfill of one source did, and the longest gaps that its stored fixings still have."""

    progress: BackfillProgress
    gaps: list[tuple[date, date]]


class BackfillAdmin:
    """Backfills the archive of the settings' data directory, and rebuilds its rate matrix.

    Errors when made: CannotStart for the directory of a sandbox.
    """

    def __init__(self, settings: Settings, environment: Mapping[str, str], clock: Callable[[], datetime]) -> None:
        DataDirectory(settings.data).check(Environment.LIVE)
        self._settings = settings
        self._clock = clock
        self._audit = AuditRecorder(settings, clock)
        self._store = open_store(settings)
        self._store.migrate()
        self._archive_tasks = ArchiveTasks(settings)
        self._adapters = fixing_adapters(settings)
        self._keys = source_keys(settings, self._adapters.values(), environment)
        self._proxies = outgoing_proxies(settings, environment)

    def choose_adapters(self, source: str) -> list[FixingAdapter]:
        """Return the adapter of a source, or for `all` those of all sources that are on. Errors: BadParameter."""
        off = reasons_off(self._settings, self._adapters, self._keys)
        if source == ALL:
            return [adapter for key, adapter in self._adapters.items() if key not in off]
        if source not in self._adapters:
            keys = ", ".join(self._adapters)
            raise BadParameter(f"No source [{shorten(source)}] publishes fixings; there are {keys}")
        if source in off:
            raise BadParameter(f"The source [{source}] is off: {off[source]}")
        return [self._adapters[source]]

    def run(
        self, adapters: list[FixingAdapter], first: date | None, on_progress: Callable[[BackfillProgress], None]
    ) -> list[BackfillResult]:
        """Backfill these sources, several at once, from the day `first` or from their first days on."""
        set_on_retry_hooks([])
        names = ", ".join(adapter.source.key for adapter in adapters)
        with self._audit.action("archive.backfill", names, f"from {first or 'the first days on'}"):
            results = asyncio.run(self._run(adapters, first, on_progress))
            self._archive_tasks.rebuild_matrix(self._clock().date())
        data_changes(self._settings.data).notify(Topic.ARCHIVE)
        archive = self._store.archive
        return [BackfillResult(each, longest_gaps(list(find_gaps(archive, each.key)), _GAPS_SHOWN)) for each in results]

    async def _run(
        self, adapters: list[FixingAdapter], first: date | None, on_progress: Callable[[BackfillProgress], None]
    ) -> list[BackfillProgress]:
        async with aiohttp.ClientSession() as session:
            fetcher = Fetcher(session, self._settings.gateway, self._keys, self._proxies)
            backfill = Backfill(self._store.archive, fetcher, self._archive_tasks.file, self._clock, on_progress)
            slots = asyncio.Semaphore(_SOURCES_AT_ONCE)

            async def backfill_one(adapter: FixingAdapter) -> BackfillProgress:
                async with slots:
                    return await backfill.run(adapter, first)

            return list(await asyncio.gather(*map(backfill_one, adapters)))

    def close(self) -> None:
        """Close the database."""
        self._store.close()
