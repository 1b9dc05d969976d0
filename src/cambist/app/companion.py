"""A companion process of the service: started with it, replaced when it dies, stopped after the workers."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Self

from cambist.settings import Settings

log = logging.getLogger(__name__)

_REPLACE_AFTER = 0.2
_STOP_SECONDS = 10
_STOPPED = (0, -signal.SIGTERM)
"""Exit codes of a process that was told to stop, as service managers tell all processes of a service at once."""

Work = Callable[[Settings, int], None]
"""What a companion does: with the settings, as long as the supervisor of that process id lives."""


class Companion:
    """Keeps one process at work."""

    def __init__(self, name: str, work: Work, settings: Settings) -> None:
        self._name = name
        self._work = work
        self._settings = settings
        self._stopping = threading.Event()
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
        process = get_context("spawn").Process(target=self._work, args=(self._settings, os.getpid()), name=self._name)
        process.start()
        return process

    def _replace(self) -> None:
        while True:
            self._process.join()
            if self._stopping.wait(_REPLACE_AFTER):
                return
            code = self._process.exitcode
            if code in _STOPPED:
                log.info("The %s was stopped from outside: it is started again", self._name)
            else:
                log.error("The %s died with exit code %s: another takes over", self._name, code)
            self._process = self._started()
