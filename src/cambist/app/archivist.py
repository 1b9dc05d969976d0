"""The archivist: a process that does the heavy work of ingest, so that ticks never wait for it.

It reads what sources sent, judges it, files it, and builds the image. It is the only writer of the archive beside the
commands of the operator; killed at any moment it leaves a delivery filed whole or not at all.
"""

from __future__ import annotations

import asyncio
import logging.config
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from datetime import date, datetime
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from time import sleep
from typing import TypeVar

from cambist.app.feeds import fixing_feeds
from cambist.app.parts import open_store
from cambist.errors import ImageDamaged, SourceSilent, StoreBroken
from cambist.history.bars import BarOf, Interval
from cambist.history.environment import Environment, check_image
from cambist.history.fixing import Coverage, Filed
from cambist.history.image import RateImage
from cambist.ingest.closes import Closes, file_closes
from cambist.ingest.daily import daily_offers
from cambist.ingest.filing import Delivery, Files, file_delivery
from cambist.ingest.publish import build_image, is_current
from cambist.market.consensus import Offer
from cambist.server.logs import log_config
from cambist.settings import Settings
from cambist.stores.board import FileBoard, News
from cambist.stores.folder import DataFolder
from cambist.stores.image import open_image, write_image

T = TypeVar("T")

_LONGEST_READING = 120.0
_FINISH_SECONDS = 4.0


@dataclass(frozen=True, slots=True)
class Holdings:
    """What is here of a source: its word on each code, what the archive holds, what waits in quarantine."""

    offers: dict[str, Offer]
    coverage: Coverage | None
    waiting: int


class Archive:
    """The archivist's desk: a store, the feeds, and the image as it stands.

    Errors when made: CannotStart for a sandbox's folder, where nothing is filed.
    """

    def __init__(self, settings: Settings) -> None:
        self._folder = DataFolder(settings.data)
        self._folder.check(Environment.LIVE)
        self._board = FileBoard(self._folder.path)
        self._store = open_store(settings)
        self._feeds = fixing_feeds(settings)
        self._image: RateImage | None = None
        self._image_seen = -1

    def file(self, key: str, delivery: Delivery, progress: Callable[[int], None] = lambda _count: None) -> Filed | None:
        """File a delivery. Errors: FeedBroken, StoreBroken."""
        sources = [feed.source for feed in self._feeds.values()]
        files = Files(self._store.archive, self._store.quarantine, self._current_image(), sources)
        return file_delivery(files, self._feeds[key], delivery, progress)

    def file_closes(self, closes: Sequence[Closes]) -> Filed:
        """File the closes of a day. Errors: StoreBroken."""
        return file_closes(self._store.archive, closes)

    def file_bars(self, bars: Sequence[BarOf]) -> None:
        """File bars that have ended. Errors: StoreBroken."""
        self._store.bars.file(bars)

    def forget_bars(self, interval: Interval, before: datetime) -> int:
        """Remove bars that start before a moment. Errors: StoreBroken."""
        return self._store.bars.forget(interval, before)

    def holdings(self, key: str, today: date) -> Holdings:
        """Say what is here of a source."""
        source, rank = self._feeds[key].source, list(self._feeds).index(key)
        archive = self._store.archive
        offers = daily_offers(archive, source, rank, today)
        return Holdings(offers, archive.coverage(key), self._store.quarantine.waiting(key))

    def rebuild(self, today: date) -> bool:
        """Build the image where the archive has changed; say whether it was."""
        image = self._current_image()
        if image is not None and is_current(image, self._store.archive, today):
            return False
        built = build_image(self._store.archive, [feed.source for feed in self._feeds.values()], today)
        write_image(self._folder.image, built)
        self._board.ring(News.IMAGE)
        return True

    def _current_image(self) -> RateImage | None:
        version = self._board.version(News.IMAGE)
        if version != self._image_seen or self._image is None:
            self._image_seen = version
            try:
                self._image = check_image(open_image(self._folder.image), Environment.LIVE)
            except ImageDamaged:
                self._image = None
        return self._image


class Archivist:
    """Hands work to the process and waits for it without holding up the loop; a process that dies is replaced."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._pool = self._opened()
        self._one_at_a_time = asyncio.Lock()

    async def file(self, key: str, delivery: Delivery) -> Filed | None:
        """File a delivery. Errors: FeedBroken, StoreBroken, SourceSilent where reading it takes too long."""
        return await self._done(_file, key, delivery)

    async def file_closes(self, closes: Sequence[Closes]) -> Filed:
        """File the closes of a day. Errors: StoreBroken, SourceSilent where it takes too long."""
        return await self._done(_file_closes, closes)

    async def file_bars(self, bars: Sequence[BarOf]) -> None:
        """File bars that have ended. Errors: StoreBroken, SourceSilent where it takes too long."""
        await self._done(_file_bars, bars)

    async def forget_bars(self, interval: Interval, before: datetime) -> int:
        """Remove bars that start before a moment. Errors: StoreBroken, SourceSilent where it takes too long."""
        return await self._done(_forget_bars, interval, before)

    async def holdings(self, key: str, today: date) -> Holdings:
        """Say what is here of a source. Errors: StoreBroken."""
        return await self._done(_holdings, key, today)

    async def rebuild(self, today: date) -> bool:
        """Build the image where the archive has changed. Errors: StoreBroken."""
        return await self._done(_rebuild, today)

    def close(self) -> None:
        """Let the process finish what it is at, but not for long: what is cut off is not filed, and comes again."""
        processes = self._processes()
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.join(_FINISH_SECONDS)
            process.kill()

    async def _done(self, work: Callable[..., T], *given: object) -> T:
        async with self._one_at_a_time:
            loop = asyncio.get_running_loop()
            try:
                # Not wait_for: before Python 3.12 it may swallow being cancelled, and then nothing ends the gatherer.
                async with asyncio.timeout(_LONGEST_READING):
                    return await loop.run_in_executor(self._pool, work, *given)
            except TimeoutError as error:
                self._replace()
                raise SourceSilent("the reading of what it sent did not end") from error
            except BrokenProcessPool as error:
                self._replace()
                raise StoreBroken("The process that files died; another takes over") from error

    def _replace(self) -> None:
        for process in self._processes():
            process.kill()
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._opened()

    def _processes(self) -> list[BaseProcess]:
        return list((getattr(self._pool, "_processes", None) or {}).values())

    def _opened(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            1, mp_context=get_context("spawn"), initializer=_begin, initargs=(self._settings, os.getpid())
        )


_desk: list[Archive] = []


def _begin(settings: Settings, supervisor: int) -> None:
    """Set up the process; it ends when the one that started it has died."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.config.dictConfig(log_config(settings.log_level))
    threading.Thread(target=_end_with, args=(supervisor,), daemon=True).start()
    _desk.append(Archive(settings))


def _end_with(supervisor: int) -> None:
    while os.getppid() == supervisor:
        sleep(0.5)
    os._exit(1)


def _file(key: str, delivery: Delivery) -> Filed | None:
    return _desk[0].file(key, delivery)


def _file_closes(closes: Sequence[Closes]) -> Filed:
    return _desk[0].file_closes(closes)


def _file_bars(bars: Sequence[BarOf]) -> None:
    _desk[0].file_bars(bars)


def _forget_bars(interval: Interval, before: datetime) -> int:
    return _desk[0].forget_bars(interval, before)


def _holdings(key: str, today: date) -> Holdings:
    return _desk[0].holdings(key, today)


def _rebuild(today: date) -> bool:
    return _desk[0].rebuild(today)
