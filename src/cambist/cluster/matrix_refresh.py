"""Build the rate matrix on a node that runs no ingest process, which would do it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

from cambist.errors import CambistError

log = logging.getLogger(__name__)

_SETTLE_SECONDS = 2.0
_LONGEST_RETRY_SECONDS = 600.0
_EVERY_SECONDS = 3600.0
"""How often it is refreshed without a change: it needs rows for the weeks to come."""


class MatrixRefresh:
    """Has the rate matrix refreshed a short while after the archive has changed, and every hour."""

    def __init__(self, refresh: Callable[[], Awaitable[None]]) -> None:
        self._refresh = refresh
        self._is_due = asyncio.Event()
        self._is_failing = False

    def request(self) -> None:
        """Refresh it soon."""
        self._is_due.set()

    async def run(self) -> None:
        """Refresh it whenever that is due, for ever. What fails is tried again, ever less often."""
        wait = _SETTLE_SECONDS
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(_EVERY_SECONDS):
                    await self._is_due.wait()
            await asyncio.sleep(wait)  # deliveries come together
            self._is_due.clear()
            wait = _SETTLE_SECONDS if await self._attempt() else min(2 * wait, _LONGEST_RETRY_SECONDS)

    async def _attempt(self) -> bool:
        try:
            await self._refresh()
        except (CambistError, OSError) as error:
            if not self._is_failing:
                log.warning("Cluster link: the rate matrix cannot be built, the last one stays: %s", error)
            self._is_failing = True
            self._is_due.set()
            return False
        if self._is_failing:
            log.info("Cluster link: the rate matrix is built again")
        self._is_failing = False
        return True
