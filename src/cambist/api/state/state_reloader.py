"""The state reloader: a thread of each worker that watches versions in shared memory and applies what is new."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from time import monotonic, sleep
from typing import Generic, TypeVar

from cambist.errors import StoreUnreachable

log = logging.getLogger(__name__)

N = TypeVar("N")

_POLL_SECONDS = 0.01
_TICK_SECONDS = 0.1
_TICKS_PER_RETRY = 10
"""What could not be applied is tried again after a second."""


def poll_later(_seconds: float) -> None:
    """Wait where nobody says that a version has changed: the versions are compared a hundred times a second."""
    sleep(_POLL_SECONDS)


class StateReloader(threading.Thread, Generic[N]):
    """Calls `apply[topic]` whenever `version(topic)` has changed, and `tick` ten times a second.

    `seen` are the versions from before the state was loaded, so that what changed meanwhile is applied at the first
    poll. `wait` waits until a version may have changed, at most so many seconds.
    """

    def __init__(
        self,
        version: Callable[[N], int],
        seen: Mapping[N, int],
        apply: Mapping[N, Callable[[], None]],
        tick: Callable[[], None],
        wait: Callable[[float], None] = poll_later,
    ) -> None:
        super().__init__(name="state-reloader", daemon=True)
        self._version = version
        self._seen = dict(seen)
        self._failed: dict[N, int] = {}
        self._failing: set[N] = set()
        self._apply = apply
        self._tick = tick
        self._wait = wait
        self._ended = threading.Event()

    def run(self) -> None:
        """Poll until the process ends."""
        ticks, due = 0, monotonic() + _TICK_SECONDS
        while not self._ended.is_set():
            has_changed = self.poll()
            left = due - monotonic()
            if left > (_TICK_SECONDS / 2 if has_changed else 0):  # once awake, it does both
                self._wait(left)
                continue
            due = monotonic() + _TICK_SECONDS
            self._tick_safely()
            ticks += 1
            if ticks % _TICKS_PER_RETRY == 0:
                self._failed.clear()

    def poll(self) -> bool:
        """Apply what has changed since the last poll; return whether anything has.

        What cannot be applied leaves the old state in place, and is tried again after a second or at the next change.
        """
        has_changed = False
        for topic, apply in self._apply.items():
            version = self._version(topic)
            if version not in (self._seen[topic], self._failed.get(topic)):
                has_changed = True
                self._apply_one(topic, version, apply)
        return has_changed

    def _apply_one(self, topic: N, version: int, apply: Callable[[], None]) -> None:
        try:
            apply()
            self._seen[topic] = version
        except Exception as error:  # noqa: BLE001  a reloader that dies would leave revoked keys valid
            self._record_failure(topic, version, error)
        else:
            if topic in self._failing:
                log.info("The new state is applied: %s", _name(topic))
            self._failing.discard(topic)

    def _record_failure(self, topic: N, version: int, error: Exception) -> None:
        """Record that a change cannot be applied, and log it once; a database that is gone needs no traceback."""
        self._failed[topic] = version
        if topic not in self._failing:
            level, trace = (logging.WARNING, None) if isinstance(error, StoreUnreachable) else (logging.ERROR, error)
            text = "The new state cannot be applied, the last one stays: %s: %s"
            log.log(level, text, _name(topic), error, exc_info=trace)
        self._failing.add(topic)

    def _tick_safely(self) -> None:
        try:
            self._tick()
        except Exception:  # as above: the next tick may work
            log.exception("The tick of the state reloader failed")

    def stop(self) -> None:
        """End the thread."""
        self._ended.set()


def _name(topic: object) -> str:
    return str(getattr(topic, "name", topic)).lower()
