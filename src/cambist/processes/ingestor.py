"""The ingest process: it polls the sources, listens to the venues, and publishes rate books.

No other process waits for it. When it is killed, the last rate book is still served while its quotes age. Of several
nodes, all listen to the venues, and one leads: it alone polls the sources of fixings, files, and publishes.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import aiohttp
from stamina.instrumentation import set_on_retry_hooks

from cambist.clock import utc_now
from cambist.cluster.leadership import LeaderElection
from cambist.cluster.reach_mark import ReachMark
from cambist.errors import RateBookDamaged
from cambist.history.fixing import FilingResult
from cambist.history.price_samples import PriceSample
from cambist.ingest.bar_writer import BarWriter
from cambist.ingest.coin_closes import CoinCloses, archive_closes
from cambist.ingest.fetch import Fetcher
from cambist.ingest.filing import Delivery
from cambist.ingest.poller import Poller, poll_fixings, poll_ticks, refresh_silent
from cambist.ingest.price_pipeline import PricePipeline
from cambist.ingest.price_sampler import sample_prices
from cambist.ingest.source_status import SourceStatuses
from cambist.ingest.steady_clock import SteadyClock, boot_seconds
from cambist.ingest.streamer import Streamer
from cambist.monitoring.outages import Outages
from cambist.pricing.trading_hours import is_open
from cambist.processes.archive_watch import ArchiveWatch
from cambist.processes.archive_worker import ArchiveWorker
from cambist.processes.book_publication import BookPublication
from cambist.processes.delivery_attempts import DeliveryAttempts
from cambist.processes.ingest_leader import IngestLeader
from cambist.processes.process import StopSignal, running_tasks, set_up_process, tune_gc
from cambist.registry.archiving.archive_tasks import ArchiveTasks
from cambist.registry.archiving.open_bars import bar_retention, read_open_bars, write_open_bars
from cambist.registry.node.nodes import node_name
from cambist.registry.sources.asked_sources import watch_asked_sources
from cambist.registry.sources.source_adapters import load_adapters, reasons_off
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings
from cambist.settings.outgoing import outgoing_proxies
from cambist.sources.base import Adapter, FixingAdapter, TickAdapter, VenueAdapter
from cambist.status.source_activity import SourceActivity
from cambist.status.source_report import SourceReports
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file, write_json_file
from cambist.storage.shared.rate_book_file import RateBookFile

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

_CONNECTIONS = 40
_PER_HOST = 4
_RESTART_SECONDS = 60.0
_TAKE_OVER_SECONDS = 2.0
_FRESH_SECONDS = 1.0
"""How long a new leader waits for the archive before it publishes."""

_LINK_STARTS_IN = 10.0
"""For so many seconds the link of this node may not have reached the others yet."""

_FIRST_ACTIVITY_SECONDS, _ACTIVITY_SECONDS = 5.0, 60.0


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
        self._node_file = RateBookFile(self._folder.path)
        self._adapters = load_adapters(settings)
        self._keys = keys
        off = reasons_off(settings, self._adapters, keys)
        sources = {key: adapter.source for key, adapter in self._adapters.items()}
        self._enabled = {key: adapter for key, adapter in self._adapters.items() if key not in off}
        self._statuses = SourceStatuses.for_sources(sources.values(), off)
        self._statuses.resume(read_json_file(self._folder.source_reports, SourceReports))
        self._statuses.resume_activity(read_json_file(self._folder.source_activity, SourceActivity), utc_now())
        self._bar_aggregator = read_open_bars(self._folder.open_bars)
        self._bar_clock = SteadyClock()
        self._pipeline = PricePipeline(sources, is_open, self._bar_aggregator, self._bar_clock.at)
        self._rate_books = self._pipeline.rate_books
        with suppress(RateBookDamaged):
            if last := self._node_file.current_with_votes():
                self._rate_books.resume(last)
        self._outages = Outages()
        fixing_keys = [key for key, adapter in self._adapters.items() if isinstance(adapter, FixingAdapter)]
        self._archive = ArchiveWatch(
            ArchiveWorker(settings), fixing_keys, self._rate_books, self._statuses, self._node_file.changes,
            self._outages,
        )  # fmt: skip
        self._leader = self._new_leader()
        self._publication = self._new_publication()
        self._attempts = DeliveryAttempts(self._file_delivery)

    def _new_leader(self) -> IngestLeader | None:
        """Return what this process does as the leader of several nodes; None for a service on one machine."""
        if not self._settings.is_node:
            return None
        leadership, node = open_store(self._settings).leadership, node_name(self._settings)
        mark = ReachMark(self._folder.reach_mark, boot_seconds)
        election = LeaderElection(
            leadership, node, lambda: self._bar_clock.at(utc_now()), boot_seconds,
            silence=partial(mark.silence, _LINK_STARTS_IN),
        )  # fmt: skip
        return IngestLeader(election, lambda: self._archive.archive_worker)

    def _new_publication(self) -> BookPublication:
        publish = partial(BookPublication, self._pipeline, self._statuses, outages=self._outages)
        if self._leader is None:
            return publish(self._node_file, self._folder.source_reports)
        # The process that links the nodes passes on what is published here, also to this node.
        candidates: Path = self._folder.candidates
        candidates.mkdir(mode=0o700, exist_ok=True)
        source_reports = candidates / self._folder.source_reports.name
        return publish(RateBookFile(candidates), source_reports, epoch=self._leader.epoch)

    async def run(self, stop: StopSignal) -> None:
        """Run all tasks until the process should stop."""
        # Behind a gateway all sources are one host, whose connections the sockets of the venues would use up.
        per_host = 0 if self._settings.gateway else _PER_HOST
        connector = aiohttp.TCPConnector(limit=_CONNECTIONS, limit_per_host=per_host)
        async with aiohttp.ClientSession(connector=connector, auto_decompress=True) as session:
            proxies = outgoing_proxies(self._settings, os.environ)
            fetcher = Fetcher(session, self._settings.gateway, self._keys, proxies)
            await self._archive.apply_all()
            enabled, all_sources = len(self._enabled), len(self._adapters)
            log.info("Ingest: %d sources are polled, %d are off", enabled, all_sources - enabled)
            if proxies.by_scheme or proxies.unusable:
                log.info("Ingest: sources are asked %s", proxies.description)
            # No task ends by itself. One that fails ends the process, and the supervisor starts another.
            async with running_tasks(self._coroutines(fetcher)) as tasks:
                await stop.wait_beside(tasks)
            self._archive.archive_worker.close()
            if self._leader is not None:
                await self._leader.election.close()

    def _coroutines(self, fetcher: Fetcher) -> list[Coroutine[Any, Any, None]]:
        pollers = {
            key: Poller(adapter.source, fetcher, self._statuses.by_source[key], utc_now, self._statuses)
            for key, adapter in self._enabled.items()
        }
        fixings = [key for key, adapter in self._enabled.items() if isinstance(adapter, FixingAdapter)]
        coroutines = [
            self._publication.publish(), self._publication.write_reports(), self._archive_closes(), self._write_bars(),
            self._sample_prices(), self._write_activity(),
            self._archive.rebuild_matrix_when_due(), self._archive.watch(),
            watch_asked_sources(self._folder, {key: poller.ask for key, poller in pollers.items()}),
        ]  # fmt: skip
        for key in pollers.keys() - fixings:
            coroutines += self._source_coroutines(self._enabled[key], pollers[key])

        def poll_all_fixings() -> list[Coroutine[Any, Any, None]]:
            return [each for key in fixings for each in self._source_coroutines(self._enabled[key], pollers[key])]

        leader = self._leader
        if leader is None:
            return coroutines + poll_all_fixings()

        polled = {key for key, each in self._enabled.items() if isinstance(each, TickAdapter) and each.requests()}
        take_over = partial(self._take_over, [pollers[key] for key in polled])

        def lead() -> list[Coroutine[Any, Any, None]]:
            fetcher.forget_all()  # answers that this process did not file when it led last, another may not have had
            return [*poll_all_fixings(), leader.ask_after_outages([pollers[key].ask for key in fixings])]

        return [*coroutines, leader.election.run(), leader.lead(take_over, lead)]

    def _source_coroutines(self, adapter: Adapter, poller: Poller) -> list[Coroutine[Any, Any, None]]:
        """Return the tasks of one source. An unexpected error in one of them does not affect other sources."""
        if isinstance(adapter, FixingAdapter):
            applied = self._archive.apply_delivery
            return [_run_forever(poller, lambda: poll_fixings(poller, adapter, self._attempts.file, applied))]
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

    async def _take_over(self, live: Iterable[Poller] = ()) -> None:
        """Go on where the last leader ended: with its fixings, its times, a later version of its rate book.

        The prices of `live` sources should not be older than those that clients have seen.
        """
        self._statuses.resume(read_json_file(self._folder.source_reports, SourceReports))
        try:
            async with asyncio.timeout(_TAKE_OVER_SECONDS):
                await self._archive.apply_all()
        except TimeoutError:
            self._archive.apply_all_soon()
        _, version = self._node_file.age_order() or (0, 0)
        self._rate_books.go_on_from(version)
        await refresh_silent(live, _FRESH_SECONDS)

    async def _call(self, method: Callable[Concatenate[ArchiveTasks, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a method of `ArchiveTasks` that files."""
        call = self._archive.archive_worker.call if self._leader is None else self._leader.call
        return await call(method, *args, **kwargs)

    async def _file_delivery(self, key: str, delivery: Delivery) -> FilingResult | None:
        return await self._call(ArchiveTasks.file, key, delivery)

    async def _archive_closes(self) -> None:
        """Archive the closes of coins when a day has ended."""
        age, call = self._settings.coin_max_age, self._call
        file = self._leader.file_closes if self._leader else lambda closes: call(ArchiveTasks.file_closes, closes)

        async def file_and_show(closes: Sequence[CoinCloses]) -> FilingResult | None:
            filed = await file(closes)
            self._archive.is_matrix_due.set()  # answers show them from the next edition on
            return filed

        await archive_closes(age, lambda: self._rate_books.last, file_and_show, utc_now)

    async def _sample_prices(self) -> None:
        """Store what prices are every few minutes."""
        age, call = self._settings.coin_max_age, self._call

        def file(sample: PriceSample) -> Awaitable[None]:
            return call(ArchiveTasks.file_sample, sample)

        await sample_prices(lambda: self._rate_books.last, age, file, utc_now)

    async def _write_activity(self) -> None:
        """Write every minute what was asked of the sources; of several nodes the one that leads does."""
        path, pause = self._folder.source_activity, _FIRST_ACTIVITY_SECONDS
        while True:
            await asyncio.sleep(pause)
            pause = _ACTIVITY_SECONDS
            if self._leader is None or self._leader.epoch() is not None:
                activity = self._statuses.activity(utc_now())
                self._publication.write("file of what was asked", partial(write_json_file, path, activity))

    async def _write_bars(self) -> None:
        """Save open bars, and archive completed ones."""
        path = self._folder.open_bars
        writer = BarWriter(
            self._bar_aggregator,
            lambda content: self._publication.write("file of open bars", partial(write_open_bars, path, content)),
            lambda bars: self._call(ArchiveTasks.file_bars, bars),
            lambda interval, before: self._call(ArchiveTasks.forget_bars, interval, before),
            bar_retention(self._settings),
            lambda: self._bar_clock.at(utc_now()),
        )
        if self._leader is not None:
            writer.file = self._leader.file_bars
            writer.is_standby, writer.holds_all = self._leader.is_standby, self._leader.is_cut_off
        await writer.run()


async def _run_forever(poller: Poller, task: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a task of a source, and start it again a while after an unexpected error."""
    while True:
        try:
            await task()
        except Exception as error:
            log.exception("Source %s: unexpected error; it is polled again in a minute", poller.source.key)
            poller.record_failure(error)
        await asyncio.sleep(_RESTART_SECONDS)
