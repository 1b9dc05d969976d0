"""Polling: each source is asked in its own task, when it is due; whatever happens there stays there."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from cambist.errors import NothingPublished, SourceBroken, SourceUnreachable, StoreBroken
from cambist.history.fixing import FilingResult
from cambist.ingest.fetch import Fetcher
from cambist.ingest.filing import Delivery
from cambist.ingest.polling_round import PollingRound, PollRange
from cambist.ingest.price_pipeline import PricePipeline
from cambist.ingest.schedule import next_due
from cambist.ingest.source_status import SourceStatus, SourceStatuses
from cambist.sources.base import FixingAdapter, PairNames, Source, SourceRequest, TickAdapter, VenueAdapter

log = logging.getLogger(__name__)

Clock = Callable[[], datetime]
File = Callable[[str, Delivery], Awaitable[FilingResult | None]]
"""Files a delivery of a source, elsewhere."""

_GIVE_UP_AFTER = 3
_LONGEST_BACK_OFF = timedelta(hours=6)
_JITTER_SECONDS = 5.0
_LIST_AWAITED = 0.2


@dataclass(slots=True)
class Poller:
    """What one polling task needs: who, how asked, and where health is noted."""

    source: Source
    fetcher: Fetcher
    source_status: SourceStatus
    clock: Clock
    source_statuses: SourceStatuses

    async def pause(self) -> None:
        """Wait until the source is due again: the longer the more often it failed, and never all at once."""
        now = self.clock()
        due = next_due(self.source.schedule, self.source.zone, now)
        if self.source_status.failures:
            backed_off = self.source.schedule.every * 2 ** min(self.source_status.failures - 1, 8)
            due = min(due, now + backed_off) if self.source_status.last_success is None else due
            due = max(due, now + min(backed_off, _LONGEST_BACK_OFF))
        spread = min(_JITTER_SECONDS, self.source.schedule.every.total_seconds() / 4)
        await asyncio.sleep((due - now).total_seconds() + random.uniform(0, spread))  # noqa: S311  nobody guesses it

    def record_failure(self, error: Exception) -> None:
        """Record a failure, and log the first of a run. Without any network, `SourceStatuses` logs one line for all."""
        if not self.source_status.failures:
            level = (
                logging.DEBUG
                if isinstance(error, SourceUnreachable) and self.source_statuses.is_offline
                else logging.WARNING
            )
            log.log(level, "Source %s: %s", self.source.key, self._plainly(error))
        self.source_status.record_failure(self.clock(), self._plainly(error))

    def _plainly(self, error: Exception) -> str:
        return str(error).removeprefix(f"{self.source.key}: ")

    def record_success(self) -> None:
        """Note a success; the end of a failure is logged."""
        if self.source_status.failures:
            log.info("Source %s: answers again", self.source.key)
        self.source_status.record_success(self.clock())


async def poll_fixings(
    poller: Poller, adapter: FixingAdapter, file: File, filed: Callable[[str], Awaitable[None]]
) -> None:
    """Ask a source of fixings whenever it is due, for ever; `filed` is told when something new is in the archive.

    Corrections are looked for once a day, as far back as the source makes them; else only the last days are asked, and
    after a time without it all days since.
    """
    reach, fault = PollRange.after(adapter.source, poller.source_status), ""
    await asyncio.sleep(random.uniform(0, 1))  # noqa: S311  nobody guesses it
    while True:
        today = poller.clock().date()
        _say_if_behind(reach, today)
        done = PollingRound(is_full=reach.is_full(today))
        await _ask_all(poller, adapter, file, reach.first(today), done)
        if done.has_changed:
            await filed(adapter.source.key)
        fault = _fault(done, fault, adapter.source, today)
        if done.is_complete and fault:
            poller.record_failure(SourceBroken(fault))
        elif done.is_complete:
            reach.completed(today)
            poller.source_status.complete_on = today
            if done.answered or done.absent:  # a source that has ended has nothing to be asked, and answers nothing
                poller.record_success()
        await poller.pause()


def _say_if_behind(reach: PollRange, today: date) -> None:
    if not reach.is_behind(today):
        return
    key, first = reach.source.key, reach.first(today)
    log.info("Source %s: nothing is sure to be whole since %s, it is asked again from %s on", key, reach.since, first)
    if reach.is_too_far_behind(today):
        log.warning("Source %s: days before %s may be missing, run [cambist backfill %s]", key, first, key)


def _fault(done: PollingRound, before: str, source: Source, today: date) -> str:
    """Say what a source's silence is called: only a full round shows a run, and any answer may end it."""
    if done.is_full:
        return done.nothing_there(source.schedule, today)
    return "" if done.answered else before


async def _ask_all(poller: Poller, adapter: FixingAdapter, file: File, first: date, done: PollingRound) -> None:
    """Ask everything that is due and note how it went. A source that keeps failing is left for later."""
    for request in adapter.requests(first, poller.clock().date()):
        try:
            await _ask_one(poller, request, file, done)
        except (SourceBroken, StoreBroken) as error:
            poller.fetcher.forget(request)
            poller.record_failure(error)
            done.failures += 1
            if done.failures == _GIVE_UP_AFTER:
                break
        await asyncio.sleep(adapter.source.schedule.pause.total_seconds())


async def _ask_one(poller: Poller, request: SourceRequest, file: File, done: PollingRound) -> None:
    if poller.source_status.waiting:
        poller.fetcher.forget(request)  # what waits is judged again, also where the source has nothing new
    try:
        content = await poller.fetcher.fetch(poller.source.key, request)
    except NothingPublished:
        done.absent.append(request)
        return
    filed = None
    if content is not None:
        filed = await file(poller.source.key, Delivery(content, request.origin, poller.clock(), request.subject))
    done.answered.append(request)
    if filed is None:
        return
    _note_left_out(poller, request.origin, filed.left_out)
    if filed.refused:
        log.warning("Source %s: %d fixings wait in quarantine", poller.source.key, filed.refused)
    done.has_changed |= filed.added + filed.corrected + filed.refused > 0


def _note_left_out(poller: Poller, origin: str, sentences: tuple[str, ...]) -> None:
    poller.source_status.record_left_out(origin, sentences, poller.clock())
    if sentences:
        first = sentences[0].removeprefix(f"{poller.source.key}: ")
        log.warning("Source %s: left out of what it sent: %s (%d in all)", poller.source.key, first, len(sentences))


async def poll_ticks(
    poller: Poller, adapter: TickAdapter, pipeline: PricePipeline, names: Callable[[], PairNames]
) -> None:
    """Ask a source of ticks whenever it is due, for ever; a venue once its list, which names what it tells, is here."""
    while True:
        if isinstance(adapter, VenueAdapter) and not names():
            await asyncio.sleep(_LIST_AWAITED)
            continue
        await _ask_for_ticks(poller, adapter, pipeline, names)
        await poller.pause()


async def _ask_for_ticks(
    poller: Poller, adapter: TickAdapter, pipeline: PricePipeline, names: Callable[[], PairNames]
) -> None:
    """Ask everything once; it went well where all of it did, and is left for later where it keeps failing."""
    failures = 0
    for request in adapter.requests():
        try:
            content = await poller.fetcher.fetch(poller.source.key, request)
            if content is not None:
                apply_ticks(pipeline, adapter, content, request.subject, names(), poller)
        except SourceBroken as error:
            poller.fetcher.forget(request)
            poller.record_failure(error)
            failures += 1
            if failures == _GIVE_UP_AFTER:
                return
        await asyncio.sleep(adapter.source.schedule.pause.total_seconds())
    if not failures:
        poller.record_success()


def apply_ticks(
    pipeline: PricePipeline, adapter: TickAdapter, content: bytes, subject: str, names: PairNames, poller: Poller
) -> None:
    """Put what came on the tape. Errors: SourceBroken, where nothing of it is taken."""
    now = poller.clock()
    for tick in list(adapter.parse_ticks(content, subject, names)):
        if pipeline.apply_tick(tick, now) is None:
            poller.source_status.record_market_time(tick.as_of or now)
