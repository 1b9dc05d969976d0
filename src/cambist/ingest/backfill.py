"""Backfills: requesting everything that a source has, part by part, continuing where the last one stopped.

A part that was filed is not requested again, so a backfill that was interrupted continues at the first part that
was not filed. Parts that the source may still correct are always requested. Parts for which the source had nothing are
requested again after a month, because that may have been an error.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import pairwise

from cambist.errors import NothingPublished, SourceBroken, SourceUnreachable
from cambist.history.archive import DeliveryFiling, KnownArchive
from cambist.history.fixing import DeliveryRecord, FilingResult
from cambist.history.rate_matrix import FIRST_DAY
from cambist.ingest.fetch import Fetcher, SourceBusy
from cambist.ingest.filing import Delivery
from cambist.sources.base import FixingAdapter, Source, SourceRequest

log = logging.getLogger(__name__)

File = Callable[[str, Delivery], FilingResult | None]

_GIVE_UP_AFTER = 3
_OFFLINE_AFTER = 4
"""After so many failed requests without a single answer, from any source, the machine is taken to be offline."""

_NOTHING = "nothing"
"""The digest of a delivery for days for which the source had nothing."""

_NOTHING_HOLDS_FOR = timedelta(days=30)
"""After this time a part for which the source had nothing is requested again."""

_LONGEST_REST = timedelta(days=6)
"""A longer time without fixings is a gap; shorter ones are weekends and holidays."""


@dataclass(slots=True)
class BackfillProgress:
    """How far the backfill of one source has come."""

    key: str
    parts: int = 0
    done: int = 0
    skipped: int = 0
    added: int = 0
    corrected: int = 0
    answered: int = field(default=0, compare=False)
    is_over: bool = field(default=False, compare=False)
    left_out: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    @property
    def is_silent(self) -> bool:
        """Whether the source was requested and could not be reached a single time."""
        return bool(self.failed) and not self.answered


@dataclass(slots=True)
class Backfill:
    """Fills the archive; `on_progress` is called after every part."""

    archive: DeliveryFiling
    fetcher: Fetcher
    file: File
    clock: Callable[[], datetime]
    on_progress: Callable[[BackfillProgress], None]
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _answers: int = 0
    _silences: int = 0

    async def run(self, adapter: FixingAdapter, first: date | None) -> BackfillProgress:
        """Backfill one source from `first`, or from its first day since 1970; failures are in the result."""
        source, today = adapter.source, self.clock().date()
        requests = all_requests(adapter, first, today)
        progress = BackfillProgress(source.key, parts=len(requests), is_over=not requests)
        self.on_progress(progress)
        failures = 0
        for request in requests:
            if is_filed(self.archive, source, request, self.clock()):
                progress.skipped += 1
            elif not self._answers and self._silences >= _OFFLINE_AFTER:
                progress.failed = progress.failed or ["not requested, because no source can be reached"]
                failures = _GIVE_UP_AFTER
            else:
                failures = 0 if await self._fill(source.key, request, progress) else failures + 1
                await asyncio.sleep(source.schedule.pause.total_seconds())
            progress.done += 1
            progress.is_over = progress.done == progress.parts or failures == _GIVE_UP_AFTER
            self.on_progress(progress)
            if failures == _GIVE_UP_AFTER:
                break
        return progress

    async def _fill(self, key: str, request: SourceRequest, progress: BackfillProgress) -> bool:
        """Request one part and file it; return whether that succeeded."""
        try:
            content = await self.fetcher.fetch(key, request)
            filed = await self._filed(key, request, content or b"")
        except NothingPublished:
            await self._file_nothing(key, request)
            self._count(progress, answered=True)
            return True
        except SourceBroken as error:
            progress.failed.append(f"{request.first} to {request.last}: {error}")
            is_silent = isinstance(error, SourceUnreachable) and not isinstance(error, SourceBusy)
            self._count(progress, answered=not is_silent)
            return False
        self._count(progress, answered=True)
        if filed is not None:
            progress.added += filed.added
            progress.corrected += filed.corrected
            progress.left_out += filed.left_out
        return True

    def _count(self, progress: BackfillProgress, *, answered: bool) -> None:
        progress.answered += answered
        self._answers += answered
        self._silences += not answered

    async def _filed(self, key: str, request: SourceRequest, content: bytes) -> FilingResult | None:
        delivery = Delivery(content, request.origin, self.clock(), request.subject)
        async with self._writing:
            filed = await asyncio.to_thread(self.file, key, delivery)
            if filed is None:  # the same bytes as before: it is recorded that they were current
                record = DeliveryRecord(key, delivery.received_at, delivery.origin, delivery.digest)
                await asyncio.to_thread(self.archive.file, record, [])
        return filed

    async def _file_nothing(self, key: str, request: SourceRequest) -> None:
        record = DeliveryRecord(key, self.clock(), request.origin, _NOTHING)
        async with self._writing:
            await asyncio.to_thread(self.archive.file, record, [])


def all_requests(adapter: FixingAdapter, first: date | None, today: date) -> list[SourceRequest]:
    """Return the requests for everything that a source has from `first`, or from its first day since 1970."""
    return list(adapter.requests(max(first or FIRST_DAY, adapter.source.first_day, FIRST_DAY), today))


def is_filed(archive: DeliveryFiling, source: Source, request: SourceRequest, now: datetime) -> bool:
    """Return whether a part was filed when the source could not change it any more."""
    received_at = archive.last_received(source.key, request.origin)
    if received_at is None or received_at.date() <= request.last + timedelta(days=source.schedule.reread_days):
        return False
    return now - received_at <= _NOTHING_HOLDS_FOR or archive.newest_digest(source.key, request.origin) != _NOTHING


def find_gaps(archive: KnownArchive, source: str) -> Iterator[tuple[date, date]]:
    """Return the gaps in a source's stored fixings, as first and last missing day."""
    rows = sorted({row for _, rows, _ in archive.rates(source) for row in rows})
    for earlier, later in pairwise(rows):
        if later - earlier > _LONGEST_REST.days:
            yield FIRST_DAY + timedelta(days=earlier + 1), FIRST_DAY + timedelta(days=later - 1)


def longest_gaps(found: Sequence[tuple[date, date]], most: int) -> list[tuple[date, date]]:
    """Return the longest gaps, oldest first."""
    return sorted(sorted(found, key=lambda gap: gap[0] - gap[1])[:most])
