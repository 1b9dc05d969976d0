"""What two nodes share, over one PostgreSQL and one Redis, each with a folder of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from tests.cluster.doubles import until
from tests.patience import PATIENCE
from tests.postgresql import postgresql_url
from tests.redis_server import RedisServer

from cambist.accounts.account import Account
from cambist.accounts.plan import default_plans
from cambist.admin.accounts.account_admin import AccountAdmin
from cambist.clock import utc_now
from cambist.cluster.redis_connection import RedisConnection
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.pricing.pair import Pair
from cambist.registry.accounts.shared_plans import publish_shared_plans
from cambist.registry.node.nodes import node_start
from cambist.registry.sharing.shared_state import BookState, NodeWork, SharedState
from cambist.registry.sources.asked_sources import ask_source, asked_at
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings
from cambist.status.cluster_report import ClusterReport
from cambist.status.nodes import NodeRecord
from cambist.storage import Store
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file
from cambist.storage.shared.change_notifier import Topic, data_changes

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

MORE_PLANS = default_plans() + "\n# more\n"


@dataclass
class Node:
    """A node: its settings, and the parts of its link."""

    settings: Settings
    refreshed: list[str] = field(default_factory=list)
    gave_way: list[NodeRecord] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder = DataDirectory(self.settings.data)
        self.folder.path.mkdir()
        self.changes = data_changes(self.folder.path)
        self.store: Store = open_store(self.settings)
        if not self.store.accounts.named("owner"):
            self.store.accounts.create(Account(0, "owner", "unlimited"))
        publish_shared_plans(self.folder, self.changes, [], self.store.plan_versions, self.settings.node)
        self.redis = RedisConnection(self.settings.redis)
        book = BookState(7, 42, 0.01, 0.2)
        work = NodeWork(self._refresh, self.gave_way.append, lambda: book, lambda: 3)
        self.state = SharedState(self.settings, self.store, self.redis, work)

    async def _refresh(self) -> None:
        self.refreshed.append(self.settings.node)

    def version(self, topic: Topic) -> int:
        return self.changes.version(topic)

    @property
    def report(self) -> ClusterReport | None:
        return read_json_file(self.folder.cluster_report, ClusterReport)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            for part in (self.redis, *self.state.parts()):
                group.create_task(part.run())


@pytest.fixture(autouse=True)
def _no_settling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cambist.cluster.matrix_refresh._SETTLE_SECONDS", 0.01)


@pytest.fixture
def nodes(tmp_path: Path, redis_server: RedisServer) -> Iterator[tuple[Node, Node]]:
    shared = {"database": postgresql_url(tmp_path), "redis": redis_server.url}
    one = Node(Settings(data=tmp_path / "one", node="one", roles="api,ingest", **shared))  # type: ignore[arg-type]
    two = Node(Settings(data=tmp_path / "two", node="two", roles="api", **shared))  # type: ignore[arg-type]
    yield one, two
    one.store.close()
    two.store.close()


def played(nodes: tuple[Node, Node], scene: Callable[[Node, Node], Awaitable[None]]) -> None:
    """Play a scene while both nodes are linked, and have applied what they started with."""

    async def run() -> None:
        tasks = [asyncio.create_task(node.run()) for node in nodes]
        await until(lambda: all(node.redis.is_linked for node in nodes))
        # The archive is applied last of what a node starts with.
        await until(lambda: all(node.state.watch.versions.archive >= 0 for node in nodes))
        await scene(*nodes)
        for task in tasks:
            assert not task.done(), task.result()
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


def created(node: Node, name: str) -> None:
    """Create an account as a command on a node does."""
    with AccountAdmin(node.settings, utc_now) as admin:
        admin.create(name, "one")


def filed(node: Node, value: str) -> None:
    """File a fixing as the ingest process does, which notifies nobody."""
    fixing = Fixing("ecb", Pair("EUR", "USD"), date(2026, 11, 20), Decimal(value))
    filed = node.store.archive.file(DeliveryRecord("ecb", utc_now(), "a test", value), [fixing])
    assert filed.added + filed.corrected == 1


def test_an_account_that_is_made_on_one_node_is_notified_on_the_other(nodes: tuple[Node, Node]) -> None:
    async def scene(one: Node, two: Node) -> None:
        before = two.version(Topic.ACCOUNTS)
        await asyncio.to_thread(created, one, "ann")
        await until(lambda: two.version(Topic.ACCOUNTS) != before)

    played(nodes, scene)


def test_without_redis_it_is_notified_by_the_database(nodes: tuple[Node, Node], redis_server: RedisServer) -> None:
    async def scene(one: Node, two: Node) -> None:
        redis_server.kill()
        await until(lambda: not one.redis.is_linked and not two.redis.is_linked)
        before = two.version(Topic.ACCOUNTS)
        await asyncio.to_thread(created, one, "bob")
        await until(lambda: two.version(Topic.ACCOUNTS) != before)
        await until(lambda: two.report and two.report.redis_lost_at and two.report.answering == 2)

    played(nodes, scene)


def test_plans_that_are_put_into_effect_on_one_node_are_on_the_other(nodes: tuple[Node, Node]) -> None:
    async def scene(one: Node, two: Node) -> None:
        one.folder.plans.write_text(MORE_PLANS)
        with AccountAdmin(one.settings, utc_now) as admin:
            await asyncio.to_thread(admin.reload_plans)
        await until(lambda: two.folder.plans_in_force.read_text() == MORE_PLANS)
        await until(lambda: two.folder.plans.read_text() == MORE_PLANS)
        assert two.folder.previous_plans.read_text() == default_plans()

    played(nodes, scene)


def test_new_fixings_are_notified_and_a_node_without_ingest_builds_its_matrix(nodes: tuple[Node, Node]) -> None:
    async def scene(one: Node, two: Node) -> None:
        before = one.version(Topic.ARCHIVE), two.version(Topic.ARCHIVE)
        filed(one, "1.15")
        await until(lambda: two.refreshed)
        await until(lambda: two.version(Topic.ARCHIVE) != before[1])
        await until(lambda: one.version(Topic.ARCHIVE) != before[0])
        assert not one.refreshed
        await until(lambda: two.state.describe().matrix_behind > 0)

    played(nodes, scene)


def test_a_leader_is_not_notified_of_what_it_has_filed_but_of_what_a_command_elsewhere_has(
    nodes: tuple[Node, Node], caplog: pytest.LogCaptureFixture
) -> None:
    async def scene(one: Node, two: Node) -> None:
        assert one.store.leadership.take("one", "h", 1000)
        await until(lambda: one.state.describe().leads)
        assert not two.state.describe().leads
        before = one.version(Topic.ARCHIVE)
        filed(one, "1.15")
        await until(lambda: two.refreshed)
        await until(lambda: one.state.watch.versions.archive == two.state.watch.versions.archive)
        # A machine that is too busy may lose the link, after which a node takes the archive for changed.
        assert one.version(Topic.ARCHIVE) == before or "cannot be reached" in caplog.text
        filed(two, "1.16")
        two.changes.notify(Topic.ARCHIVE)
        await until(lambda: one.version(Topic.ARCHIVE) != before)

    played(nodes, scene)


def test_a_source_that_is_asked_for_on_one_node_is_asked_by_the_other(nodes: tuple[Node, Node]) -> None:
    async def scene(one: Node, two: Node) -> None:
        now = utc_now()
        before = one.version(Topic.ASKED)
        ask_source(two.folder, "ecb", now)
        await until(lambda: asked_at(one.folder, "ecb") == now)
        await until(lambda: one.version(Topic.ASKED) != before)

    played(nodes, scene)


@pytest.mark.long
def test_each_node_writes_what_it_knows_of_all(nodes: tuple[Node, Node]) -> None:
    async def scene(one: Node, two: Node) -> None:
        await until(lambda: one.report and len(one.report.nodes) == 2)
        await until(lambda: two.report and len(two.report.nodes) == 2)
        report = one.report
        assert report is not None
        assert (report.node, report.answering, report.silent) == ("one", 2, ())
        first, second = report.nodes
        assert (first.name, first.roles, first.book_epoch, first.book_version, first.leases) == (
            "one",
            ("api", "ingest"),
            7,
            42,
            3,
        )
        assert (second.name, second.redis_linked, second.database_reachable) == ("two", True, True)
        assert not one.gave_way
        assert not two.gave_way

    played(nodes, scene)


def test_a_node_ends_when_another_instance_has_its_name(nodes: tuple[Node, Node]) -> None:
    async def scene(one: Node, _two: Node) -> None:
        own = node_start(one.settings)
        await until(lambda: [record for record in one.store.nodes.all() if record.start == own])
        other = type(own)(own.name, "another", own.roles, own.version)
        one.store.nodes.join(other, previous=own.instance)
        await until(lambda: one.gave_way)
        assert one.gave_way[0].start == other

    played(nodes, scene)
