"""A child process of the supervisor: it is started, restarted when it dies, and stopped at the end."""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from multiprocessing import current_process, get_context
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Event
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from cambist.errors import CambistError
from cambist.processes.heartbeat import Heartbeat, set_heartbeat
from cambist.processes.process import ignore_interrupts
from cambist.settings import Settings

log = logging.getLogger(__name__)

_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.2, 60.0
"""Seconds until a process is restarted: after its first death, and at most."""

_RECOVERED_SECONDS = 60.0
"""A process that has run for so long counts as recovered."""

_LOGGED_DEATHS = 3
"""So many deaths in a row are logged, the last one with a note that further ones are not."""

_STOP_SECONDS = 11
_TOLD_SECONDS = 1.0
_LONGEST_WAIT_SECONDS = 2.0
_STOPPED = (0, -signal.SIGTERM)
"""Exit codes of a process that was stopped from outside: service managers stop all processes at once."""

Entry = Callable[[Settings, int], None]
"""The function that a child process runs, with the settings and the process id of its supervisor."""


def share_memory() -> Event | None:
    """Prepare this process to be forked; return an event, to be set when the API answers, or None: do not fork.

    A forked process shares the memory of what its parent has imported, and starts at once. Only a process without
    threads can be forked safely, and not on every system.
    """
    if sys.platform != "linux":
        return None
    # What is imported stays: without the garbage collector's marks its pages remain shared.
    gc.freeze()
    _answering[:] = [get_context("fork").Event()]
    return _answering[0]


def announce_answering() -> None:
    """Let the processes begin to work that wait until the API answers; a spawned worker is not waited for."""
    for event in _answering:
        event.set()


_answering: list[Event] = []
"""The event of `share_memory`, in this process and those that are forked from it; a spawned one cannot have it."""


class ChildProcess:
    """Starts a child process when made, keeps it running from `watch` on, and ends it at `stop`.

    The first process is forked if `answering` is given. Unless `is_awaited`, it works when that is set, so that the API
    answers first. Its successors are spawned: by then this process has threads. `is_running` is false between a death
    and the next start.
    """

    def __init__(
        self,
        name: str,
        entry: Entry,
        settings: Settings,
        answering: Event | None = None,
        *,
        is_awaited: bool = False,
    ) -> None:
        self._name = name
        self._is_awaited = is_awaited
        self._entry = entry
        self._settings = settings
        self._stopping = threading.Event()
        self._deaths = 0
        self._heartbeat = Heartbeat()
        self.is_running = True
        self._process = self._start(answering)
        self._watch = threading.Thread(target=self._restart, name=f"watch {name}", daemon=True)

    def __enter__(self) -> Self:
        self.watch()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    @property
    def name(self) -> str:
        """The name of the process, as the log has it."""
        return self._name

    @property
    def has_begun(self) -> bool:
        """Whether the main loop of the process runs, or has run."""
        return self._heartbeat.age is not None

    def hangs(self, seconds: float) -> bool:
        """Return whether the process is there, and its main loop has not run for so many seconds."""
        age = self._heartbeat.age
        return self.is_running and age is not None and age > seconds

    def begin_stop(self) -> None:
        """Ask the process to end."""
        self._stopping.set()
        self._process.terminate()

    def watch(self) -> None:
        """Replace the process whenever it dies, in a thread."""
        self._watch.start()

    def stop(self) -> bool:
        """End the process, and wait for it a few seconds; return whether it ended by itself, as it should."""
        self.begin_stop()
        self._process.join(_STOP_SECONDS)
        if self._watch.is_alive():
            # Of two threads that wait for a process, one alone is told its exit code; this may be the other.
            self._watch.join(_TOLD_SECONDS)
        has_ended = self._process.exitcode in _STOPPED
        self._process.kill()  # no process owns anything that could be lost
        return has_ended

    def _start(self, answering: Event | None = None) -> BaseProcess:
        entry = self._entry
        if answering is not None and not self._is_awaited:
            entry = partial(_run_after, answering, entry)
        self._heartbeat.reset()
        args = (entry, self._settings, os.getpid(), self._heartbeat, self._deaths < _LOGGED_DEATHS)
        context = get_context("spawn") if answering is None else get_context("fork")
        process: BaseProcess = context.Process(target=_run, args=args, name=self._name)
        process.start()
        return process

    def _restart(self) -> None:
        while True:
            self._process.join(_RECOVERED_SECONDS)
            if self._process.is_alive():
                self._recover()
                self._process.join()
            self.is_running = False
            if self._stopping.wait(restart_pause(self._deaths)):
                return
            self._log_death(self._process.exitcode)
            self._process = self._start()
            self.is_running = True

    def _recover(self) -> None:
        if self._deaths >= _LOGGED_DEATHS:
            log.info("The %s runs again, after it died %d times", self._name, self._deaths)
        self._deaths = 0

    def _log_death(self, code: int | None) -> None:
        """Log that the process has died, unless it keeps dying and that has been logged."""
        if code in _STOPPED:
            log.info("The %s was stopped from outside: it is started again", self._name)
            return
        self._deaths += 1
        if self._deaths < _LOGGED_DEATHS:
            log.error("The %s died with exit code %s: another takes over", self._name, code)
        elif self._deaths == _LOGGED_DEATHS:
            log.error(
                "The %s keeps dying, with exit code %s: it is restarted every %d s, and this is logged once",
                self._name,
                code,
                _LONGEST_PAUSE,
            )


def restart_pause(deaths: int) -> float:
    """Return the seconds until a process is restarted that has died so often in a row before."""
    return float(min(_SHORTEST_PAUSE * 2 ** min(deaths, 16), _LONGEST_PAUSE))


def _run_after(answering: Event, entry: Entry, settings: Settings, supervisor: int) -> None:
    ignore_interrupts()
    answering.wait(_LONGEST_WAIT_SECONDS)
    entry(settings, supervisor)


def imported(module: str, function: str, settings: Settings, supervisor: int, **options: Any) -> None:
    """Call the entry point of a module, which only this process imports."""
    getattr(import_module(module), function)(settings, supervisor, **options)


def _run(entry: Entry, settings: Settings, supervisor: int, heartbeat: Heartbeat, logs_error: bool) -> None:  # noqa: FBT001  multiprocessing's
    """Run the entry point in this process; log why it ends, unless that has been logged before."""
    _show_name(current_process().name)
    set_heartbeat(heartbeat)
    try:
        entry(settings, supervisor)
    except (CambistError, OSError) as error:
        if logs_error:
            log.error("The %s ends: %s", current_process().name, error)  # noqa: TRY400  a trace would add nothing
        sys.exit(1)
    except Exception:
        if logs_error:
            log.exception("The %s ends", current_process().name)
        sys.exit(1)


def _show_name(name: str) -> None:
    """Have `ps` and `top` show what this process is, where the system lets a process name itself."""
    with suppress(OSError):
        Path("/proc/self/comm").write_text(name, encoding="ascii")  # the kernel keeps 15 characters
