"""Limits of stream connections over nodes: each node knows how many connections an account has on the others."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic
from typing import Protocol

import msgspec

from cambist.cluster.topic_relay import RedisMessages
from cambist.errors import RedisUnreachable

CHANNEL = "cambist:connections"
_SHARE_SECONDS = 0.2
_ALL_SECONDS = 3.0
"""How often a node publishes all its connections, for those that have missed a message."""

_SILENT_SECONDS = 10.0
"""After how long without a message the connections of a node are forgotten: its clients connect elsewhere."""


class ConnectionCounts(Protocol):
    """The connections of the accounts to this node, and beside them those to the others. Both raise OSError."""

    def own(self) -> Mapping[int, int]:
        """Return the connections to this node, of the accounts that have any."""

    def set_others(self, account: int, connections: int) -> None:
        """Set how many connections an account has to other nodes."""


class ConnectionsMessage(msgspec.Struct, frozen=True):
    """A message: connections to a node by account; all of them, or those that have changed."""

    node: str
    is_all: bool
    connections: dict[int, int]


class ConnectionSharing:
    """Publishes the connections to this node, and adds up those to the others.

    `nodes` returns how many nodes there were last. While Redis is gone, an account is taken to have as many connections
    to each of the others as to this one.
    """

    def __init__(self, node: str, messages: RedisMessages, counts: ConnectionCounts, nodes: Callable[[], int]) -> None:
        self._node = node
        self._messages = messages
        self._counts = counts
        self._nodes = nodes
        self._published: Mapping[int, int] = {}
        self._all_due = 0.0
        self._of_nodes: dict[str, tuple[float, Counter[int]]] = {}
        self._written: Mapping[int, int] = {}
        messages.subscribe(CHANNEL, self.update)

    async def run(self) -> None:
        """Publish and add up for ever."""
        while True:
            with suppress(OSError):  # a full disk: limits hold on each node
                await self.share(monotonic())
            await asyncio.sleep(_SHARE_SECONDS)

    def update(self, content: bytes) -> None:
        """Read what another node has published."""
        message = msgspec.msgpack.decode(content, type=ConnectionsMessage)
        if message.node == self._node:
            return
        known = Counter() if message.is_all else self._of_nodes.get(message.node, (0.0, Counter[int]()))[1]
        known.update({account: count - known[account] for account, count in message.connections.items()})
        self._of_nodes[message.node] = monotonic(), +known

    async def share(self, now: float) -> None:
        """Publish what has changed, or all when it is due, and write what the others have. Errors: OSError."""
        own = self._counts.own()
        if self._messages.is_linked:
            self._of_nodes = {name: of for name, of in self._of_nodes.items() if now - of[0] < _SILENT_SECONDS}
            self._write(sum((counts for _, counts in self._of_nodes.values()), Counter[int]()))
            await self._publish(own, now)
        else:
            self._all_due = 0.0
            self._write({account: count * (self._nodes() - 1) for account, count in own.items()})

    def _write(self, others: Mapping[int, int]) -> None:
        for account in self._written.keys() | others.keys():
            if self._written.get(account, 0) != others.get(account, 0):
                self._counts.set_others(account, others.get(account, 0))
        self._written = others

    async def _publish(self, own: Mapping[int, int], now: float) -> None:
        is_all = now >= self._all_due
        changed = {
            account: own.get(account, 0)
            for account in own.keys() | self._published.keys()
            if own.get(account, 0) != self._published.get(account, 0)
        }
        if not is_all and not changed:
            return
        message = ConnectionsMessage(self._node, is_all, dict(own) if is_all else changed)
        try:
            await self._messages.publish(CHANNEL, msgspec.msgpack.encode(message))
        except RedisUnreachable:
            self._all_due = 0.0
            return
        self._published = own
        if is_all:
            self._all_due = now + _ALL_SECONDS
