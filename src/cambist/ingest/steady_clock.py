"""A clock for bars that ignores steps of the machine's clock until they have lasted."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from cambist.pricing.unix_time import EPOCH

log = logging.getLogger(__name__)

STEP = 30.0
"""Seconds by which the clock has to be off before that counts as a step."""

ACCEPTED_AFTER = 300.0
"""Seconds for which a step has to last before it is followed."""


def boot_seconds() -> float:
    """Return seconds since the machine started, sleep included where it can tell."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


@dataclass(slots=True)
class SteadyClock:
    """Turns readings of the machine's clock into times that do not step with it.

    `elapsed` returns seconds of a clock that is never set, and that goes on while the machine sleeps. A bar that ended
    because the clock was two hours ahead for a moment would be archived half made, and its ticks come too late for it.
    """

    elapsed: Callable[[], float] = boot_seconds
    _offset: float | None = None
    _stepped_to: float | None = None
    _since: float = 0.0

    def at(self, wall: datetime) -> datetime:
        """Return the time to use for a reading of the machine's clock."""
        elapsed = self.elapsed()
        offset = (wall - EPOCH).total_seconds() - elapsed
        if self._offset is None or abs(offset - self._offset) < STEP:
            self._follow(offset)
            return wall
        if self._stepped_to is None or abs(offset - self._stepped_to) >= STEP:
            self._note(offset, elapsed)
        elif elapsed - self._since >= ACCEPTED_AFTER:
            log.warning("Bars: the machine's clock stayed where it was set, they follow it now")
            self._stepped_to, self._offset = None, offset
            return wall
        return EPOCH + timedelta(seconds=self._offset + elapsed)

    def _follow(self, offset: float) -> None:
        if self._stepped_to is not None:
            log.warning("Bars: the machine's clock was set back to where it was")
        self._stepped_to, self._offset = None, offset

    def _note(self, offset: float, elapsed: float) -> None:
        self._stepped_to, self._since = offset, elapsed
        step = offset - (self._offset or 0.0)
        log.warning("Bars: the machine's clock stepped by %+.0f s; they follow it after %.0f s", step, ACCEPTED_AFTER)
