"""What a node of several shares with the others: changes of accounts, plans, archive and bars, and who is live."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from time import time
from typing import Protocol

from cambist.clock import utc_now
from cambist.cluster.cluster_changes import ChangeOrigin, ClusterChange
from cambist.cluster.database_link import DatabaseLink
from cambist.cluster.database_watch import DatabaseWatch
from cambist.cluster.link_task import LinkTask
from cambist.cluster.matrix_refresh import MatrixRefresh
from cambist.cluster.membership import Membership, MembershipCallbacks, RedisCommands
from cambist.cluster.topic_relay import RedisMessages, TopicRelay
from cambist.errors import RateMatrixDamaged
from cambist.registry.accounts.shared_plans import apply_plan_version
from cambist.registry.node.nodes import node_start
from cambist.registry.sharing.node_changes import FolderAskedSources, FolderChanges
from cambist.settings import Settings
from cambist.status.cluster_report import ClusterReport, NodeReport
from cambist.status.leadership import LeaderState
from cambist.status.nodes import NodeRecord, StoreVersions
from cambist.storage import NodeStore
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file, write_json_file
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.shared.rate_book.reader import RateBookReader
from cambist.storage.shared.rate_matrix_file import open_rate_matrix

_MATRIX_SECONDS = 1.0


class NodeRedis(RedisMessages, RedisCommands, Protocol):
    """The connection to Redis."""


@dataclass(frozen=True, slots=True)
class BookState:
    """The rate book of this node: the leader's epoch and its version.

    It was here `lag` seconds after it was published, which was `age` seconds ago; None if that is not known.
    """

    epoch: int = 0
    version: int = 0
    lag: float | None = None
    age: float | None = None


@dataclass(frozen=True, slots=True)
class NodeWork:
    """What the process of the link does for these parts.

    `refresh_matrix` brings the rate matrix up to date; `book` and `leases` return the state of the node's rate book and
    how many shares of quotas it holds; `give_way` ends the service because another instance has its name.
    """

    refresh_matrix: Callable[[], Awaitable[None]]
    give_way: Callable[[NodeRecord], None]
    book: Callable[[], BookState]
    leases: Callable[[], int] = int


class SharedState:
    """The parts of the link that keep this node's state equal to that of the others, and their tasks."""

    def __init__(self, settings: Settings, store: NodeStore, redis: NodeRedis, work: NodeWork) -> None:
        self._store = store
        self._redis = redis
        self._work = work
        self._folder = DataDirectory(settings.data)
        self._changes = data_changes(self._folder.path)
        self._start = node_start(settings)
        self._polls = settings.fetch and "ingest" in settings.chosen_roles
        self._leader: LeaderState | None = None
        self._matrix = matrix_revision(self._folder.matrix)
        self._matrix_current_at = utc_now()
        self.database = DatabaseLink(utc_now)
        apply = {
            ClusterChange.ACCOUNTS: self._apply_accounts,
            ClusterChange.PLANS: self._apply_plans,
            ClusterChange.ARCHIVE: self._apply_archive,
        }
        # Accounts and plans may have changed since the start of the node: they are applied once.
        self.watch = DatabaseWatch(self.database, self._versions, apply, StoreVersions(-1, -1, self._matrix))
        changes, asked = FolderChanges(self._changes), FolderAskedSources(self._folder)
        self.relay = TopicRelay(redis, changes, asked, self.watch, self._start.name)
        self.matrix_refresh = MatrixRefresh(work.refresh_matrix)
        last = read_json_file(self._folder.cluster_report, ClusterReport)
        callbacks = MembershipCallbacks(self.describe, self._write, work.give_way)
        registry = self.database, lambda: self._store.nodes
        self.membership = Membership(self._start, redis, registry, callbacks, last.answering if last else 1)

    def parts(self) -> list[LinkTask]:
        """Return what runs for ever, each as a task."""
        parts: list[LinkTask] = [self, self.watch, self.relay, self.membership]
        return parts if self._polls else [*parts, self.matrix_refresh]

    def describe(self) -> NodeReport:
        """Return the report on this node."""
        book, leader = self._work.book(), self._leader
        behind = (utc_now() - self._matrix_current_at).total_seconds() if self._is_matrix_behind() else 0.0
        return NodeReport(
            name=self._start.name,
            instance=self._start.instance,
            roles=tuple(self._start.roles.split(",")),
            version=self._start.version,
            written_at=utc_now(),
            leads=self._leads(),
            leader_epoch=max(leader.epoch if leader else 0, book.epoch),
            leader=leader.node if leader and not leader.has_expired else "",
            book_epoch=book.epoch,
            book_version=book.version,
            book_lag=book.lag,
            book_age=book.age,
            matrix_behind=behind,
            redis_linked=self._redis.is_linked,
            database_reachable=self.database.lost_at is None,
            leases=self._work.leases(),
        )

    def _versions(self) -> StoreVersions:
        self._leader = self._store.leadership.current()
        return self._store.nodes.versions()

    def _leads(self) -> bool:
        leader = self._leader
        is_ours = leader is not None and leader.node == self._start.name and not leader.has_expired
        return is_ours and leader is not None and self._work.book().epoch <= leader.epoch

    async def _apply_accounts(self, origin: ChangeOrigin) -> None:
        if origin is not ChangeOrigin.LOCAL:
            self.relay.notify(ClusterChange.ACCOUNTS)

    async def _apply_plans(self, _origin: ChangeOrigin) -> None:
        version = await self.database.call(self._store.plan_versions.newest)
        if version is not None and apply_plan_version(self._folder, version, self._changes):
            self.relay.ignore(ClusterChange.PLANS)

    async def _apply_archive(self, origin: ChangeOrigin) -> None:
        """Notify the processes of this node. A leader has filed itself what no message says."""
        if not self._polls:
            self.matrix_refresh.request()
        is_known = origin is ChangeOrigin.LOCAL
        is_own = origin is ChangeOrigin.DATABASE and self._leads() and self._redis.is_linked
        if not is_known and not is_own:
            self.relay.notify(ClusterChange.ARCHIVE)

    async def run(self) -> None:
        """Keep in mind which fixings the rate matrix shows, for ever."""
        seen = None
        while True:
            if seen != (seen := self._changes.version(Topic.MATRIX)):
                self._matrix = await asyncio.to_thread(matrix_revision, self._folder.matrix)
            if not self._is_matrix_behind():
                self._matrix_current_at = utc_now()
            await asyncio.sleep(_MATRIX_SECONDS)

    def _is_matrix_behind(self) -> bool:
        return self._matrix < self.watch.versions.archive

    def _write(self, report: ClusterReport) -> None:
        write_json_file(self._folder.cluster_report, report)


def read_book_state(folder: DataDirectory, lag: Callable[[], float | None]) -> Callable[[], BookState]:
    """Return what reads the state of the rate book in a data folder; `lag` returns that of the last book."""
    reader = RateBookReader(folder.book)

    def read() -> BookState:
        epoch, version = reader.age_order() or (0, 0)
        published_at = reader.published_at()
        return BookState(epoch, version, lag(), None if published_at is None else max(0.0, time() - published_at))

    return read


def matrix_revision(path: Path) -> int:
    """Return the version of the archive that a file of the rate matrix shows; -1 without one that can be read."""
    try:
        return int(open_rate_matrix(path).revision.partition("-")[0])
    except (RateMatrixDamaged, ValueError):
        return -1
