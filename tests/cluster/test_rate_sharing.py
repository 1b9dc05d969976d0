"""Rate limits over nodes: counters of several nodes, and one Redis."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cluster.doubles import RedisDouble, until
from tests.patience import PATIENCE
from tests.redis_server import RedisServer

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.meter import Meter
from cambist.accounts.plan import Plan
from cambist.accounts.principal import Principal
from cambist.cluster.rate_sharing import KEY, RateSharing
from cambist.cluster.redis_connection import RedisConnection
from cambist.errors import RateLimited
from cambist.storage.shared.usage.worker_counters import WorkerCounters

ANN, BOB = 1, 70
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp()


class Node:
    """One node: a worker, and the part of its link."""

    def __init__(self, folder: Path, name: str, redis: RedisDouble) -> None:
        self._opened = [WorkerCounters(folder / name, (), 4) for _ in range(2)]
        self.worker, self.link = self._opened
        self.sharing, self.redis = RateSharing(redis, self.link), redis
        self.meter = Meter(self.worker, {})
        self.link.newly_admitted()

    def close(self) -> None:
        for counters in self._opened:
            counters.close()


@pytest.fixture
def redis() -> RedisDouble:
    return RedisDouble()


@pytest.fixture
def start_nodes(tmp_path: Path, redis: RedisDouble) -> Iterator[Callable[[int], list[Node]]]:
    nodes: list[Node] = []

    def start(count: int) -> list[Node]:
        nodes.extend(Node(tmp_path, f"node-{number}", redis) for number in range(count))
        return nodes

    yield start
    for node in nodes:
        node.close()


def share(*nodes: Node) -> None:
    """Let nodes share in one tenth of a second."""
    for node in nodes:
        asyncio.run(node.sharing.share())
    nodes[0].redis.tick += 1


def share_and_read(*nodes: Node) -> None:
    """Let nodes share, and read the sums when that tenth of a second is over."""
    share(*nodes)
    share(*nodes)


def test_what_a_node_admits_is_counted_by_the_others(start_nodes: Callable[[int], list[Node]]) -> None:
    one, other, third = start_nodes(3)
    share(one, other, third)
    for _ in range(5):
        one.worker.admit(ANN)
    other.worker.admit(BOB)
    share_and_read(one, other, third)
    assert [node.worker.admitted(ANN) for node in (one, other, third)] == [5, 5, 5]
    assert [node.worker.admitted(BOB) for node in (one, other, third)] == [1, 1, 1]


def test_what_several_nodes_admit_of_one_account_is_one_sum(
    start_nodes: Callable[[int], list[Node]], redis: RedisDouble
) -> None:
    nodes = start_nodes(5)
    share(*nodes)
    for number, node in enumerate(nodes):
        for _ in range(number):
            node.worker.admit(ANN)
    share(*nodes)
    assert [sum(sums.values()) for sums in redis.sums.values()] == [10]
    share(*nodes)
    assert [node.worker.admitted(ANN) for node in nodes] == [10] * 5


def test_what_others_have_admitted_is_not_added_again(
    start_nodes: Callable[[int], list[Node]], redis: RedisDouble
) -> None:
    one, other = start_nodes(2)
    share(one, other)
    for node, round_ in itertools.product((one, other), range(4)):
        node.worker.admit(ANN)
        if round_ % 2:
            share(one, other)
    share_and_read(one, other)
    assert (one.worker.admitted(ANN), other.worker.admitted(ANN)) == (8, 8)
    added = dict(redis.sums)
    share_and_read(one, other)
    assert (redis.sums, one.worker.admitted(ANN)) == (added, 8)


def test_a_node_may_share_several_times_in_a_tenth_of_a_second_or_miss_some(
    start_nodes: Callable[[int], list[Node]], redis: RedisDouble
) -> None:
    one, other = start_nodes(2)
    share(one, other)
    for _ in range(3):
        one.worker.admit(ANN)
        asyncio.run(one.sharing.share())
    for _ in range(5):
        share(one)
        one.worker.admit(ANN)
    assert other.worker.admitted(ANN) == 0
    share(one)
    share(other)
    assert (one.worker.admitted(ANN), other.worker.admitted(ANN)) == (8, 8)
    redis.tick += 30
    one.worker.admit(ANN)
    share(one)
    redis.tick += 30
    share(other)
    assert other.worker.admitted(ANN) == 8, "what is older than two seconds is left out"
    one.worker.admit(ANN)
    share_and_read(one, other)
    assert other.worker.admitted(ANN) == 9


def test_a_neighbour_of_an_account_is_not_shared_with_it(
    start_nodes: Callable[[int], list[Node]], redis: RedisDouble
) -> None:
    one, other = start_nodes(2)
    one.worker.admit(ANN)
    other.worker.admit(ANN + 1)
    share(one, other)
    assert list(redis.sums.values()) == [{ANN: 1, ANN + 1: 1}]


def test_what_was_admitted_before_the_start_is_not_shared(
    tmp_path: Path, redis: RedisDouble, start_nodes: Callable[[int], list[Node]]
) -> None:
    before = WorkerCounters(tmp_path / "node-0", (), 4)
    before.admit(ANN)
    before.close()
    share(*start_nodes(2))
    assert redis.sums == {}


def test_without_redis_each_node_counts_alone(start_nodes: Callable[[int], list[Node]], redis: RedisDouble) -> None:
    one, other = start_nodes(2)
    share(one, other)
    redis.is_linked = False
    one.worker.admit(ANN)
    share_and_read(one, other)
    assert (one.worker.admitted(ANN), other.worker.admitted(ANN)) == (1, 0)
    redis.is_linked = True
    one.worker.admit(ANN)
    share_and_read(one, other)
    assert (one.worker.admitted(ANN), other.worker.admitted(ANN)) == (2, 1)


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_a_real_redis_sums_and_forgets(start_nodes: Callable[[int], list[Node]], redis_server: RedisServer) -> None:
    async def run() -> None:
        connections = [RedisConnection(redis_server.url) for _ in range(3)]
        tasks = [asyncio.create_task(each.run()) for each in connections]
        await until(lambda: all(each.is_linked for each in connections))
        nodes = start_nodes(3)
        sharings = [RateSharing(each, node.link) for each, node in zip(connections, nodes, strict=True)]
        tasks += [asyncio.create_task(each.run()) for each in sharings]
        await asyncio.sleep(0.3)
        for number in range(30):
            nodes[number % 3].worker.admit(ANN)
            nodes[number % 2].worker.admit(BOB)
            await asyncio.sleep(0.01)
        await until(lambda: all((node.worker.admitted(ANN), node.worker.admitted(BOB)) == (30, 30) for node in nodes))
        assert await connections[0].command("KEYS", f"{KEY}*")
        for key in await connections[0].command("KEYS", f"{KEY}*"):
            assert 0 < await connections[0].command("PTTL", key) <= 5000
        await asyncio.sleep(0.3)
        assert [node.worker.admitted(ANN) for node in nodes] == [30, 30, 30], "each is counted once"
        for task in tasks:
            task.cancel()

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


@pytest.mark.long
def test_at_steady_load_the_nodes_together_admit_the_rate(start_nodes: Callable[[int], list[Node]]) -> None:
    plan = Plan(name="p", rate=50, burst=10, tags=())
    ann = Principal.build(StoredKey(1, Account(ANN, "ann", "p")), {"p": plan})
    nodes, admitted, seconds = start_nodes(4), 0, 40
    for tick in range(seconds * 100):
        now = NOW + tick / 100
        if tick % 10 == 0:
            share(*nodes)
            for node in nodes:
                node.meter.tick({ann.account.number: ann.plan}.get, now)
        for node in nodes:
            try:
                node.meter.check_rate(ann, now)
            except RateLimited:
                continue
            admitted += 1
    assert admitted == pytest.approx(50 * seconds, rel=0.1)


def test_it_runs_for_ever(start_nodes: Callable[[int], list[Node]]) -> None:
    one, other = start_nodes(2)

    async def run() -> None:
        tasks = [asyncio.create_task(node.sharing.run()) for node in (one, other)]
        await asyncio.sleep(0.2)
        one.worker.admit(ANN)
        await asyncio.sleep(0.2)
        one.redis.tick += 1
        await until(lambda: other.worker.admitted(ANN))
        for task in tasks:
            task.cancel()

    asyncio.run(asyncio.wait_for(run(), PATIENCE))
