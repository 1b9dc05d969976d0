"""Which nodes are live: by Redis, by the database, and by what was known last."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from tests.cluster.doubles import RedisDouble, until
from tests.patience import PATIENCE

from cambist.clock import utc_now
from cambist.cluster import membership as module
from cambist.cluster.database_link import DatabaseLink
from cambist.cluster.membership import KEY, Membership, MembershipCallbacks
from cambist.errors import StoreUnreachable
from cambist.status.cluster_report import ClusterReport, NodeReport
from cambist.status.nodes import NodeRecord, NodeRegistry, NodeStart
from cambist.storage.sql import SqlStore


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BEAT_SECONDS", 0.02)
    monkeypatch.setattr(module, "_LIVE_SECONDS", 0.4)
    monkeypatch.setattr(module, "_FORGOTTEN_SECONDS", 0.8)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    store = SqlStore(f"sqlite:///{tmp_path / 'nodes.db'}")
    store.migrate()
    yield store
    store.close()


class Node:
    """One node, with what it has reported and to whom it gave way."""

    def __init__(self, redis: RedisDouble, store: SqlStore, name: str, roles: str = "api", answering: int = 1) -> None:
        self.start = NodeStart(name, f"{name} instance", roles, "1.2.0")
        self.reports: list[ClusterReport] = []
        self.gave_way: list[NodeRecord] = []
        self.database = DatabaseLink(utc_now)
        self.store: NodeRegistry | None = store.nodes
        callbacks = MembershipCallbacks(self.describe, self.reports.append, self.gave_way.append)
        self.membership = Membership(self.start, redis, (self.database, self.registry), callbacks, answering)
        self.task: asyncio.Task[None] | None = None

    def registry(self) -> NodeRegistry:
        if self.store is None:
            raise StoreUnreachable("The database cannot be reached: gone")
        return self.store

    def describe(self) -> NodeReport:
        start = self.start
        roles = tuple(start.roles.split(","))
        return NodeReport(
            name=start.name, instance=start.instance, roles=roles, version=start.version, written_at=utc_now()
        )

    def run(self) -> None:
        self.task = asyncio.create_task(self.membership.run())

    def kill(self) -> None:
        assert self.task is not None
        self.task.cancel()

    @property
    def live(self) -> list[str]:
        return [report.name for report in self.membership.live_nodes()]

    @property
    def last(self) -> ClusterReport:
        return self.reports[-1]


def played(scene: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(scene(), PATIENCE))


@pytest.mark.parametrize(
    ("ahead", "is_wrong"), [(7200.0, True), (-7200.0, True), (2.5, True), (1.5, False), (0.0, False)]
)
def test_a_node_sees_when_its_clock_is_not_that_of_the_database(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, ahead: float, *, is_wrong: bool
) -> None:
    caplog.set_level("INFO")
    monkeypatch.setattr(module, "utc_now", lambda: utc_now() + timedelta(seconds=ahead))

    async def scene() -> None:
        node = Node(RedisDouble(), store, "a")
        assert not node.membership.has_wrong_clock
        node.run()
        await until(lambda: bool(node.reports) and node.last.own.clock_ahead is not None)
        assert node.last.own.clock_ahead == pytest.approx(ahead, abs=0.4)
        assert node.membership.has_wrong_clock is is_wrong
        monkeypatch.undo()
        await until(lambda: not node.membership.has_wrong_clock)
        node.kill()

    played(scene)
    said = [record.message for record in caplog.records if "clock" in record.message]
    assert len(said) == 2 * is_wrong, said


def test_nodes_hear_of_each_other_and_count_those_that_answer_calls(store: SqlStore) -> None:
    async def scene() -> None:
        redis = RedisDouble()
        nodes = [
            Node(redis, store, "b", "api"),
            Node(redis, store, "a", "ingest,stream"),
            Node(redis, store, "c", "ingest"),
        ]
        assert [node.membership.answering for node in nodes] == [1, 1, 1]
        for node in nodes:
            node.run()
        await until(lambda: all(node.live == ["a", "b", "c"] for node in nodes))
        await until(lambda: all(node.reports and node.last.answering == 2 for node in nodes))
        await until(lambda: [record.start.name for record in store.nodes.all()] == ["a", "b", "c"])
        assert all(record.is_live for record in store.nodes.all())
        assert [report.beat > 0 for report in nodes[0].last.nodes] == [True] * 3
        own = nodes[0].last.own
        assert own is not None
        assert own.name == "b"
        nodes[2].kill()
        await until(lambda: nodes[0].live == nodes[1].live == ["a", "b"])
        nodes[1].kill()
        await until(lambda: nodes[0].membership.answering == 1)

    played(scene)


@pytest.mark.long
def test_without_redis_the_database_says_how_many_there_are_and_without_both_it_stays(store: SqlStore) -> None:
    async def scene() -> None:
        redis = RedisDouble()
        one, two = Node(redis, store, "a"), Node(redis, store, "b")
        one.run()
        two.run()
        await until(lambda: one.membership.answering == 2)
        redis.is_linked = False
        await until(lambda: one.last.redis_lost_at is not None)
        lost_at = one.last.redis_lost_at
        await until(lambda: one.live == ["a"])
        assert one.membership.answering == 2
        store.nodes.forget("b")
        two.kill()
        await until(lambda: one.membership.answering == 1)
        one.store = None
        await until(lambda: one.last.database_lost_at is not None)
        one.membership.answering = 5
        await until(lambda: one.last.answering == 5)
        assert one.last.redis_lost_at == lost_at
        one.store, redis.is_linked = store.nodes, True
        await until(lambda: one.last.redis_lost_at is one.last.database_lost_at is None)

    played(scene)


def test_after_a_lost_link_the_number_does_not_fall_before_the_others_could_be_heard(store: SqlStore) -> None:
    async def scene() -> None:
        redis = RedisDouble()
        one = Node(redis, store, "a", answering=3)
        one.run()
        await until(lambda: one.reports)
        assert one.last.answering == 3
        await until(lambda: one.membership.answering == 1)

    played(scene)


def test_an_emptied_redis_is_full_again_with_the_next_beat(store: SqlStore) -> None:
    async def scene() -> None:
        redis = RedisDouble()
        one, two = Node(redis, store, "a"), Node(redis, store, "b")
        one.run()
        two.run()
        await until(lambda: one.live == ["a", "b"])
        redis.hashes.clear()
        await until(lambda: len(redis.hashes.get(KEY, {})) == 2)
        assert one.live == ["a", "b"]

    played(scene)


def test_the_report_of_a_node_that_is_gone_for_long_is_removed_and_unreadable_ones_are_ignored(store: SqlStore) -> None:
    async def scene() -> None:
        redis = RedisDouble()
        one, two = Node(redis, store, "a"), Node(redis, store, "b")
        redis.hashes[KEY] = {b"newer": b"{}"}
        one.run()
        two.run()
        await until(lambda: one.live == ["a", "b"])
        two.kill()
        await until(lambda: set(redis.hashes[KEY]) == {b"a", b"newer"})
        assert msgspec.json.decode(redis.hashes[KEY][b"a"], type=NodeReport).name == "a"

    played(scene)


def test_nodes_that_the_database_has_and_nobody_hears_are_silent(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.nodes.join(NodeStart("gone", "x", "api", "1.1.0"))
    monkeypatch.setattr(NodeRecord, "is_live", property(lambda self: self.start.name != "gone"))

    async def scene() -> None:
        one = Node(RedisDouble(), store, "a")
        one.run()
        await until(lambda: one.reports and one.last.silent == ("gone",))

    played(scene)


def test_a_node_gives_way_to_another_live_instance_of_its_name(store: SqlStore) -> None:
    async def scene() -> None:
        one = Node(RedisDouble(), store, "a")
        one.run()
        await until(store.nodes.all)
        other = NodeStart("a", "another", "api", "1.3.0")
        assert store.nodes.join(other, previous="a instance") is None
        await until(lambda: one.gave_way)
        assert one.gave_way[0].start == other
        store.nodes.forget("a")
        await until(lambda: [record.start for record in store.nodes.all()] == [one.start])

    played(scene)


def test_a_full_disk_does_not_end_it(store: SqlStore) -> None:
    async def scene() -> None:
        redis = RedisDouble()
        one = Node(redis, store, "a")
        attempts: list[datetime] = []

        def full(report: ClusterReport) -> None:
            attempts.append(report.written_at)
            raise OSError("no space")

        callbacks = MembershipCallbacks(one.describe, full, one.gave_way.append)
        one.membership = Membership(one.start, redis, (one.database, one.registry), callbacks)
        one.run()
        await until(lambda: len(attempts) > 2)

    played(scene)
