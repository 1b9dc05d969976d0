"""A companion process of the service: started with it, replaced when it dies, stopped after the workers."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from multiprocessing import current_process, get_context
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Self

from cambist.errors import CambistError
from cambist.settings import Settings

log = logging.getLogger(__name__)

_SHORTEST, _LONGEST = 0.2, 60.0
"""Seconds until a dead process is started again: after its first death, and at most."""

_STEADY = 60.0
"""A process that has run for so many seconds is well again."""

_TOLD = 3
"""At this death in a row it is said that there were several; of later ones nothing is said."""

_STOP_SECONDS = 10
_STOPPED = (0, -signal.SIGTERM)
"""Exit codes of a process that was told to stop, as service managers tell all processes of a service at once."""

Work = Callable[[Settings, int], None]
"""What a companion does: with the settings, as long as the supervisor of that process id lives."""


class ChildProcess:
    """Keeps one process at work."""

    def __init__(self, name: str, work: Work, settings: Settings) -> None:
        self._name = name
        self._work = work
        self._settings = settings
        self._stopping = threading.Event()
        self._deaths = 0
        self._process = self._started()
        self._watch = threading.Thread(target=self._replace, name=f"watch {name}", daemon=True)

    def __enter__(self) -> Self:
        self._watch.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stopping.set()
        self._process.terminate()
        self._process.join(_STOP_SECONDS)
        self._process.kill()  # whatever keeps it: nothing that it owns is lost

    def _started(self) -> BaseProcess:
        given = (self._work, self._settings, os.getpid(), self._deaths < _TOLD)
        process = get_context("spawn").Process(target=_worked, args=given, name=self._name)
        process.start()
        return process

    def _replace(self) -> None:
        while True:
            self._process.join(_STEADY)
            if self._process.is_alive():
                self._recover()
                self._process.join()
            if self._stopping.wait(pause_after(self._deaths)):
                return
            self._tell(self._process.exitcode)
            self._process = self._started()

    def _recover(self) -> None:
        if self._deaths >= _TOLD:
            log.info("The %s runs again, after it died %d times", self._name, self._deaths)
        self._deaths = 0

    def _tell(self, code: int | None) -> None:
        """Say that the process has ended, unless it keeps dying and that was said."""
        if code in _STOPPED:
            log.info("The %s was stopped from outside: it is started again", self._name)
            return
        self._deaths += 1
        if self._deaths < _TOLD:
            log.error("The %s died with exit code %s: another takes over", self._name, code)
        elif self._deaths == _TOLD:
            log.error(
                "The %s keeps dying, with exit code %s: it is started again every %d s, and this is said once",
                self._name,
                code,
                _LONGEST,
            )


def pause_after(deaths: int) -> float:
    """Give the seconds until a process is started again that has died so often in a row before."""
    return float(min(_SHORTEST * 2 ** min(deaths, 16), _LONGEST))


def _worked(work: Work, settings: Settings, supervisor: int, tells: bool) -> None:  # noqa: FBT001  multiprocessing's
    """Work in this process; say why it ends, where that was not said before."""
    try:
        work(settings, supervisor)
    except (CambistError, OSError) as error:
        if tells:
            log.error("The %s ends: %s", current_process().name, error)  # noqa: TRY400  a trace says no more
        sys.exit(1)
    except Exception:
        if tells:
            log.exception("The %s ends", current_process().name)
        sys.exit(1)
