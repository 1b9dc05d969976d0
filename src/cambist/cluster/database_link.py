"""Calls of the database from an event loop, and whether it can be reached."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from cambist.errors import StoreBroken

log = logging.getLogger(__name__)

T = TypeVar("T")

_ANSWER_SECONDS = 3.0
"""A database that has not answered for so long counts as lost, although the answer is still waited for."""


class DatabaseLink:
    """Calls the database in threads. `lost_at` is since when it cannot be reached; None if it can be.

    It counts as lost when a call has failed, until one succeeds; both are logged.
    """

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self.lost_at: datetime | None = None

    async def call(self, work: Callable[[], T]) -> T:
        """Return the result of a call. Errors: StoreBroken."""
        task = asyncio.ensure_future(asyncio.to_thread(work))
        try:
            done, _ = await asyncio.wait({task}, timeout=_ANSWER_SECONDS)
            if not done:
                self._lose(f"it has not answered for {_ANSWER_SECONDS:.0f} s")
            result = await task
        except StoreBroken as error:
            self._lose(str(error))
            raise
        if self.lost_at is not None:
            log.info("Cluster link: the database answers again")
            self.lost_at = None
        return result

    def _lose(self, reason: str) -> None:
        if self.lost_at is None:
            log.warning("Cluster link: the database does not answer, what is in memory stays in effect: %s", reason)
            self.lost_at = self._clock()
