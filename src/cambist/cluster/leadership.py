"""The term of the leader as one ingest process sees it: it asks for it, renews it, and notices when it is lost."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TypeVar

from cambist.errors import StoreBroken
from cambist.status.leadership import Leadership

log = logging.getLogger(__name__)

T = TypeVar("T")

TERM_SECONDS = 5.0
RENEW_SECONDS = 1.0

_LONGEST_ATTEMPT = 12.0
"""An attempt that took longer says nothing about the database: this process was paused meanwhile."""

_UNREACHABLE_FOR = 15.0
"""For how many seconds after a failed attempt the database counts as unreachable; the next one fails sooner."""

_SILENT_AFTER = 2.0
"""A leader that has not reached the other nodes for so many seconds offers the term to them."""

_STANDS_BACK_SECONDS = 6.0
"""For how long the term is then left to others."""

_OFFERS_EVERY = 60.0
"""If nobody took it then, nobody else may reach the others either: it is offered again after so many seconds."""

_HOLDER_BYTES = 12


@dataclass(frozen=True, slots=True)
class Term:
    """The term in one epoch, which this process has held since a moment."""

    epoch: int
    since: datetime


class LeaderElection:
    """Takes the term when it is free, and renews it.

    `clock` returns the time, `elapsed` seconds of a clock that is never set and goes on while the machine sleeps.
    `silence` returns for how many seconds this node has not reached the others: prices that it publishes then are its
    own alone, so that it leaves the term to others. `term` is None while this process stands by. `is_cut_off` says that
    the database did not answer when it was asked last, `outages` counts how often it did again.

    If the database cannot be reached, nobody can take the term, or only somebody elsewhere. Until this process knows,
    it goes on publishing, and other nodes refuse its rate books if there is a later leader. It can file nothing.
    """

    def __init__(
        self,
        leadership: Leadership,
        node: str,
        clock: Callable[[], datetime],
        elapsed: Callable[[], float],
        term_seconds: float = TERM_SECONDS,
        silence: Callable[[], float] = float,
    ) -> None:
        self._leadership = leadership
        self._node = node
        self._holder = secrets.token_hex(_HOLDER_BYTES)
        self._clock = clock
        self._elapsed = elapsed
        self._seconds = term_seconds
        self._pause = term_seconds * RENEW_SECONDS / TERM_SECONDS
        self._silence = silence
        self._offers_at = 0.0
        self._stands_back_until = 0.0
        self._valid_until = 0.0
        self._unreachable_until = 0.0
        self.is_cut_off = False
        self.outages = 0
        self._changed = asyncio.Event()
        # Threads that asyncio shares may all wait for the names of hosts when there is no network.
        self._thread = ThreadPoolExecutor(1, "leadership")
        self.term: Term | None = None

    @property
    def publishing_epoch(self) -> int | None:
        """The epoch in which this process may publish now; None if another process may lead."""
        if self.term is None:
            return None
        # A process that was paused may not publish before it has asked again.
        return self.term.epoch if self._elapsed() < max(self._valid_until, self._unreachable_until) else None

    async def run(self) -> None:
        """Ask for the term and renew it, for ever."""
        while True:
            await self._attempt()
            await asyncio.sleep(self._pause)

    async def _attempt(self) -> None:
        started, term = self._elapsed(), self.term
        try:
            if await self._leaves_to_others(started):
                return
            if term is None:
                epoch = await self._in_thread(partial(self._leadership.take, self._node, self._holder, self._seconds))
            else:
                renew = partial(self._leadership.renew, term.epoch, self._holder, self._seconds)
                epoch = term.epoch if await self._in_thread(renew) else None
        except StoreBroken as error:
            self._record_failure(error, started)
            return
        if self.is_cut_off:
            log.info("Ingest: the database says again who leads")
            self.outages += 1
        self.is_cut_off, self._unreachable_until = False, 0.0
        self._valid_until = started + self._seconds
        if epoch is None and term is not None:
            self.lose(term)
        elif epoch is not None and term is None:
            self._change(Term(epoch, self._clock()))

    async def _leaves_to_others(self, now: float) -> bool:
        """Return whether others may take the term now; a leader that does not reach them gives it up for that."""
        if self._silence() < _SILENT_AFTER:
            self._offers_at = self._stands_back_until = 0.0
            return False
        term = self.term
        if term is None:
            return now < self._stands_back_until
        if now < self._offers_at:
            return False
        await self._in_thread(partial(self._leadership.release, term.epoch, self._holder))
        log.warning("Ingest: this node does not reach the others, or its clock is wrong: it leaves it to them to lead")
        self._offers_at, self._stands_back_until = now + _OFFERS_EVERY, now + _STANDS_BACK_SECONDS
        self.lose(term)
        return True

    def _record_failure(self, error: StoreBroken, started: float) -> None:
        ended = self._elapsed()
        if ended - started < _LONGEST_ATTEMPT:
            self._unreachable_until = ended + _UNREACHABLE_FOR
        if not self.is_cut_off:
            log.warning("Ingest: the database does not say who leads, so that stays as it is: %s", error)
        self.is_cut_off = True

    async def gained(self) -> Term:
        """Wait until this process leads."""
        while self.term is None:
            await self._changed.wait()
        return self.term

    async def lost(self, term: Term) -> None:
        """Wait until this process no longer has a term."""
        while self.term is term:
            await self._changed.wait()

    def lose(self, term: Term) -> None:
        """Give up a term that another process has taken."""
        if self.term is term:
            self._change(None)

    async def close(self) -> None:
        """Let another process lead at once."""
        term, self.term = self.term, None
        if term is not None:
            with suppress(StoreBroken):
                await self._in_thread(partial(self._leadership.release, term.epoch, self._holder))
        self._thread.shutdown(wait=False)
        self._leadership.close()

    def _change(self, term: Term | None) -> None:
        self.term = term
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
