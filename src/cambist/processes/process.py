"""What all processes of the service do alike: logging, signals, ending with their supervisor, tasks, and gc tuning."""

from __future__ import annotations

import asyncio
import gc
import logging
import logging.config
import os
import select
import signal
import threading
from collections.abc import AsyncIterator, Coroutine, Iterable
from contextlib import asynccontextmanager
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from time import sleep
from typing import Any

from cambist.logs import log_config
from cambist.processes.heartbeat import beat
from cambist.settings import Settings

log = logging.getLogger(__name__)

_CHECK_SECONDS = 0.1
_CANCEL_SECONDS = 1.0
_GC_THRESHOLDS = (100_000, 20, 100)


def set_up_process(settings: Settings) -> None:
    """Set up the log, and ignore Ctrl-C: it reaches the supervisor, which stops the other processes in order."""
    logging.config.dictConfig(log_config(*settings.logging))
    ignore_interrupts()


def ignore_interrupts() -> None:
    """Ignore Ctrl-C: the supervisor receives it too, and stops this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class StopSignal:
    """Whether this process should stop: it has received SIGTERM, or its `supervisor` (a process id) has died."""

    def __init__(self, supervisor: int) -> None:
        self._supervisor = supervisor
        self._terminated = threading.Event()
        signal.signal(signal.SIGTERM, lambda *_: self._terminated.set())

    def is_set(self) -> bool:
        """Return whether the process should stop. A main loop asks often, which is the heartbeat of the process."""
        beat()
        return self._terminated.is_set() or is_orphan(self._supervisor)

    def wait(self, seconds: float) -> bool:
        """Wait for at most `seconds`; return whether the process should stop. This is a heartbeat, as `is_set` is."""
        beat()
        return self._terminated.wait(seconds) or is_orphan(self._supervisor)

    async def wait_beside(self, tasks: Iterable[asyncio.Task[None]]) -> None:
        """Wait until the process should stop. Errors: that of the first of the `tasks` that fails."""
        while not self.is_set():
            await asyncio.sleep(_CHECK_SECONDS)
            for task in tasks:
                if task.done():
                    task.result()


@asynccontextmanager
async def running_tasks(works: Iterable[Coroutine[Any, Any, None]]) -> AsyncIterator[list[asyncio.Task[None]]]:
    """Run coroutines as tasks, and cancel them at the end, until all have ended.

    `asyncio.wait_for` of Python 3.11 returns although it is cancelled, if what it waits for is done in that moment.
    Whoever waits for such a task would wait for ever, so each second the tasks that go on are cancelled again.
    """
    tasks = [asyncio.create_task(work) for work in works]
    try:
        yield tasks
    finally:
        while left := [task for task in tasks if not task.done()]:
            for task in left:
                task.cancel()
            await asyncio.wait(left, timeout=_CANCEL_SECONDS)
        await asyncio.gather(*tasks, return_exceptions=True)


def is_orphan(supervisor: int) -> bool:
    """Return whether the process that started this one has died."""
    return os.getppid() != supervisor


def end_with(supervisor: int) -> None:
    """Watch the supervisor in a thread, and end this process by SIGTERM when it has died."""
    threading.Thread(target=_end_with, args=(supervisor,), name="supervisor watch", daemon=True).start()


def _end_with(supervisor: int) -> None:
    _wait_for_end(supervisor)
    while not is_orphan(supervisor):
        sleep(_CHECK_SECONDS)
    log.error("The supervisor has died: this process ends")
    os.kill(os.getpid(), signal.SIGTERM)


def _wait_for_end(supervisor: int) -> None:
    """Wait until the supervisor has ended, where the system can tell without being asked again and again."""
    if not hasattr(os, "pidfd_open"):
        return
    try:
        descriptor = os.pidfd_open(supervisor)
    except OSError:  # it has ended, or the kernel is older
        return
    try:
        ended = select.poll()
        ended.register(descriptor)
        if not is_orphan(supervisor):  # else another process may have its number by now
            ended.poll()
    finally:
        os.close(descriptor)


def run_in_child(settings: Settings, module: str, function: str, longest: float) -> int | None:
    """Run a function in a child process, which frees its memory at the end, and return its exit code.

    The function is named, so that this process need not import its module. After `longest` seconds the child is
    killed, and the exit code may be None.
    """
    process = _start_child(settings, module, function)
    process.join(longest)
    process.kill()
    return process.exitcode


async def run_in_child_beside(settings: Settings, module: str, function: str, longest: float) -> int | None:
    """Run a function in a child process as `run_in_child` does, beside the other tasks of the event loop."""
    process = _start_child(settings, module, function)
    try:
        for _ in range(int(longest / _CHECK_SECONDS)):
            if not process.is_alive():
                break
            await asyncio.sleep(_CHECK_SECONDS)
    finally:
        process.kill()
        process.join()
    return process.exitcode


def _start_child(settings: Settings, module: str, function: str) -> BaseProcess:
    process = get_context("spawn").Process(target=_run, args=(settings, module, function), name=function, daemon=True)
    process.start()
    return process


def _run(settings: Settings, module: str, function: str) -> None:
    set_up_process(settings)
    getattr(import_module(module), function)(settings)


def tune_gc() -> None:
    """Exempt all present objects from garbage collection, and look for cycles seldom.

    Rate books are trees without cycles, so reference counts free them. A full collection through them takes 50 ms.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_GC_THRESHOLDS)
