"""An asyncio event loop on virtual time: whenever all tasks wait, the clock moves to the next moment at once."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

_RESOLUTION_SECONDS = 1e-6


class DeadlockError(Exception):
    """All tasks wait, and nothing will ever wake one."""


class _LeapingSelector(selectors.SelectSelector):
    """A selector that waits for nothing: it moves the clock of its loop by the time that it should wait."""

    loop: VirtualLoop | None = None

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Move the clock. Errors: DeadlockError if there is no moment to wait for."""
        if timeout is None:
            raise DeadlockError("All tasks wait for each other")
        if self.loop is not None and timeout > 0:
            self.loop.seconds += timeout
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock begins at `start`. Work for other threads is done at once, in the loop."""

    def __init__(self, start: datetime) -> None:
        selector = _LeapingSelector()
        self.seconds = 0.0
        self._start = start
        self._now = 0.0, start
        super().__init__(selector)
        # Seconds are floats: after half a year two of them are further apart than the resolution of the real clock, and
        # what is due would never be seen as due.
        self._clock_resolution = _RESOLUTION_SECONDS
        selector.loop = self

    def time(self) -> float:
        """Return the seconds since the start."""
        return self.seconds

    def now(self) -> datetime:
        """Return the virtual time in UTC, in whole microseconds."""
        if self._now[0] != self.seconds:
            self._now = self.seconds, self._start + timedelta(microseconds=round(self.seconds * 1_000_000))
        return self._now[1]

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:  # type: ignore[override]
        """Call a function now, and return its result as a future that is done."""
        del executor
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:  # noqa: BLE001  the caller awaits it
            future.set_exception(error)
        return future
