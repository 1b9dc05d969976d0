"""Deliveries that ended the archive worker, or kept it busy without end: they are not handed to it for ever."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from cambist.errors import SourceBroken
from cambist.history.fixing import FilingResult
from cambist.ingest.filing import Delivery
from cambist.processes.archive_worker import ArchiveWorkerLost

_MOST_ATTEMPTS = 2
"""One loss may have another cause: an operator, or the kernel when memory is short."""
_REFUSED_FOR = timedelta(days=1)
_KEPT = 1_000

File = Callable[[str, Delivery], Awaitable[FilingResult | None]]


class DeliveryAttempts:
    """Files deliveries, and refuses for a day the bytes at which the worker was lost twice."""

    def __init__(self, file: File) -> None:
        self._file = file
        self._lost_at: dict[tuple[str, str], list[datetime]] = {}

    async def file(self, key: str, delivery: Delivery) -> FilingResult | None:
        """File a delivery of a source. Errors: those of filing; SourceBroken for one that is refused."""
        attempt = (key, delivery.digest)
        lost_at = [at for at in self._lost_at.get(attempt, []) if delivery.received_at - at < _REFUSED_FOR]
        if len(lost_at) >= _MOST_ATTEMPTS:
            raise SourceBroken(f"{key}: sent again what the archive worker could not read to its end")
        try:
            return await self._file(key, delivery)
        except ArchiveWorkerLost as error:
            self._keep(attempt, [*lost_at, delivery.received_at])
            raise SourceBroken(f"{key}: {error}") from error

    def _keep(self, attempt: tuple[str, str], lost_at: list[datetime]) -> None:
        self._lost_at.pop(attempt, None)
        self._lost_at[attempt] = lost_at
        while len(self._lost_at) > _KEPT:
            del self._lost_at[next(iter(self._lost_at))]
