"""The ingest process of a node: it files and publishes while it leads, and is ready to take over while it does not."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from datetime import datetime
from typing import Any, Concatenate, ParamSpec, TypeVar

from cambist.cluster.leadership import LeaderElection, Term
from cambist.errors import NoLongerLeading
from cambist.history.bars import PairBar
from cambist.history.fixing import FilingResult
from cambist.ingest.coin_closes import CoinCloses
from cambist.processes.archive_worker import ArchiveWorker
from cambist.processes.process import running_tasks
from cambist.registry.archiving.archive_tasks import ArchiveTasks

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

_LOOK_SECONDS = 0.5
_CLOSES_HELD_SECONDS = 900.0
"""How long a standby holds the closes of a day that the leader should have filed."""


class IngestLeader:
    """What the ingest process of a node does only while it leads.

    `archive_worker` returns the worker that files.
    """

    def __init__(self, election: LeaderElection, archive_worker: Callable[[], ArchiveWorker]) -> None:
        self.election = election
        self._archive_worker = archive_worker
        self._ready: Term | None = None
        self._caught_up: Term | None = None

    def epoch(self) -> int | None:
        """Return the epoch in which this process may publish now; None while it may not."""
        is_ready = self._ready is not None and self._ready is self.election.term
        return self.election.publishing_epoch if is_ready else None

    def is_cut_off(self) -> bool:
        """Return whether the database does not answer, so that nobody may be able to file."""
        return self.election.is_cut_off

    def is_standby(self) -> bool:
        """Return whether another process leads."""
        return self.election.term is None

    async def lead(
        self, take_over: Callable[[], Awaitable[None]], duties: Callable[[], list[Coroutine[Any, Any, None]]]
    ) -> None:
        """Whenever this process becomes the leader: take over, then run the `duties` until it is none any more."""
        while True:
            term = await self.election.gained()
            log.info("Ingest: this node leads now, in the epoch %d", term.epoch)
            await take_over()
            self._ready = term
            async with running_tasks([self.election.lost(term), *duties()]) as tasks:
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
            log.info("Ingest: another node leads now, and this one stands by")

    async def ask_after_outages(self, ask: Iterable[Callable[[], None]]) -> None:
        """Have sources polled at once when the database answers again: what they sent meanwhile was not filed."""
        outages = self.election.outages
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            if outages != (outages := self.election.outages):
                for each in ask:
                    each()

    async def call(self, method: Callable[Concatenate[ArchiveTasks, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a method of `ArchiveTasks` that files. Errors: its own, NoLongerLeading while another process leads."""
        term = self._term()
        try:
            return await self._archive_worker().call(ArchiveTasks.as_leader, term.epoch, method, *args, **kwargs)
        except NoLongerLeading:
            self.election.lose(term)
            raise

    def _term(self) -> Term:
        if self.election.term is None:
            raise NoLongerLeading("Another node leads the ingest: nothing was filed here")
        return self.election.term

    async def file_bars(self, bars: Sequence[PairBar]) -> None:
        """File completed bars; those from before this process led only if they are missing. Errors: StoreBroken."""
        term = self._term()
        held, new = [], list(bars)
        if self._caught_up is not term:
            held = [each for each in bars if _end(each) <= term.since]
            new = [each for each in bars if _end(each) > term.since]
        if held:
            await self.call(ArchiveTasks.file_bars_of_node, held, term.since, only_missing=True)
            log.info("Bars: %d had ended when this node took over; the missing ones were archived", len(held))
        if new:
            await self.call(ArchiveTasks.file_bars_of_node, new, term.since, only_missing=False)
        self._caught_up = term

    async def file_closes(self, closes: Sequence[CoinCloses]) -> FilingResult | None:
        """File the closes of a day that are missing; return None if this process has not led for a while after it."""
        try:
            async with asyncio.timeout(_CLOSES_HELD_SECONDS):
                await self.election.gained()
        except TimeoutError:
            return None
        return await self.call(ArchiveTasks.file_missing_closes, closes)


def _end(each: PairBar) -> datetime:
    return each.bar.start + each.interval.length
