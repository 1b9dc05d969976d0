"""The archive worker: a child process that does the slow work of ingest, so that ticks never wait for it.

It parses and validates what sources sent, files it, and builds the image. Besides the operator's commands nothing else
writes to the archive. If it is killed, a delivery has been filed as a whole or not at all.
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
from functools import partial
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from time import sleep
from typing import Concatenate, ParamSpec, TypeVar

from cambist.errors import RateMatrixDamaged, SourceUnreachable, StoreBroken
from cambist.history.bars import BarOf, Interval
from cambist.history.fixing import Coverage, Filed
from cambist.history.rate_matrix import RateMatrix
from cambist.ingest.coin_closes import CoinCloses, file_closes
from cambist.ingest.filing import Delivery, Files, file_delivery
from cambist.ingest.fixing_quotes import daily_offers
from cambist.ingest.snapshot_builder import is_current, rate_matrix_from_archive
from cambist.logs import log_config
from cambist.pricing.consensus import Offer
from cambist.registry.components import open_store
from cambist.registry.sources import fixing_adapters
from cambist.settings import Settings
from cambist.status.environment import Environment, check_rate_matrix
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.shared.rate_matrix_file import open_rate_matrix, write_rate_matrix

P = ParamSpec("P")
T = TypeVar("T")

_DEADLINE_SECONDS = 120.0
_CLOSE_SECONDS = 4.0


@dataclass(frozen=True, slots=True)
class ArchiveSummary:
    """What is stored of a source: its offer for each code, its days, and how many fixings wait in quarantine."""

    offers: dict[str, Offer]
    coverage: Coverage | None
    waiting: int


class ArchiveTasks:
    """The work of the archive worker, on the stores of a data folder.

    Errors when made: CannotStart for a sandbox's folder, where nothing is filed.
    """

    def __init__(self, settings: Settings) -> None:
        self._folder = DataDirectory(settings.data)
        self._folder.check(Environment.LIVE)
        self._changes = data_changes(self._folder.path)
        self._store = open_store(settings)
        self._adapters = fixing_adapters(settings)
        self._matrix: RateMatrix | None = None
        self._matrix_seen = -1

    def file(self, key: str, delivery: Delivery, progress: Callable[[int], None] = lambda _count: None) -> Filed | None:
        """File a delivery. Errors: SourceBroken, StoreBroken."""
        sources = [adapter.source for adapter in self._adapters.values()]
        files = Files(self._store.archive, self._store.quarantine, self._current_matrix(), sources)
        return file_delivery(files, self._adapters[key], delivery, progress)

    def file_closes(self, closes: Sequence[CoinCloses]) -> Filed:
        """File the closes of a day. Errors: StoreBroken."""
        return file_closes(self._store.archive, closes)

    def file_bars(self, bars: Sequence[BarOf]) -> None:
        """File bars that have ended. Errors: StoreBroken."""
        self._store.bars.file(bars)

    def forget_bars(self, interval: Interval, before: datetime) -> int:
        """Remove bars that start before a moment. Errors: StoreBroken."""
        return self._store.bars.delete_before(interval, before)

    def holdings(self, key: str, today: date) -> ArchiveSummary:
        """Return what is stored of a source. Errors: StoreBroken."""
        source, rank = self._adapters[key].source, list(self._adapters).index(key)
        archive = self._store.archive
        offers = daily_offers(archive, source, rank, today)
        return ArchiveSummary(offers, archive.coverage(key), self._store.quarantine.count_waiting(key))

    def rebuild(self, today: date) -> bool:
        """Build the image if the archive has changed; return whether it had. Errors: StoreBroken."""
        matrix = self._current_matrix()
        if matrix is not None and is_current(matrix, self._store.archive, today):
            return False
        built = rate_matrix_from_archive(
            self._store.archive, [adapter.source for adapter in self._adapters.values()], today
        )
        write_rate_matrix(self._folder.matrix, built)
        self._changes.notify(Topic.MATRIX)
        return True

    def _current_matrix(self) -> RateMatrix | None:
        version = self._changes.version(Topic.MATRIX)
        if version != self._matrix_seen or self._matrix is None:
            self._matrix_seen = version
            try:
                self._matrix = check_rate_matrix(open_rate_matrix(self._folder.matrix), Environment.LIVE)
            except RateMatrixDamaged:
                self._matrix = None
        return self._matrix


class ArchiveWorker:
    """Calls methods of `Archive` in a child process, one at a time; a process that hangs or dies is replaced."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._pool = self._new_pool()
        self._one_at_a_time = asyncio.Lock()

    async def call(self, method: Callable[Concatenate[ArchiveTasks, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a method of `Archive` in the process, and return its result.

        Errors: those of the method, SourceUnreachable if it takes too long, StoreBroken if the process dies.
        """
        async with self._one_at_a_time:
            work = partial(_call, method, *args, **kwargs)
            try:
                # Not wait_for: before Python 3.12 it may swallow a cancellation, and then nothing stops the gatherer.
                async with asyncio.timeout(_DEADLINE_SECONDS):
                    return await asyncio.get_running_loop().run_in_executor(self._pool, work)
            except TimeoutError as error:
                self._replace_pool()
                raise SourceUnreachable("the reading of what it sent did not end") from error
            except BrokenProcessPool as error:
                self._replace_pool()
                raise StoreBroken("The process that files died; another takes over") from error

    def close(self) -> None:
        """Give the process a moment to finish; a delivery that is cut off is not filed, and is fetched again."""
        processes = self._processes()
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.join(_CLOSE_SECONDS)
            process.kill()

    def _replace_pool(self) -> None:
        for process in self._processes():
            process.kill()
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._new_pool()

    def _processes(self) -> list[BaseProcess]:
        return list((getattr(self._pool, "_processes", None) or {}).values())

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            1, mp_context=get_context("spawn"), initializer=_start, initargs=(self._settings, os.getpid())
        )


_archives: list[ArchiveTasks] = []
"""In the child process: the one archive that `_start` has opened."""


def _start(settings: Settings, supervisor: int) -> None:
    """Set up the child process; it ends when its parent has died."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.config.dictConfig(log_config(settings.log_level))
    threading.Thread(target=_exit_with, args=(supervisor,), daemon=True).start()
    _archives.append(ArchiveTasks(settings))


def _exit_with(supervisor: int) -> None:
    while os.getppid() == supervisor:
        sleep(0.5)
    os._exit(1)


def _call(method: Callable[Concatenate[ArchiveTasks, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
    return method(_archives[0], *args, **kwargs)
