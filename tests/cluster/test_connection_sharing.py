"""Connections to the stream over nodes: their files, and one Redis."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cluster.doubles import RedisDouble

from cambist.cluster import connection_sharing
from cambist.cluster.connection_sharing import ConnectionSharing
from cambist.storage.shared.node_connections import NodeConnections
from cambist.storage.shared.stream_connections import StreamConnections

ANN, BOB = 1, 5000


class Node:
    """One node with two stream processes, and the part of its link."""

    def __init__(self, path: Path, redis: RedisDouble) -> None:
        self.processes = [StreamConnections(path, number, 2, is_node=True) for number in range(2)]
        self.sharing = ConnectionSharing(path.name, redis, NodeConnections(path), lambda: 3)


@pytest.fixture
def redis() -> RedisDouble:
    return RedisDouble()


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(connection_sharing, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def start_node(tmp_path: Path, redis: RedisDouble, seconds: list[float]) -> Callable[[str], Node]:
    assert seconds
    return lambda name: Node(tmp_path / name, redis)


def share(seconds: list[float], *nodes: Node) -> None:
    """Let a while pass, in which all nodes publish, and read what the others have published."""
    for _ in range(2):
        seconds[0] += 0.2
        for node in nodes:
            asyncio.run(node.sharing.share(seconds[0]))


def test_a_connection_is_counted_with_those_to_other_nodes(
    start_node: Callable[[str], Node], seconds: list[float]
) -> None:
    north, south, west = (start_node(name) for name in ("north", "south", "west"))
    north.processes[0].add(ANN)
    north.processes[1].add(ANN)
    south.processes[0].add(BOB)
    share(seconds, north, south, west)
    assert [south.processes[1].add(ANN), west.processes[0].add(BOB)] == [3, 2]
    share(seconds, north, south, west)
    assert north.processes[0].add(ANN) == 4


def test_a_connection_that_is_closed_is_free_on_all_nodes(
    start_node: Callable[[str], Node], seconds: list[float]
) -> None:
    north, south = start_node("north"), start_node("south")
    north.processes[0].add(ANN)
    share(seconds, north, south)
    north.processes[0].remove(ANN)
    share(seconds, north, south)
    assert south.processes[0].add(ANN) == 1


def test_connections_of_a_silent_node_are_free_after_a_while(
    start_node: Callable[[str], Node], seconds: list[float]
) -> None:
    north, south = start_node("north"), start_node("south")
    north.processes[0].add(ANN)
    share(seconds, north, south)
    seconds[0] += 5
    share(seconds, south)
    assert south.processes[0].add(ANN) == 2
    seconds[0] += 6
    share(seconds, south)
    assert south.processes[0].add(ANN) == 2  # its own two


def test_a_node_that_missed_messages_knows_all_soon(start_node: Callable[[str], Node], seconds: list[float]) -> None:
    north = start_node("north")
    north.processes[0].add(ANN)
    share(seconds, north)
    late = start_node("late")
    share(seconds, north, late)
    assert late.processes[0].add(ANN) == 1
    seconds[0] += 3
    share(seconds, north, late)
    assert late.processes[0].add(ANN) == 3


def test_only_what_has_changed_is_published(
    start_node: Callable[[str], Node], redis: RedisDouble, seconds: list[float]
) -> None:
    north = start_node("north")
    share(seconds, north)
    assert len(redis.published) == 1
    share(seconds, north)
    assert len(redis.published) == 1
    north.processes[0].add(ANN)
    share(seconds, north)
    assert len(redis.published) == 2


def test_without_redis_an_account_has_its_share_on_each_node(
    start_node: Callable[[str], Node], redis: RedisDouble, seconds: list[float]
) -> None:
    north, south = start_node("north"), start_node("south")
    share(seconds, north, south)
    redis.is_linked = False
    counts = []
    for _ in range(3):
        counts.append(north.processes[0].add(ANN))
        share(seconds, north, south)
    assert counts == [1, 4, 7]
    redis.is_linked = True
    share(seconds, north, south)
    assert south.processes[0].add(ANN) == 4
    assert north.processes[0].add(ANN) == 4


def test_one_machine_counts_its_own_processes_alone(tmp_path: Path) -> None:
    path = tmp_path / "connections"
    sharing = NodeConnections(path)
    sharing.set_others(ANN, 5)
    processes = [StreamConnections(path, number, 2) for number in range(2)]
    assert [process.add(ANN) for process in processes] == [1, 2]
    assert StreamConnections(path, 2, 3, is_node=True).add(ANN) == 8


def test_a_link_that_starts_again_knows_nothing_of_others(tmp_path: Path) -> None:
    path = tmp_path / "connections"
    NodeConnections(path).set_others(ANN, 5)
    assert NodeConnections(path).own() == {}
    assert StreamConnections(path, 0, 1, is_node=True).add(ANN) == 1
    assert NodeConnections(path).own() == {ANN: 1}
