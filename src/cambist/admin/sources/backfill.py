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
from cambist.ingest.backfill import Backfill, BackfillProgress, all_requests, find_gaps, is_filed, longest_gaps
from cambist.ingest.fetch import Fetcher
from cambist.pricing.source_kind import Pace, RateType
from cambist.registry.archiving.archive_tasks import ArchiveTasks
from cambist.registry.sources.source_adapters import fixing_adapters, reasons_off, source_keys
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings
from cambist.settings.outgoing import outgoing_proxies
from cambist.sources.base import FixingAdapter, Redistribution
from cambist.status.environment import Environment
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.suggestions import did_you_mean

ALL = "all"
RECOMMENDED = "recommended"
_MOST_REQUESTS = 400
"""A source whose whole history takes more requests is not recommended: it would take hours."""
_ANSWER_SECONDS = 1.0
"""How long a source takes to answer, about."""
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
        """Return the adapter of a source, for `all` those of all that are on, for `recommended` of some of them.

        Errors: BadParameter.
        """
        off = reasons_off(self._settings, self._adapters, self._keys)
        if source == ALL:
            return [adapter for key, adapter in self._adapters.items() if key not in off]
        if source == RECOMMENDED:
            on = [adapter for key, adapter in self._adapters.items() if key not in off]
            return [adapter for adapter in on if self._is_recommended(adapter)]
        if source not in self._adapters:
            hint = did_you_mean(source, self._adapters)
            raise BadParameter(f"No source [{shorten(source)}] publishes fixings; {hint}")
        if source in off:
            raise BadParameter(f"The source [{source}] is off: {off[source]}")
        return [self._adapters[source]]

    def _is_recommended(self, adapter: FixingAdapter) -> bool:
        """Return whether a source is official, may be passed on, and needs few requests for its whole history."""
        source = adapter.source
        is_official = source.rate_type is RateType.OFFICIAL and source.pace is Pace.DAILY and not source.compiled
        is_free = source.redistribution is Redistribution.ALLOWED
        return is_official and is_free and len(all_requests(adapter, None, self._clock().date())) <= _MOST_REQUESTS

    def remaining(self, adapters: list[FixingAdapter], first: date | None) -> tuple[int, float]:
        """Return how many requests a backfill will send, and about how many seconds it takes."""
        now, archive, seconds, total = self._clock(), self._store.archive, [0.0], 0
        for adapter in adapters:
            parts = all_requests(adapter, first, now.date())
            count = sum(not is_filed(archive, adapter.source, part, now) for part in parts)
            total += count
            seconds.append(count * (adapter.source.schedule.pause.total_seconds() + _ANSWER_SECONDS))
        return total, max(*seconds, sum(seconds) / _SOURCES_AT_ONCE)

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
