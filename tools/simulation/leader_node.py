"""One node that competes for the lead: the real election, leader, fence, files of books and relay, on virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol, TypeVar

from tools.simulation.memory_redis import RedisLinkInMemory, RedisServer
from tools.simulation.tasks import run_together
from tools.simulation.virtual_loop import VirtualLoop

from cambist.cluster.book_relay import BookRelay
from cambist.cluster.leadership import LeaderElection
from cambist.errors import NoLongerLeading, StoreBroken
from cambist.history.fixing import DeliveryRecord, FilingResult, Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.processes.archive_worker import ArchiveWorker
from cambist.processes.ingest_leader import IngestLeader
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.rate_book_file import RateBookFile
from cambist.storage.sql import SqlStore

T = TypeVar("T")
SOURCE = "bank"
_FILING_SECONDS = 2.0
_PUBLISHING_SECONDS = 0.5
_RELAY_SECONDS = 0.25


class Watcher(Protocol):
    """Sees what a node does."""

    def attempted(self, node: LeaderNode) -> None:
        """See that a node has asked for the term or renewed it."""

    def filed(self, node: LeaderNode, epoch: int, result: FilingResult) -> None:
        """See that a node has filed a delivery in an epoch."""

    def showed(self, node: LeaderNode) -> None:
        """See that a node may show another book."""


@dataclass(slots=True)
class NodeFaults:
    """Until when (in seconds of the loop) a node is paused, cut off from the database, and cut off from Redis."""

    paused: float = 0.0
    without_database: float = 0.0
    without_redis: float = 0.0

    @property
    def until(self) -> float:
        """When all of them are over."""
        return max(self.paused, self.without_database, self.without_redis)


@dataclass(slots=True)
class Surroundings:
    """What a node works in: the loop, the database, Redis, what the source says by now, and who watches."""

    loop: VirtualLoop
    url: str
    redis: RedisServer
    fixings: Callable[[], list[Fixing]]
    watcher: Watcher
    at_work: list[LeaderNode] = field(default_factory=list)
    """The node that talks to the database now."""


class LeaderNode:
    """The parts of one node, whose process may be paused between any two steps."""

    def __init__(self, name: str, holder: str, folder: Path, around: Surroundings) -> None:
        self.name = name
        self.holder = holder
        self.faults = NodeFaults()
        self._around = around
        self._loop = around.loop
        data = DataDirectory(folder)
        leadership = SqlStore(around.url).leadership
        self._reached_at = self._loop.time()
        self.election = _PausedElection(
            self, leadership, name, self._loop.now, self._loop.time,
            silence=lambda: self._loop.time() - self._reached_at,
        )  # fmt: skip
        self.worker = _FencedWorker(self, around)
        self._leader = IngestLeader(self.election, lambda: self.worker)
        self.relay = BookRelay(data, RedisLinkInMemory(around.redis, self._is_without_redis), self._reach)
        self._candidates = RateBookFile(data.candidates)
        self.books = RateBookFile(data.path)

    def _reach(self) -> None:
        self._reached_at = self._loop.time()

    def _is_without_redis(self) -> bool:
        return self._loop.time() < max(self.faults.without_redis, self.faults.paused)

    @property
    def is_without_redis(self) -> bool:
        """Whether Redis cannot be reached."""
        return self._is_without_redis()

    @property
    def is_without_database(self) -> bool:
        """Whether the database cannot be reached."""
        return self._loop.time() < self.faults.without_database

    async def gate(self) -> None:
        """Wait while the process is paused."""
        while self._loop.time() < self.faults.paused:  # noqa: ASYNC110  a pause may become longer meanwhile
            await asyncio.sleep(self.faults.paused - self._loop.time())

    def in_database(self, work: Callable[[], T]) -> T:
        """Do work in the database as this node."""
        self._around.at_work.append(self)
        try:
            return work()
        finally:
            self._around.at_work.pop()

    async def run(self) -> None:
        """Compete, file and publish, for ever."""
        await run_together([self.election.run(), self._leader.lead(self._take_over, self._duties), self._relay()])

    async def _take_over(self) -> None:
        await self.gate()

    def _duties(self) -> list[Any]:
        return [self._file(), self._publish()]

    async def _file(self) -> None:
        """File what the source says, again and again, as a poller would."""
        while True:
            await self.gate()
            with suppress(NoLongerLeading, StoreBroken):
                await self._leader.call(_FILE_FIXINGS, self._around.fixings(), self._loop.now())
            await asyncio.sleep(_FILING_SECONDS)

    async def _publish(self) -> None:
        version = self.relay.order[1]
        while True:
            await self.gate()
            epoch = self._leader.epoch()
            await asyncio.sleep(0)
            await self.gate()  # it may be paused just before it publishes
            if epoch is not None:
                version = max(version, self.relay.order[1]) + 1
                self._candidates.publish(_book(version, self._loop.now()), epoch)
            await asyncio.sleep(_PUBLISHING_SECONDS)

    async def _relay(self) -> None:
        """Do what the relay does ten times a second."""
        while True:
            await self.gate()
            await self.relay._step(self._loop.time())  # noqa: SLF001  its loop waits in a thread
            self._around.watcher.showed(self)
            await asyncio.sleep(_RELAY_SECONDS)

    async def filed(self, epoch: int, work: Callable[[], FilingResult]) -> FilingResult:
        """File in an epoch; the process may be paused before and after it."""
        await asyncio.sleep(0)
        await self.gate()
        result = self.in_database(work)
        self._around.watcher.filed(self, epoch, result)
        await self.gate()
        return result

    async def asked(self, work: Callable[[], T]) -> T:
        """Ask for the term; the process may be paused before and after it."""
        await self.gate()
        result = self.in_database(work)
        self._around.watcher.attempted(self)
        await self.gate()
        return result


class _PausedElection(LeaderElection):
    """An election in a process that may be paused."""

    def __init__(self, node: LeaderNode, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._holder = node.holder
        self._of = node

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await self._of.asked(work)


class _FencedWorker(ArchiveWorker):
    """An archive worker in this process: it files in the epoch that it is told."""

    def __init__(self, node: LeaderNode, around: Surroundings) -> None:
        self._node = node
        self._url = around.url

    async def call(self, _as_leader: Any, epoch: int, method: Any, *arguments: Any) -> Any:  # type: ignore[override]
        """Call a method with a store of an epoch."""
        store = SqlStore(self._url, epoch)
        return await self._node.filed(epoch, lambda: method(store, *arguments))

    def close(self) -> None:
        """Do nothing: there is no process."""


def _file_fixings(store: SqlStore, fixings: list[Fixing], now: datetime) -> FilingResult:
    return store.archive.file(DeliveryRecord(SOURCE, now, "simulated", str(len(fixings))), fixings)


_FILE_FIXINGS: Any = _file_fixings
"""Files what a source says, in place of a method of `ArchiveTasks`."""


def _book(version: int, now: datetime) -> QuotedBook:
    euro = Quote(
        Pair("USD", "EUR"), Fraction(9, 10), Fraction(9, 10), now, now, Origin(Derivation.PUBLISHED, (SOURCE,))
    )
    return QuotedBook(version, now, {"EUR": euro}, ("EUR",))
