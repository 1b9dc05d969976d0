"""The archive worker: a child process that does the slow work of ingest, so that ticks never wait for it.

Besides the operator's commands nothing else writes to the archive. If it is killed, a delivery has been stored as a
whole or not at all.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from typing import Concatenate, ParamSpec, TypeVar

from cambist.errors import StoreBroken
from cambist.processes.process import end_with, set_up_process
from cambist.registry.archiving.archive_tasks import ArchiveTasks
from cambist.settings import Settings

P = ParamSpec("P")
T = TypeVar("T")

_DEADLINE_SECONDS = 120.0
_CLOSE_SECONDS = 4.0


class ArchiveWorkerLost(StoreBroken):
    """The process has died, or had to be ended, and was replaced."""


class ArchiveWorker:
    """Calls methods of `ArchiveTasks` in a child process, one at a time; a process that hangs or dies is replaced."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._pool = self._new_pool()
        self._one_at_a_time = asyncio.Lock()

    async def call(self, method: Callable[Concatenate[ArchiveTasks, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a method of `ArchiveTasks` in the process, and return its result.

        Errors: those of the method, ArchiveWorkerLost if it takes too long or the process dies.
        """
        async with self._one_at_a_time:
            work = partial(_call, method, *args, **kwargs)
            try:
                # Not wait_for: before Python 3.12 it may swallow a cancellation, and then the process never stops.
                async with asyncio.timeout(_DEADLINE_SECONDS):
                    return await asyncio.get_running_loop().run_in_executor(self._pool, work)
            except TimeoutError as error:
                self._replace_pool()
                raise ArchiveWorkerLost("the reading of what it sent did not end") from error
            except BrokenProcessPool as error:
                self._replace_pool()
                raise ArchiveWorkerLost("the archive worker died; another takes over") from error

    def close(self) -> None:
        """Wait a few seconds for the process, then kill it. An unfinished delivery is not stored, and fetched again."""
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
"""In the child process: the tasks on the archive that `_start` has opened."""


def _start(settings: Settings, supervisor: int) -> None:
    """Set up the child process; it ends when its parent has died."""
    set_up_process(settings)
    end_with(supervisor)
    _archives.append(ArchiveTasks(settings))


def _call(method: Callable[Concatenate[ArchiveTasks, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
    return method(_archives[0], *args, **kwargs)
