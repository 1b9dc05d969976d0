"""One node that polls, files and publishes: the real parts of the ingest process, put together for virtual time."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from tools.simulation.scripted_fetcher import ScriptedFetcher
from tools.simulation.scripted_source import ScriptedAdapter, ScriptedFixing, ScriptedSource
from tools.simulation.tasks import run_together

from cambist.errors import RateBookDamaged
from cambist.history.judging import Judging
from cambist.ingest.filing import Delivery
from cambist.ingest.poller import Poller, poll_fixings
from cambist.ingest.price_pipeline import PricePipeline
from cambist.ingest.source_status import SourceStatuses
from cambist.monitoring.outages import Outages
from cambist.pricing.quoted_book import QuotedBook
from cambist.processes.archive_watch import ArchiveWatch
from cambist.processes.archive_worker import ArchiveWorker
from cambist.processes.book_publication import BookPublication
from cambist.registry.archiving import archive_tasks
from cambist.registry.archiving.archive_tasks import ArchiveTasks
from cambist.settings import Settings
from cambist.status.source_report import SourceReports
from cambist.storage import Store
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file
from cambist.storage.shared.rate_book_file import RateBookFile

P = ParamSpec("P")
T = TypeVar("T")
_PUBLISHING_SECONDS = 0.35


@dataclass(frozen=True, slots=True)
class Pace:
    """How often a node works that need not be as fast as a real one.

    It publishes `publishing_hours` after a change, and builds the rate matrix within `longest_settle_hours`; its
    pollers are made by `poller`.
    """

    publishing_hours: float = 0.0
    longest_settle_hours: float = 30.0
    poller: Callable[..., Poller] = Poller


USUAL_PACE = Pace()


class WatchedBookFile(RateBookFile):
    """A file of rate books that calls `published` after each publication."""

    def __init__(self, folder: Path, published: Callable[[RateBookFile], None]) -> None:
        super().__init__(folder)
        self._published = published

    def publish(self, book: QuotedBook, leader_epoch: int = 0) -> None:
        """Replace the current book."""
        super().publish(book, leader_epoch)
        self._published(self)


class Watcher(Protocol):
    """Sees each call of the archive worker: the name of a method of `ArchiveTasks`, and its arguments."""

    def begins(self, name: str, arguments: tuple[Any, ...]) -> None:
        """See that a call begins."""

    def ends(self, name: str, arguments: tuple[Any, ...], result: Any) -> None:
        """See the result of a call."""

    def fails(self, name: str, error: Exception) -> None:
        """See that a call has failed."""

    def published(self, book_file: RateBookFile) -> None:
        """See that a book was published."""

    def fetched(self, source: str, fixings: list[ScriptedFixing], *, is_new: bool) -> None:
        """See the fixings that a source shows, and whether there is something new in its answer."""


class InlineWorker(ArchiveWorker):
    """An archive worker in this process, whose every call is watched."""

    def __init__(self, tasks: ArchiveTasks, watcher: Watcher) -> None:
        self._tasks = tasks
        self._watcher = watcher

    async def call(self, method: Callable[Concatenate[ArchiveTasks, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a method of the tasks."""
        await asyncio.sleep(0)
        self._watcher.begins(method.__name__, args)
        try:
            result = method(self._tasks, *args, **kwargs)
        except Exception as error:
            self._watcher.fails(method.__name__, error)
            raise
        self._watcher.ends(method.__name__, args, result)
        return result

    def close(self) -> None:
        """Do nothing: there is no process."""


class IngestNode:
    """The parts of an ingest process, whose work is watched."""

    def __init__(
        self,
        folder: Path,
        adapters: Mapping[str, ScriptedAdapter],
        now: Callable[[], datetime],
        chance: random.Random,
        watcher: Watcher,
        pace: Pace = USUAL_PACE,
    ) -> None:
        self._pace = pace
        self.settings = Settings(data=folder)
        self.folder = DataDirectory(folder)
        self._adapters = adapters
        self._now = now
        self._chance = chance
        self._watcher = watcher
        self._changed = asyncio.Event()
        self._is_all_due = False
        self.book_file = WatchedBookFile(folder, watcher.published)
        sources = {key: adapter.source for key, adapter in adapters.items()}
        self.statuses = SourceStatuses.for_sources(sources.values(), {})
        self.statuses.resume(read_json_file(self.folder.source_reports, SourceReports))
        pipeline = PricePipeline(sources)
        with suppress(RateBookDamaged):
            if last := self.book_file.current_with_votes():
                pipeline.rate_books.resume(last)
        outages = Outages()
        self._tasks = ArchiveTasks(self.settings)
        worker = InlineWorker(self._tasks, watcher)
        self.sync = ArchiveWatch(
            worker, list(adapters), pipeline.rate_books, self.statuses, self.book_file.changes, outages
        )
        self.publication = BookPublication(pipeline, self.statuses, self.book_file, self.folder.source_reports, outages)

    def remembered(self) -> Judging:
        """Return what the archive worker remembers of its judging."""
        judging: Judging = self._tasks._judging  # noqa: SLF001  read, to be compared
        return judging

    def open_store(self) -> Store:
        """Open the store as a command of the operator does."""
        store: Store = vars(archive_tasks)["open_store"](self.settings)
        return store

    def archive_changed(self) -> None:
        """Apply the whole archive again: an operator has changed it."""
        self._is_all_due = True
        self.sync.is_matrix_due.set()
        self._changed.set()

    async def run(self) -> None:
        """Poll all sources and publish, for ever. Errors: what fails."""
        await self.sync.apply_all()
        scripted: dict[str, ScriptedSource] = {key: one.scripted for key, one in self._adapters.items()}
        fetcher = ScriptedFetcher(scripted, self._now, self._chance, self._watcher.fetched)
        await run_together([self._publish(), self._rebuild(), *self._pollers(fetcher)])

    def _pollers(self, fetcher: ScriptedFetcher) -> list[Coroutine[Any, Any, None]]:
        return [self._poll(adapter, fetcher) for adapter in self._adapters.values()]

    async def _poll(self, adapter: ScriptedAdapter, fetcher: ScriptedFetcher) -> None:
        key = adapter.source.key
        poller = self._pace.poller(adapter.source, fetcher, self.statuses.by_source[key], self._now, self.statuses)
        await poll_fixings(poller, adapter, self._file, self._applied)

    async def _file(self, key: str, delivery: Delivery) -> Any:
        return await self.sync.archive_worker.call(ArchiveTasks.file, key, delivery)

    async def _applied(self, key: str) -> None:
        await self.sync.apply_delivery(key)
        self._changed.set()

    async def _publish(self) -> None:
        """Run the publication for a while after each change, and at each new day."""
        while True:
            await self._publish_now()
            day = self._now().date()
            with suppress(TimeoutError):
                async with asyncio.timeout(_seconds_to_midnight(self._now())):
                    await self._changed.wait()
                    if self._pace.publishing_hours:
                        await asyncio.sleep(self._pace.publishing_hours * 3600)
            self._changed.clear()
            if self._is_all_due or self._now().date() != day:
                self._is_all_due = False
                await self.sync.apply_all()

    async def _publish_now(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_PUBLISHING_SECONDS):
                await self.publication.publish()

    async def _rebuild(self) -> None:
        """Rebuild the rate matrix some hours after something was filed, and at once after a start."""
        while True:
            self.sync.is_matrix_due.clear()
            is_built = await self.sync.rebuild_matrix()
            await self.sync.is_matrix_due.wait()
            hours = self._chance.uniform(0, self._pace.longest_settle_hours) if is_built else 1.0
            await asyncio.sleep(hours * 3600)


def _seconds_to_midnight(now: datetime) -> float:
    return 86_400.0 - (now - now.replace(hour=0, minute=0, second=0, microsecond=0)).total_seconds()
