"""Outages: what does not work is logged when it begins and when it ends, not each time that it is tried again."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Outages:
    """What cannot be made or written now; the last one of it stays."""

    _lasting: set[tuple[str, str]] = field(default_factory=set)

    def begin(self, what: str, done: str, why: object, *, with_trace: bool = False) -> None:
        """Note that something cannot be `done` ("written", "built"); the log gets the trace of a fault of ours."""
        if (what, done) not in self._lasting:
            log.error("Ingest: the %s cannot be %s, the last one stays: %s", what, done, why, exc_info=with_trace)
        self._lasting.add((what, done))

    def end(self, what: str, done: str) -> None:
        """Note that it can."""
        if (what, done) in self._lasting:
            log.info("Ingest: the %s is %s again", what, done)
        self._lasting.discard((what, done))
