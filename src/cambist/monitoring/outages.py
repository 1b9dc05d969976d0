"""Outages of ingest: they are logged when they begin and when they end, not at each retry."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Outages:
    """What cannot be built or written now."""

    _current: set[tuple[str, str]] = field(default_factory=set)

    def begin(self, what: str, done: str, why: object, *, with_trace: bool = False) -> None:
        """Record that `what` cannot be `done` ("written", "built"), and log it if that is new."""
        if (what, done) not in self._current:
            log.error("Ingest: the %s cannot be %s, the last one stays: %s", what, done, why, exc_info=with_trace)
        self._current.add((what, done))

    def end(self, what: str, done: str) -> None:
        """Record that it can, and log it if it could not."""
        if (what, done) in self._current:
            log.info("Ingest: the %s is %s again", what, done)
        self._current.discard((what, done))
