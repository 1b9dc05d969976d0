"""What the supervisor tells the service manager: when the service answers, and, again and again, that it works."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from time import monotonic

from cambist.processes.child_process import ChildProcess
from cambist.processes.service_manager import ServiceManager

log = logging.getLogger(__name__)

CHECK_SECONDS = 1.0
"""Seconds between two looks at the processes."""


class Watchdog:
    """Tells the service manager that the service is ready, and that it works while its processes do.

    The service is ready when all API workers listen; `others` count where there are none. It works while no process
    hangs: its main loop has run within half of the time that the manager waits. A process that has died is replaced by
    the supervisor, so it does not count, unless no API worker is left.
    """

    def __init__(
        self, manager: ServiceManager, workers: Sequence[ChildProcess], others: Sequence[ChildProcess], status: str
    ) -> None:
        self._manager = manager
        self._workers = workers
        self._all = (*workers, *others)
        self._status = status
        self._is_ready = False
        self._hanging: set[str] = set()
        self._due = 0.0

    def check(self) -> None:
        """Look at the processes, and tell the manager what is due."""
        if not self._is_ready:
            self._is_ready = all(child.has_begun for child in self._workers or self._all)
            if self._is_ready:
                self._manager.ready(self._status)
        longest = self._manager.watchdog_seconds
        if longest is None:
            return
        is_well = self._is_well(longest / 2)
        if is_well and monotonic() >= self._due:
            self._due = monotonic() + longest / 4
            self._manager.alive()

    def reloading(self) -> None:
        """Tell that the plans are read again."""
        if self._is_ready:
            self._manager.reloading()

    def reloaded(self) -> None:
        """Tell that they have been read."""
        if self._is_ready:
            self._manager.ready(self._status)

    def _is_well(self, longest: float) -> bool:
        hanging = {child.name for child in self._all if child.hangs(longest)}
        for name in sorted(hanging - self._hanging):
            log.error("The %s has not worked for %d s: the service manager may restart the service", name, longest)
        for name in sorted(self._hanging - hanging):
            log.info("The %s works again", name)
        self._hanging = hanging
        has_workers = not self._workers or any(worker.is_running for worker in self._workers)
        return has_workers and not hanging
