"""The ingest process: it polls the sources, listens to the venues, and publishes rate books.

No other process waits for it. When it is killed, the last rate book is still served while its quotes age.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import aiohttp
from stamina.instrumentation import set_on_retry_hooks

from cambist.clock import utc_now
from cambist.errors import CambistError, RateBookDamaged
from cambist.ingest.bar_writer import BarWriter
from cambist.ingest.coin_closes import archive_closes
from cambist.ingest.fetch import Fetcher
from cambist.ingest.filing import Delivery
from cambist.ingest.poller import Poller, poll_fixings, poll_ticks
from cambist.ingest.price_pipeline import PricePipeline
from cambist.ingest.source_status import SourceStatuses
from cambist.ingest.steady_clock import SteadyClock
from cambist.ingest.streamer import Streamer
from cambist.monitoring.outages import Outages
from cambist.pricing.rate_book import RateBook
from cambist.pricing.trading_hours import is_open
from cambist.processes.archive_worker import ArchiveWorker
from cambist.processes.process import StopSignal, running_tasks, set_up_process, tune_gc
from cambist.registry.archive_tasks import ArchiveTasks
from cambist.registry.asked_sources import watch_asked_sources
from cambist.registry.open_bars import bar_retention, read_open_bars, write_open_bars
from cambist.registry.sources import load_adapters, reasons_off
from cambist.settings import Settings
from cambist.sources.base import Adapter, FixingAdapter, TickAdapter, VenueAdapter
from cambist.status.source_report import SourceReports
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file, write_json_file
from cambist.storage.shared.change_notifier import Topic
from cambist.storage.shared.rate_book_file import RateBookFile

log = logging.getLogger(__name__)

_PUBLISH_SECONDS = 0.1
_POLL_SECONDS = 0.02
_REPORT_SECONDS = 1.0
_SETTLE_SECONDS = 2.0
_LONGEST_RETRY_SECONDS = 600.0
_CONNECTIONS = 40
_PER_HOST = 4
_OFFLINE_SECONDS = 20.0
_RESTART_SECONDS = 60.0


def ingest(settings: Settings, supervisor: int, keys: Mapping[str, str]) -> None:
    """Poll the sources and publish rate books until the process should stop."""
    set_up_process(settings)
    set_on_retry_hooks([])  # the poller logs a failure once, not at each retry
    tune_gc()
    asyncio.run(Ingestor(settings, keys).run(StopSignal(supervisor)))


class Ingestor:
    """The parts of the ingest process, and its tasks."""

    def __init__(self, settings: Settings, keys: Mapping[str, str]) -> None:
        self._settings = settings
        self._folder = DataDirectory(settings.data)
        self._book_file = RateBookFile(self._folder.path)
        self._adapters = load_adapters(settings)
        self._keys = keys
        off = reasons_off(settings, self._adapters, keys)
        sources = {key: adapter.source for key, adapter in self._adapters.items()}
        self._enabled = {key: adapter for key, adapter in self._adapters.items() if key not in off}
        self._statuses = SourceStatuses.for_sources(sources.values(), off)
        self._statuses.resume(read_json_file(self._folder.source_reports, SourceReports))
        self._bar_aggregator = read_open_bars(self._folder.open_bars)
        self._bar_clock = SteadyClock()
        self._pipeline = PricePipeline(sources, is_open, self._bar_aggregator, self._bar_clock.at)
        self._rate_books = self._pipeline.rate_books
        with suppress(RateBookDamaged):
            if last := self._book_file.current_with_votes():
                self._rate_books.resume(last)
        self._archive_worker = ArchiveWorker(settings)
        self._is_matrix_due = asyncio.Event()
        self._book_at: datetime | None = None
        self._archive_seen = self._book_file.changes.version(Topic.ARCHIVE)
        self._outages = Outages()

    async def run(self, stop: StopSignal) -> None:
        """Run all tasks until the process should stop."""
        # Behind a gateway all sources are one host, whose connections the sockets of the venues would use up.
        per_host = 0 if self._settings.gateway else _PER_HOST
        connector = aiohttp.TCPConnector(limit=_CONNECTIONS, limit_per_host=per_host)
        async with aiohttp.ClientSession(connector=connector, auto_decompress=True) as session:
            fetcher = Fetcher(session, self._settings.gateway, self._keys)
            await self._apply_archive()
            enabled, all_sources = len(self._enabled), len(self._adapters)
            log.info("Ingest: %d sources are polled, %d are off", enabled, all_sources - enabled)
            # No task ends by itself. One that fails ends the process, and the supervisor starts another.
            async with running_tasks(self._coroutines(fetcher)) as tasks:
                await stop.wait_beside(tasks)
        self._archive_worker.close()

    def _coroutines(self, fetcher: Fetcher) -> list[Coroutine[Any, Any, None]]:
        coroutines = [self._publish(), self._write_reports(), self._archive_closes(), self._write_bars()]
        coroutines += [self._rebuild_matrix_when_due(), self._watch_archive(), self._warn_if_offline()]
        asked = {}
        for key, adapter in self._enabled.items():
            poller = Poller(adapter.source, fetcher, self._statuses.by_source[key], utc_now, self._statuses)
            coroutines += self._source_coroutines(adapter, poller)
            asked[key] = poller.ask
        return [*coroutines, watch_asked_sources(self._folder, asked)]

    def _source_coroutines(self, adapter: Adapter, poller: Poller) -> list[Coroutine[Any, Any, None]]:
        """Return the tasks of one source. An unexpected error in one of them does not affect other sources."""
        if isinstance(adapter, FixingAdapter):
            return [_run_forever(poller, lambda: poll_fixings(poller, adapter, self._archive, self._apply_delivery))]
        if isinstance(adapter, VenueAdapter):
            streamer = Streamer(adapter, poller, self._pipeline)
            coroutines = [_run_forever(poller, streamer.run)]
            if adapter.requests():
                coroutines.append(
                    _run_forever(poller, lambda: poll_ticks(poller, adapter, self._pipeline, lambda: streamer.names))
                )
            return coroutines
        if isinstance(adapter, TickAdapter):
            return [_run_forever(poller, lambda: poll_ticks(poller, adapter, self._pipeline, dict))]
        raise TypeError(f"{adapter.source.key} is a feed of no kind")

    async def _apply_archive(self) -> None:
        """Apply what the archive has of every source, also of those that are off."""
        for key, adapter in self._adapters.items():
            if isinstance(adapter, FixingAdapter):
                await self._apply_archive_of(key)

    async def _archive(self, key: str, delivery: Delivery) -> Any:
        return await self._archive_worker.call(ArchiveTasks.file, key, delivery)

    async def _apply_delivery(self, key: str) -> None:
        await self._apply_archive_of(key)
        self._is_matrix_due.set()

    async def _apply_archive_of(self, key: str) -> None:
        now = utc_now()
        try:
            summary = await self._archive_worker.call(ArchiveTasks.summarize, key, now.date())
        except CambistError as error:
            log.warning("Ingest: the fixings of %s cannot be read: %s", key, error)
            return
        source_status = self._statuses.by_source[key]
        source_status.codes, source_status.coverage, source_status.waiting = (
            len(summary.offers),
            summary.coverage,
            summary.waiting,
        )
        for offer in summary.offers.values():
            source_status.record_market_time(offer.quote.as_of)
        self._rate_books.apply_fixings(key, summary.offers, now)

    async def _publish(self) -> None:
        """Publish a rate book when something has changed, at most ten times a second."""
        loop = asyncio.get_running_loop()
        while True:
            started = loop.time()
            book = self._build_book()
            if book is None:
                await asyncio.sleep(_POLL_SECONDS)
                continue
            if self._write("book", partial(self._book_file.publish, book)):
                self._book_at = utc_now()
            while (left := started + _PUBLISH_SECONDS - loop.time()) > 0:
                await asyncio.sleep(min(left, _POLL_SECONDS))
                if left > _POLL_SECONDS:
                    self._prepare()

    def _prepare(self) -> None:
        with suppress(Exception):  # building the next book meets the same error, and logs it
            self._rate_books.prepare(utc_now())

    def _build_book(self) -> RateBook | None:
        """Return the next rate book if anything has changed. After an unexpected error the last one stays, and ages."""
        try:
            book = self._rate_books.build(utc_now())
        except Exception as error:  # noqa: BLE001  logged once, with its trace
            self._outages.begin("book", "built", error, with_trace=True)
            return None
        self._outages.end("book", "built")
        return book

    async def _write_reports(self) -> None:
        """Write the reports on all sources every second."""
        while True:
            source_reports = self._statuses.report(
                utc_now(), self._pipeline.accepted, self._pipeline.refused, self._rate_books.version, self._book_at
            )
            if self._write(
                "file of source reports", partial(write_json_file, self._folder.source_reports, source_reports)
            ):
                self._book_file.changes.notify(Topic.SOURCES)
            self._write("file of votes", self._book_file.flush_votes)
            await asyncio.sleep(_REPORT_SECONDS)

    def _write(self, name: str, write: Callable[[], None]) -> bool:
        """Write a file, and return whether that succeeded. If the disk is full, the last file stays."""
        try:
            write()
        except OSError as error:
            self._outages.begin(name, "written", error.strerror)
            return False
        self._outages.end(name, "written")
        return True

    async def _rebuild_matrix_when_due(self) -> None:
        """Rebuild the rate matrix a while after deliveries, and every ten minutes, because a day may have begun."""
        wait = _SETTLE_SECONDS
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(timedelta(minutes=10).total_seconds()):
                    await self._is_matrix_due.wait()
            await asyncio.sleep(wait)
            self._is_matrix_due.clear()
            wait = _SETTLE_SECONDS if await self._rebuild_matrix() else min(2 * wait, _LONGEST_RETRY_SECONDS)

    async def _rebuild_matrix(self) -> bool:
        try:
            await self._archive_worker.call(ArchiveTasks.rebuild_matrix, utc_now().date())
        except CambistError as error:
            self._outages.begin("rate matrix", "built", error)
        except Exception as error:  # noqa: BLE001  logged once, with its trace
            self._outages.begin("rate matrix", "built", error, with_trace=True)
        else:
            self._outages.end("rate matrix", "built")
            return True
        self._is_matrix_due.set()
        return False

    async def _watch_archive(self) -> None:
        """Apply the whole archive again when a command has changed it, and on each new day: a currency may end."""
        day = utc_now().date()
        while True:
            version = self._book_file.changes.version(Topic.ARCHIVE)
            if version != self._archive_seen or day != utc_now().date():
                self._archive_seen, day = version, utc_now().date()
                await self._apply_archive()
                self._is_matrix_due.set()
            await asyncio.sleep(_REPORT_SECONDS)

    async def _archive_closes(self) -> None:
        """Archive the closes of coins when a day has ended."""
        age, call = self._settings.coin_max_age, self._archive_worker.call
        await archive_closes(
            age, lambda: self._rate_books.last, lambda closes: call(ArchiveTasks.file_closes, closes), utc_now
        )

    async def _write_bars(self) -> None:
        """Save open bars, and archive completed ones."""
        path = self._folder.open_bars
        await BarWriter(
            self._bar_aggregator,
            lambda content: self._write("file of open bars", partial(write_open_bars, path, content)),
            lambda bars: self._archive_worker.call(ArchiveTasks.file_bars, bars),
            lambda interval, before: self._archive_worker.call(ArchiveTasks.forget_bars, interval, before),
            bar_retention(self._settings),
            lambda: self._bar_clock.at(utc_now()),
        ).run()

    async def _warn_if_offline(self) -> None:
        """Warn once if there is no network, instead of once for each source."""
        await asyncio.sleep(_OFFLINE_SECONDS)
        if self._enabled and self._statuses.is_offline:
            log.warning("Ingest: no source can be reached; answers use stored prices, and show their age")
        await asyncio.Event().wait()


async def _run_forever(poller: Poller, task: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a task of a source, and start it again a while after an unexpected error."""
    while True:
        try:
            await task()
        except Exception as error:
            log.exception("Source %s: unexpected error; it is polled again in a minute", poller.source.key)
            poller.record_failure(error)
        await asyncio.sleep(_RESTART_SECONDS)
