"""Polling: each source is polled in a task of its own, when it is due, so that a failing source stops no other."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from cambist.errors import NothingPublished, SourceBroken, SourceUnreachable, StoreBroken
from cambist.history.fixing import FilingResult
from cambist.ingest.fetch import Fetcher, SourceBusy
from cambist.ingest.filing import Delivery
from cambist.ingest.polling_round import PollingRound, PollRange
from cambist.ingest.price_pipeline import PricePipeline
from cambist.ingest.schedule import next_due
from cambist.ingest.source_status import SourceStatus, SourceStatuses
from cambist.pricing.tick import Tick
from cambist.sources.base import FixingAdapter, PairNames, Source, SourceRequest, TickAdapter, VenueAdapter

log = logging.getLogger(__name__)

Clock = Callable[[], datetime]
File = Callable[[str, Delivery], Awaitable[FilingResult | None]]
"""Files a delivery of a source, in another process."""

_GIVE_UP_AFTER = 3
_LONGEST_BACK_OFF = timedelta(hours=6)
_NETWORK_CHECK = timedelta(seconds=40)
"""Without a network nobody is burdened by questions, and all sources are asked soon after it is there."""

_JITTER_SECONDS = 5.0
_LIST_POLL_SECONDS = 0.2
_ANSWER_CHECK_SECONDS = 0.02
_SILENT = timedelta(seconds=2)


@dataclass(slots=True)
class Poller:
    """What the polling of one source needs: the source, a fetcher, and the status to record in."""

    source: Source
    fetcher: Fetcher
    source_status: SourceStatus
    clock: Clock
    source_statuses: SourceStatuses
    _is_asked: bool = False
    _pausing: asyncio.Future[None] | None = None

    def ask(self) -> None:
        """End the pause, or leave out the next one: an operator wants the source to be polled now."""
        self._is_asked = True
        if self._pausing is not None and not self._pausing.done():
            self._pausing.set_result(None)

    def has_answered_since(self, moment: datetime) -> bool:
        """Return whether the source has answered or sent something since a moment."""
        last = self.source_status.last_success
        return last is not None and last >= moment

    async def pause(self) -> None:
        """Wait until the source is due again, longer after its failures and with jitter; or until `ask`."""
        now = self.clock()
        due = next_due(self.source.schedule, self.source.zone, now)
        if self.source_status.failures:
            backed_off = self.source.schedule.every * 2 ** min(self.source_status.failures - 1, 8)
            due = min(due, now + backed_off) if self.source_status.last_success is None else due
            due = max(due, now + min(backed_off, _LONGEST_BACK_OFF))
        if self.source_status.unreachable and self.source_statuses.has_no_network:
            due = min(due, now + _NETWORK_CHECK)
        spread = min(_JITTER_SECONDS, self.source.schedule.every.total_seconds() / 4)
        seconds = (due - now).total_seconds() + random.uniform(0, spread)  # noqa: S311  nobody guesses it
        if not self._is_asked:
            self._pausing = asyncio.get_running_loop().create_future()
            # Not `wait_for`: it returns although it is cancelled when the pause ends in the same moment.
            await asyncio.wait([self._pausing], timeout=seconds)
        self._is_asked = False

    async def fetch(self, request: SourceRequest) -> bytes | None:
        """Fetch an answer of the source, and count the request and how long it took. Errors: those of the fetcher."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            return await self.fetcher.fetch(self.source.key, request)
        finally:
            self.source_status.activity.record_poll(self.clock(), timedelta(seconds=loop.time() - began))

    def record_failure(self, error: Exception) -> None:
        """Record a failure, and log the first of a run. Without any network, `SourceStatuses` logs one line for all."""
        if not self.source_status.failures:
            level = (
                logging.DEBUG
                if isinstance(error, SourceUnreachable) and self.source_statuses.is_offline
                else logging.WARNING
            )
            log.log(level, "Source %s: %s", self.source.key, self._message(error))
        is_unreachable = isinstance(error, SourceUnreachable) and not isinstance(error, SourceBusy)
        self.source_status.record_failure(self.clock(), self._message(error), unreachable=is_unreachable)

    def _message(self, error: Exception) -> str:
        return str(error).removeprefix(f"{self.source.key}: ")

    def record_success(self) -> None:
        """Record a success, and log the end of a failure."""
        if self.source_status.failures:
            log.info("Source %s: answers again", self.source.key)
        self.source_status.record_success(self.clock())


async def refresh_silent(pollers: Iterable[Poller], within: float) -> None:
    """Poll the live sources that have sent nothing for a while, and wait for their answers for so many seconds at most.

    The streams of a process that was paused or cut off take a while to be there again, and its last prices are old.
    """
    silent = [each for each in pollers if not each.has_answered_since(each.clock() - _SILENT)]
    asked_at = {id(each): each.clock() for each in silent}
    for each in silent:
        each.ask()
    with suppress(TimeoutError):
        async with asyncio.timeout(within):
            while not all(each.has_answered_since(asked_at[id(each)]) for each in silent):  # noqa: ASYNC110
                await asyncio.sleep(_ANSWER_CHECK_SECONDS)


async def poll_fixings(
    poller: Poller, adapter: FixingAdapter, file: File, filed: Callable[[str], Awaitable[None]]
) -> None:
    """Poll a source of fixings for ever; `filed` is called with its key after something new was filed.

    Once a day the request goes back as far as the source makes corrections, otherwise only a few days. After a time
    without the source it covers all days since.
    """
    poll_range, fault = PollRange.after(adapter.source, poller.source_status), ""
    await asyncio.sleep(random.uniform(0, 1))  # noqa: S311  nobody guesses it
    while True:
        today = poller.clock().date()
        _log_if_behind(poll_range, today)
        this_round = PollingRound(is_full=poll_range.is_full(today))
        await _request_all(poller, adapter, file, poll_range.first(today), this_round)
        if this_round.has_changed:
            await filed(adapter.source.key)
        fault = _absence(this_round, fault, adapter.source, today)
        if this_round.is_complete and fault:
            poller.record_failure(SourceBroken(fault))
        elif this_round.is_complete:
            poll_range.completed(today)
            poller.source_status.complete_on = today
            if this_round.answered or this_round.absent:  # a source that has ended has no requests
                poller.record_success()
        await poller.pause()


def _log_if_behind(poll_range: PollRange, today: date) -> None:
    if not poll_range.is_behind(today):
        return
    key, first = poll_range.source.key, poll_range.first(today)
    log.info(
        "Source %s: fixings since %s may be incomplete; requesting them again from %s on", key, poll_range.since, first
    )
    if poll_range.is_too_far_behind(today):
        log.warning("Source %s: days before %s may be missing; run [cambist backfill %s]", key, first, key)


def _absence(this_round: PollingRound, before: str, source: Source, today: date) -> str:
    """Return what to report if a source has had nothing for too long; empty if it has not.

    Only a full round can detect that, but any answer ends it.
    """
    if this_round.is_full:
        return this_round.absence(source.schedule, today)
    return "" if this_round.answered else before


async def _request_all(
    poller: Poller, adapter: FixingAdapter, file: File, first: date, this_round: PollingRound
) -> None:
    """Send all requests that are due and record the results. Stop after a few failures and leave the rest for later."""
    for request in adapter.requests(first, poller.clock().date()):
        try:
            await _request_one(poller, request, file, this_round)
        except (SourceBroken, StoreBroken) as error:
            poller.fetcher.forget(request)
            poller.record_failure(error)
            this_round.failures += 1
            if this_round.failures == _GIVE_UP_AFTER:
                break
        await asyncio.sleep(adapter.source.schedule.pause.total_seconds())


async def _request_one(poller: Poller, request: SourceRequest, file: File, this_round: PollingRound) -> None:
    try:
        content = await poller.fetch(request)
    except NothingPublished:
        this_round.absent.append(request)
        return
    filed = None
    if content is not None:
        filed = await file(poller.source.key, Delivery(content, request.origin, poller.clock(), request.subject))
    this_round.answered.append(request)
    if filed is None:
        return
    _record_left_out(poller, request.origin, filed.left_out)
    this_round.has_changed |= filed.added + filed.corrected > 0


def _record_left_out(poller: Poller, origin: str, sentences: tuple[str, ...]) -> None:
    poller.source_status.record_left_out(origin, sentences, poller.clock())
    if sentences:
        first = sentences[0].removeprefix(f"{poller.source.key}: ")
        log.warning("Source %s: left out of what it sent: %s (%d in all)", poller.source.key, first, len(sentences))


async def poll_ticks(
    poller: Poller, adapter: TickAdapter, pipeline: PricePipeline, names: Callable[[], PairNames]
) -> None:
    """Poll a source of ticks for ever. A venue is polled once its list of pairs is here."""
    while True:
        if isinstance(adapter, VenueAdapter) and not names():
            await asyncio.sleep(_LIST_POLL_SECONDS)
            continue
        await _request_ticks(poller, adapter, pipeline, names)
        await poller.pause()


async def _request_ticks(
    poller: Poller, adapter: TickAdapter, pipeline: PricePipeline, names: Callable[[], PairNames]
) -> None:
    """Send all requests once. That is a success if all of them were answered; stop after a few failures."""
    failures = 0
    for request in adapter.requests():
        asked_at = poller.clock()
        try:
            content = await poller.fetch(request)
            if content is not None:
                apply_ticks(pipeline, adapter.parse_ticks(content, request.subject, names()), poller, asked_at)
        except SourceBroken as error:
            poller.fetcher.forget(request)
            poller.record_failure(error)
            failures += 1
            if failures == _GIVE_UP_AFTER:
                return
        await asyncio.sleep(adapter.source.schedule.pause.total_seconds())
    if not failures:
        poller.record_success()


def apply_ticks(pipeline: PricePipeline, ticks: Iterable[Tick], poller: Poller, asked_at: datetime) -> None:
    """Apply the ticks of one answer. Errors: SourceBroken, and then none of them is applied."""
    now = poller.clock()
    for tick in list(ticks):
        if pipeline.apply_tick(tick, now, asked_at) is None:
            poller.source_status.record_market_time(tick.as_of or now)
