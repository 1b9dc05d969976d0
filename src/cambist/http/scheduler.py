"""Fair shares of the threads that answer: by kind of work, and by owner within a kind.

One thread is always kept for each kind, so that a page never waits for tables. Owners take turns. One owner runs more
than one job of a kind only while a thread remains for another owner's, and can have only so many waiting.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from enum import Enum

log = logging.getLogger(__name__)


class Kind(Enum):
    """What kind of work a request is: a page or an error, an answer that may wait for the database, or a long one."""

    QUICK = "quick"
    CALL = "call"
    LONG = "long"


MOST_WAITING = {Kind.QUICK: 64, Kind.CALL: 64, Kind.LONG: 16}
"""How many requests of each kind may wait for one owner."""

MOST_WAITING_IN_ALL = 256
MOST_LONG = 2
"""How many long answers are computed at once: they compete for one interpreter's lock."""

MORE_THREADS = 2
"""One thread for pages and errors, and one for long answers, beside those for all other requests."""


@dataclass(frozen=True, slots=True)
class Work:
    """The kind of a request's work, and who it is for: an account, or else an address."""

    kind: Kind
    owner: Hashable


class TooManyWaiting(Exception):
    """A request cannot wait for a thread: its owner has too many waiting, or all have. The text says which."""

    def __init__(self, sentence: str, *, is_own: bool) -> None:
        super().__init__(sentence)
        self.is_own = is_own


@dataclass(slots=True, eq=False)
class Job:
    """A call that waits for a thread."""

    work: Work
    run: Callable[[], None]


class FairScheduler:
    """Runs jobs in `threads` threads and `MORE_THREADS` more, which are daemons and start with the first job."""

    def __init__(self, threads: int) -> None:
        self._size = max(1, threads) + MORE_THREADS
        self._queues: dict[Kind, OrderedDict[Hashable, deque[Job]]] = {kind: OrderedDict() for kind in Kind}
        self._waiting = 0
        self._running: Counter[Kind] = Counter()
        self._running_of: Counter[Work] = Counter()
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._is_closed = False

    def submit(self, job: Job) -> None:
        """Have a job run when it is its turn. Errors: TooManyWaiting."""
        with self._changed:
            queue = self._queues[job.work.kind].setdefault(job.work.owner, deque())
            most = MOST_WAITING[job.work.kind]
            if len(queue) >= most:
                raise TooManyWaiting(
                    f"Too many requests wait for an answer: [{most}] of this kind may wait for one account, or for "
                    "one address without a key; ask fewer at once",
                    is_own=True,
                )
            if self._waiting >= MOST_WAITING_IN_ALL:
                if not queue:
                    del self._queues[job.work.kind][job.work.owner]
                raise TooManyWaiting("The service is busy: too many requests wait for an answer", is_own=False)
            queue.append(job)
            self._waiting += 1
            if not self._threads:
                self._start_threads()
            self._changed.notify()

    def cancel(self, job: Job) -> bool:
        """Remove a job that still waits; return whether it did."""
        with self._changed:
            queue = self._queues[job.work.kind].get(job.work.owner, deque())
            if job not in queue:
                return False
            queue.remove(job)
            self._waiting -= 1
            if not queue:
                del self._queues[job.work.kind][job.work.owner]
            return True

    def close(self) -> None:
        """End the threads when they have finished their jobs; what waits is not run."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _start_threads(self) -> None:
        for number in range(self._size):
            thread = threading.Thread(target=self._run, name=f"answer_{number}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _run(self) -> None:
        while (work := self._run_next()) is not None:
            with self._changed:
                self._running[work.kind] -= 1
                self._running_of[work] -= 1
                if not self._running_of[work]:
                    del self._running_of[work]
                self._changed.notify_all()

    def _run_next(self) -> Work | None:
        """Run the job whose turn it is, and return its work: a thread that waits keeps nothing of its last job."""
        job = self._next()
        if job is None:
            return None
        try:
            job.run()
        except Exception:  # a thread must not end
            log.exception("A request failed")
        return job.work

    def _next(self) -> Job | None:
        """Wait for a job whose turn it is; None when the scheduler is closed."""
        with self._changed:
            while not self._is_closed:
                for kind in Kind:
                    job = self._take(kind)
                    if job is not None:
                        return job
                self._changed.wait()
            return None

    def _take(self, kind: Kind) -> Job | None:
        """Take the job of this kind whose turn it is, if one may run now."""
        spare = self._spare(kind)
        if spare < 0:
            return None
        queues = self._queues[kind]
        for owner, queue in queues.items():
            work = Work(kind, owner)
            if self._running_of[work] and spare < 1:
                continue
            job = queue.popleft()
            queues.move_to_end(owner)
            if not queue:
                del queues[owner]
            self._waiting -= 1
            self._running[kind] += 1
            self._running_of[work] += 1
            return job
        return None

    def _spare(self, kind: Kind) -> int:
        """Return how many threads remain for this kind when one more job of it runs; below 0 if none may."""
        kept = sum(not self._running[other] for other in Kind if other is not kind)
        spare = self._size - self._running.total() - 1 - kept
        return min(spare, MOST_LONG - self._running[kind] - 1) if kind is Kind.LONG else spare
