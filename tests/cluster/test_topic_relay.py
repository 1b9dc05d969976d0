"""Changes of one node, as the others hear of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import msgspec
from tests.cluster.doubles import AskedDouble, ChangesDouble, RedisDouble, until
from tests.patience import PATIENCE

from cambist.clock import utc_now
from cambist.cluster.cluster_changes import ChangeOrigin, ClusterChange
from cambist.cluster.database_link import DatabaseLink
from cambist.cluster.database_watch import DatabaseWatch
from cambist.cluster.topic_relay import CHANNEL, ChangeMessage, TopicRelay
from cambist.status.nodes import StoreVersions

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
LOCAL, REMOTE = ChangeOrigin.LOCAL, ChangeOrigin.REMOTE


class Node:
    """One node: its changes, its relay, and what it was told to look for in the database."""

    def __init__(self, redis: RedisDouble, name: str) -> None:
        self.changes = ChangesDouble()
        self.asked = AskedDouble(self.changes)
        watch = DatabaseWatch(DatabaseLink(utc_now), lambda: StoreVersions(0, 0, 0), {}, StoreVersions(0, 0, 0))
        self.looked: list[tuple[ClusterChange, ChangeOrigin]] = []
        watch.look = lambda topic, origin: self.looked.append((topic, origin))  # type: ignore[method-assign]
        self.relay = TopicRelay(redis, self.changes, self.asked, watch, name)


def played(scene: Callable[[RedisDouble, Node, Node], Awaitable[None]]) -> None:
    """Play a scene of two nodes, whose relays run."""

    async def run() -> None:
        redis = RedisDouble()
        one, two = Node(redis, "one"), Node(redis, "two")
        tasks = [asyncio.create_task(node.relay.run()) for node in (one, two)]
        await asyncio.sleep(0)
        await scene(redis, one, two)
        for task in tasks:
            task.cancel()

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


async def a_few_rounds() -> None:
    """Wait for as long as the relays need to send, and to answer what was sent."""
    await asyncio.sleep(0.3)


def test_a_change_of_what_is_stored_lets_the_other_node_look_into_the_database() -> None:
    async def scene(redis: RedisDouble, one: Node, two: Node) -> None:
        one.changes.notify(ClusterChange.ACCOUNTS)
        one.changes.notify(ClusterChange.ARCHIVE)
        await until(lambda: len(two.looked) == 2)
        assert set(two.looked) == {(ClusterChange.ACCOUNTS, REMOTE), (ClusterChange.ARCHIVE, REMOTE)}
        assert set(one.looked) == {(ClusterChange.ACCOUNTS, LOCAL), (ClusterChange.ARCHIVE, LOCAL)}
        await a_few_rounds()
        assert len(redis.published) == 1
        assert two.changes.version(ClusterChange.ACCOUNTS) == 0

    played(scene)


def test_bars_are_notified_on_the_other_node_which_does_not_send_them_back() -> None:
    async def scene(redis: RedisDouble, one: Node, two: Node) -> None:
        one.changes.notify(ClusterChange.BARS)
        await until(lambda: two.changes.version(ClusterChange.BARS) == 1)
        await a_few_rounds()
        assert (one.changes.version(ClusterChange.BARS), len(redis.published)) == (1, 1)

    played(scene)


def test_what_the_link_notifies_itself_is_not_sent_but_a_change_just_before_is() -> None:
    async def scene(redis: RedisDouble, one: Node, two: Node) -> None:
        one.changes.notify(ClusterChange.ACCOUNTS)
        one.relay.notify(ClusterChange.ACCOUNTS)
        one.relay.notify(ClusterChange.ARCHIVE)
        await until(lambda: two.looked)
        await a_few_rounds()
        assert two.looked == [(ClusterChange.ACCOUNTS, REMOTE)]
        assert len(redis.published) == 1

    played(scene)


def test_a_source_is_asked_on_every_node_at_the_same_moment() -> None:
    async def scene(redis: RedisDouble, one: Node, two: Node) -> None:
        one.asked.ask("ecb", NOON)
        await until(lambda: two.asked.at == {"ecb": NOON})
        two.asked.ask("fed", NOON)
        await until(lambda: one.asked.at == {"ecb": NOON, "fed": NOON})
        await a_few_rounds()
        assert len(redis.published) == 2

    played(scene)


def test_a_key_from_a_message_is_never_another_file() -> None:
    async def scene(redis: RedisDouble, _one: Node, two: Node) -> None:
        asked = dict.fromkeys(("../plans.toml", "", "a/b", "..", "ECB", "ecb\n"), NOON)
        await redis.publish(CHANNEL, msgspec.json.encode(ChangeMessage("three", ("asked",), asked)))
        assert two.asked.at == {}

    played(scene)


def test_messages_that_cannot_be_read_and_unknown_topics_are_ignored() -> None:
    async def scene(redis: RedisDouble, _one: Node, two: Node) -> None:
        await redis.publish(CHANNEL, b"\xff")
        await redis.publish(CHANNEL, b'{"node": "three", "topics": ["accounts", "of the future"], "more": 1}')
        assert two.looked == [(ClusterChange.ACCOUNTS, REMOTE)]

    played(scene)


def test_what_changes_without_a_link_is_sent_when_there_is_one() -> None:
    async def scene(redis: RedisDouble, one: Node, two: Node) -> None:
        redis.is_linked = False
        one.changes.notify(ClusterChange.ACCOUNTS)
        one.asked.ask("ecb", NOON)
        await a_few_rounds()
        assert redis.published == []
        redis.is_linked = True
        await until(lambda: two.asked.at == {"ecb": NOON})
        assert (ClusterChange.ACCOUNTS, REMOTE) in two.looked

    played(scene)


def test_after_a_lost_link_bars_and_archive_count_as_changed() -> None:
    async def scene(redis: RedisDouble, _one: Node, two: Node) -> None:
        await a_few_rounds()
        assert two.looked == []
        redis.is_linked = False
        await a_few_rounds()
        redis.is_linked = True
        await until(lambda: two.looked)
        assert two.looked == [(ClusterChange.ARCHIVE, REMOTE)]
        assert two.changes.version(ClusterChange.BARS) == 1
        await a_few_rounds()
        assert redis.published == []

    played(scene)
