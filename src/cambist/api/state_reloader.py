"""The watch: a thread of each worker that looks at the board's versions and takes up what is new."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

log = logging.getLogger(__name__)

N = TypeVar("N")

_LOOK_EVERY = 0.01
"""Seconds between two looks, each well under a microsecond of mapped memory: a book is served as soon as it is out."""

_TICK_LOOKS = 10
_RETRY_LOOKS = 100
"""What could not be taken up is tried again after a second."""


class StateReloader(threading.Thread, Generic[N]):
    """Calls `take[topic]` whenever `version(topic)` has changed, and `tick` ten times a second.

    `seen` are the versions from before the state was loaded: what changed meanwhile is taken up at the first look.
    """

    def __init__(
        self,
        version: Callable[[N], int],
        seen: Mapping[N, int],
        take: Mapping[N, Callable[[], None]],
        tick: Callable[[], None],
    ) -> None:
        super().__init__(name="watch", daemon=True)
        self._version = version
        self._seen = dict(seen)
        self._failed: dict[N, int] = {}
        self._take = take
        self._tick = tick
        self._ended = threading.Event()

    def run(self) -> None:
        """Look until the process ends."""
        looks = 0
        while not self._ended.wait(_LOOK_EVERY):
            self.look()
            looks += 1
            if looks % _TICK_LOOKS == 0:
                self._tick_safely()
            if looks % _RETRY_LOOKS == 0:
                self._failed.clear()

    def look(self) -> None:
        """Take up what has changed since the last look.

        What cannot be taken up leaves the old in place, and is tried again after a second or at the next news.
        """
        for topic, take in self._take.items():
            version = self._version(topic)
            if version not in (self._seen[topic], self._failed.get(topic)):
                self._take_up(topic, version, take)

    def _take_up(self, topic: N, version: int, take: Callable[[], None]) -> None:
        try:
            take()
            self._seen[topic] = version
        except Exception:  # a watch that dies would leave revoked keys open and rates standing still
            self._failed[topic] = version
            log.exception("What is new cannot be taken up, the last state stays: %s", topic)

    def _tick_safely(self) -> None:
        try:
            self._tick()
        except Exception:  # as above: what is due next time may still be done
            log.exception("What is due now and then cannot be done")

    def stop(self) -> None:
        """End the thread."""
        self._ended.set()
