"""The ingest process: it polls the sources, listens to the venues, and publishes rate books.

No other process waits for it. When it is killed, the last rate book is still served while its quotes age.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
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

_EDITION_EVERY = 0.1
_LOOK_EVERY = 0.02
_SOURCE_REPORTS_EVERY = 1.0
_SETTLE = 2.0
_LONGEST_WAIT = 600.0
_CONNECTIONS = 40
_PER_HOST = 4
_ALONE_AFTER = 20.0
_AFTER_A_FAULT = 60.0


def ingest(settings: Settings, supervisor: int, keys: Mapping[str, str]) -> None:
    """Gather until told to stop, or until the supervisor has died."""
    set_up_process(settings)
    set_on_retry_hooks([])  # a failure is logged when it counts, not each time that somebody is asked again
    tune_gc()
    asyncio.run(Ingestor(settings, keys).run(StopSignal(supervisor)))


class Ingestor:
    """All tasks of ingest."""

    def __init__(self, settings: Settings, keys: Mapping[str, str]) -> None:
        self._settings = settings
        self._folder = DataDirectory(settings.data)
        self._book_file = RateBookFile(self._folder.path)
        self._adapters = load_adapters(settings)
        self._keys = keys
        off = reasons_off(settings, self._adapters, keys)
        sources = {key: adapter.source for key, adapter in self._adapters.items()}
        self._asked = {key: adapter for key, adapter in self._adapters.items() if key not in off}
        self._health = SourceStatuses.for_sources(sources.values(), off)
        self._health.resume(read_json_file(self._folder.source_reports, SourceReports))
        self._folding = read_open_bars(self._folder.open_bars)
        self._bar_clock = SteadyClock()
        self._pipeline = PricePipeline(sources, is_open, self._folding, self._bar_clock.at)
        self._rate_books = self._pipeline.rate_books
        with suppress(RateBookDamaged):
            if last := self._book_file.current():
                self._rate_books.resume(last)
        self._archive_worker = ArchiveWorker(settings)
        self._has_filed = asyncio.Event()
        self._book_at: datetime | None = None
        self._archive_seen = self._book_file.changes.version(Topic.ARCHIVE)
        self._outages = Outages()

    async def run(self, stop: StopSignal) -> None:
        """Run every task until told to stop; one that fails is logged and begun again."""
        # Behind a gateway all sources are one host: the venues' sockets alone would take all that one may have.
        per_host = 0 if self._settings.gateway else _PER_HOST
        connector = aiohttp.TCPConnector(limit=_CONNECTIONS, limit_per_host=per_host)
        async with aiohttp.ClientSession(connector=connector, auto_decompress=True) as session:
            fetcher = Fetcher(session, self._settings.gateway, self._keys)
            await self._recall()
            log.info(
                "Ingest: %d sources are asked, %d are off", len(self._asked), len(self._adapters) - len(self._asked)
            )
            # No task ends by itself. One that fails ends the process, and the supervisor starts another.
            async with running_tasks(self._works(fetcher)) as tasks:
                await stop.wait_beside(tasks)
        self._archive_worker.close()

    def _works(self, fetcher: Fetcher) -> list[Coroutine[Any, Any, None]]:
        works = [self._publish(), self._tell(), self._build(), self._heed(), self._say_if_alone()]
        works += [self._close(), self._bar()]
        for key, adapter in self._asked.items():
            poller = Poller(adapter.source, fetcher, self._health.by_source[key], utc_now, self._health)
            works += self._works_of(adapter, poller)
        return works

    def _works_of(self, adapter: Adapter, poller: Poller) -> list[Coroutine[Any, Any, None]]:
        """Give what a source's own tasks do; a fault of ours in one of them hurts no other source."""
        if isinstance(adapter, FixingAdapter):
            return [_for_ever(poller, lambda: poll_fixings(poller, adapter, self._file, self._filed))]
        if isinstance(adapter, VenueAdapter):
            streamer = Streamer(adapter, poller, self._pipeline)
            works = [_for_ever(poller, streamer.run)]
            if adapter.requests():
                works.append(
                    _for_ever(poller, lambda: poll_ticks(poller, adapter, self._pipeline, lambda: streamer.names))
                )
            return works
        if isinstance(adapter, TickAdapter):
            return [_for_ever(poller, lambda: poll_ticks(poller, adapter, self._pipeline, dict))]
        raise TypeError(f"{adapter.source.key} is a feed of no kind")

    async def _recall(self) -> None:
        """Take what the archive holds of every source, also of those that are off: it was right when it was filed."""
        for key, adapter in self._adapters.items():
            if isinstance(adapter, FixingAdapter):
                await self._take_holdings(key)

    async def _file(self, key: str, delivery: Delivery) -> Any:
        return await self._archive_worker.call(ArchiveTasks.file, key, delivery)

    async def _filed(self, key: str) -> None:
        await self._take_holdings(key)
        self._has_filed.set()

    async def _take_holdings(self, key: str) -> None:
        now = utc_now()
        try:
            holdings = await self._archive_worker.call(ArchiveTasks.summarize, key, now.date())
        except CambistError as error:
            log.warning("Ingest: what is here of %s cannot be read: %s", key, error)
            return
        source_status = self._health.by_source[key]
        source_status.codes, source_status.coverage, source_status.waiting = (
            len(holdings.offers),
            holdings.coverage,
            holdings.waiting,
        )
        for offer in holdings.offers.values():
            source_status.record_market_time(offer.quote.as_of)
        self._rate_books.apply_fixings(key, holdings.offers, now)

    async def _publish(self) -> None:
        """Publish a book when something has changed, at most ten times a second."""
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            book = self._edition()
            if book is None:
                await asyncio.sleep(_LOOK_EVERY)
                continue
            if self._is_written("book", partial(self._book_file.publish, book)):
                self._book_at = utc_now()
            while (left := began + _EDITION_EVERY - loop.time()) > 0:
                await asyncio.sleep(min(left, _LOOK_EVERY))
                if left > _LOOK_EVERY:
                    self._prepare()

    def _prepare(self) -> None:
        with suppress(Exception):  # the next edition meets the same fault, and says so
            self._rate_books.prepare(utc_now())

    def _edition(self) -> RateBook | None:
        """Give the next book; where a fault of ours keeps it from being made, the last one stays and ages."""
        try:
            book = self._rate_books.build(utc_now())
        except Exception as fault:  # noqa: BLE001  logged with its trace, once
            self._outages.begin("book", "made", fault, with_trace=True)
            return None
        self._outages.end("book", "made")
        return book

    async def _tell(self) -> None:
        """Write the bulletin on the sources."""
        while True:
            source_reports = self._health.report(
                utc_now(), self._pipeline.accepted, self._pipeline.refused, self._rate_books.version, self._book_at
            )
            if self._is_written("bulletin", partial(write_json_file, self._folder.source_reports, source_reports)):
                self._book_file.changes.notify(Topic.SOURCES)
            await asyncio.sleep(_SOURCE_REPORTS_EVERY)

    def _is_written(self, what: str, write: Callable[[], None]) -> bool:
        """Write a file of the folder; on a full disk the last one stays, which is said when it begins and ends."""
        try:
            write()
        except OSError as error:
            self._outages.begin(what, "written", error.strerror)
            return False
        self._outages.end(what, "written")
        return True

    async def _build(self) -> None:
        """Build the image once things have settled after a delivery; and when a new day has begun."""
        wait = _SETTLE
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(timedelta(minutes=10).total_seconds()):
                    await self._has_filed.wait()
            await asyncio.sleep(wait)
            self._has_filed.clear()
            wait = _SETTLE if await self._is_built() else min(2 * wait, _LONGEST_WAIT)

    async def _is_built(self) -> bool:
        try:
            await self._archive_worker.call(ArchiveTasks.rebuild_matrix, datetime.now(UTC).date())
        except CambistError as error:
            self._outages.begin("image", "built", error)
        except Exception as fault:  # noqa: BLE001  logged with its trace, once
            self._outages.begin("image", "built", fault, with_trace=True)
        else:
            self._outages.end("image", "built")
            return True
        self._has_filed.set()
        return False

    async def _heed(self) -> None:
        """Take all holdings anew when a command has changed the archive, and when a day begins: money may end."""
        day = utc_now().date()
        while True:
            version = self._book_file.changes.version(Topic.ARCHIVE)
            if version != self._archive_seen or day != utc_now().date():
                self._archive_seen, day = version, utc_now().date()
                await self._recall()
                self._has_filed.set()
            await asyncio.sleep(_SOURCE_REPORTS_EVERY)

    async def _close(self) -> None:
        """Archive what coins were worth when a day has ended."""
        age, call = self._settings.coin_max_age, self._archive_worker.call
        await archive_closes(
            age, lambda: self._rate_books.last, lambda closes: call(ArchiveTasks.file_closes, closes), utc_now
        )

    async def _bar(self) -> None:
        """Look after the bars that the tape's ticks are folded into."""
        path = self._folder.open_bars
        await BarWriter(
            self._folding,
            lambda content: self._is_written("file of open bars", partial(write_open_bars, path, content)),
            lambda bars: self._archive_worker.call(ArchiveTasks.file_bars, bars),
            lambda interval, before: self._archive_worker.call(ArchiveTasks.forget_bars, interval, before),
            bar_retention(self._settings),
            lambda: self._bar_clock.at(utc_now()),
        ).run()

    async def _say_if_alone(self) -> None:
        """Say once that there is no network, instead of once a source."""
        await asyncio.sleep(_ALONE_AFTER)
        if self._asked and self._health.is_offline:
            log.warning("Ingest: no source can be reached; answers come from what is here, and say how old it is")
        await asyncio.Event().wait()


async def _for_ever(poller: Poller, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Do a source's work, and begin it again a while after it met a fault of ours: the log has the trace."""
    while True:
        try:
            await work()
        except Exception as fault:
            log.exception("Source %s: a fault of ours, it is asked again in a while", poller.source.key)
            poller.record_failure(fault)
        await asyncio.sleep(_AFTER_A_FAULT)
