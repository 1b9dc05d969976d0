"""Keeping rate books, source statuses and the rate matrix as the archive is, in the ingest process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

from cambist.clock import utc_now
from cambist.errors import CambistError, StoreUnreachable
from cambist.history.dispute import HeldFixings
from cambist.ingest.rate_book_builder import RateBookBuilder
from cambist.ingest.source_status import SourceStatuses
from cambist.monitoring.outages import Outages
from cambist.processes.archive_worker import ArchiveWorker
from cambist.registry.archiving.archive_tasks import ArchiveTasks
from cambist.storage.shared.change_notifier import ChangeNotifier, Topic

log = logging.getLogger(__name__)

_WATCH_SECONDS = 1.0
_NEVER_SEEN = -1
_SETTLE_SECONDS = 2.0
_LONGEST_RETRY_SECONDS = 600.0


class ArchiveWatch:
    """Applies what the archive has, when this process or another has changed it.

    `keys` are those of all sources of fixings, also of those that are off.
    """

    def __init__(
        self,
        archive_worker: ArchiveWorker,
        keys: Sequence[str],
        rate_books: RateBookBuilder,
        statuses: SourceStatuses,
        changes: ChangeNotifier,
        outages: Outages,
    ) -> None:
        self.archive_worker = archive_worker
        self.is_matrix_due = asyncio.Event()
        self._keys = keys
        self._rate_books = rate_books
        self._statuses = statuses
        self._changes = changes
        self._outages = outages
        self._seen = changes.version(Topic.ARCHIVE)
        self._is_unreachable = False

    async def apply_all(self) -> None:
        """Apply what the archive has of every source; if the database is gone, `watch` does so when it is back."""
        try:
            await self._apply_quotes(of_all=True)
            for key in self._keys:
                await self._summarize(key)
            await self._apply_disputes()
        except StoreUnreachable as error:
            self.apply_all_soon()
            if not self._is_unreachable:
                log.warning("Ingest: the archive cannot be read, the fixings stay as they are: %s", error)
            self._is_unreachable = True
            return
        if self._is_unreachable:
            log.info("Ingest: the archive is read again")
        self._is_unreachable = False

    def apply_all_soon(self) -> None:
        """Let `watch` apply what the archive has of every source."""
        self._seen = _NEVER_SEEN

    async def apply_delivery(self, key: str) -> None:
        """Apply what a source has delivered."""
        try:
            await self._apply_quotes()
            await self._summarize(key)
            await self._apply_disputes()
        except StoreUnreachable:
            self.apply_all_soon()
        self.is_matrix_due.set()

    async def _apply_quotes(self, *, of_all: bool = False) -> None:
        try:
            quotes = await self.archive_worker.call(ArchiveTasks.daily_quotes, utc_now(), of_all=of_all)
        except StoreUnreachable:
            raise
        except CambistError as error:
            log.warning("Ingest: the fixings cannot be judged: %s", error)
            return
        gone = self._rate_books.fixings.keys() - quotes.keys() if of_all else ()
        self._rate_books.apply_fixings(dict.fromkeys(gone) | quotes)

    async def _summarize(self, key: str) -> None:
        try:
            summary = await self.archive_worker.call(ArchiveTasks.summarize, key)
        except StoreUnreachable:
            raise
        except CambistError as error:
            log.warning("Ingest: the fixings of %s cannot be read: %s", key, error)
            return
        source_status = self._statuses.by_source[key]
        source_status.codes, source_status.coverage = summary.codes, summary.coverage
        if summary.newest is not None:
            source_status.record_market_time(min(summary.newest, utc_now()))

    async def _apply_disputes(self) -> None:
        try:
            found = await self.archive_worker.call(ArchiveTasks.disputes, utc_now().date())
        except StoreUnreachable:
            raise
        except CambistError as error:
            log.warning("Ingest: the disputes cannot be found: %s", error)
            return
        self._statuses.disputes = found.disputes
        for key, source_status in self._statuses.by_source.items():
            source_status.held = found.held.get(key, HeldFixings())

    async def watch(self) -> None:
        """Apply the whole archive again when others have changed it, and on each new day: a currency may end.

        After a start, the codes that may be disputed are judged a few at a time, so that deliveries need not wait.
        """
        day = utc_now().date()
        while True:
            version = self._changes.version(Topic.ARCHIVE)
            if version != self._seen or day != utc_now().date():
                self._seen, day = version, utc_now().date()
                await self.apply_all()
                self.is_matrix_due.set()
            elif not self._statuses.disputes.complete:
                with suppress(StoreUnreachable):
                    await self._apply_disputes()
            await asyncio.sleep(_WATCH_SECONDS)

    async def rebuild_matrix_when_due(self) -> None:
        """Rebuild the rate matrix a while after deliveries, and every ten minutes, because a day may have begun."""
        wait = _SETTLE_SECONDS
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(timedelta(minutes=10).total_seconds()):
                    await self.is_matrix_due.wait()
            await asyncio.sleep(wait)
            self.is_matrix_due.clear()
            wait = _SETTLE_SECONDS if await self.rebuild_matrix() else min(2 * wait, _LONGEST_RETRY_SECONDS)

    async def rebuild_matrix(self) -> bool:
        """Rebuild the rate matrix if the archive has changed; return whether that succeeded."""
        try:
            await self.archive_worker.call(ArchiveTasks.rebuild_matrix, utc_now().date())
        except CambistError as error:
            self._outages.begin("rate matrix", "built", error)
        except Exception as error:  # noqa: BLE001  logged once, with its trace
            self._outages.begin("rate matrix", "built", error, with_trace=True)
        else:
            self._outages.end("rate matrix", "built")
            return True
        self.is_matrix_due.set()
        return False
