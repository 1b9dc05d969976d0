"""Rate limits over nodes: each node counts the requests that the others have admitted as if they were its own.

A node publishes ten times a second what it has newly admitted. What is on the way is not seen by the others, so a burst
may be admitted on each node at once; the level of the bucket is then below zero, and later requests wait longer.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import Protocol

import msgspec

from cambist.cluster.topic_relay import RedisMessages
from cambist.errors import RedisUnreachable, StoreBroken

CHANNEL = "cambist:admitted"
_SHARE_SECONDS = 0.1


class AdmittedCounters(Protocol):
    """The counters of admitted requests of a node, to which this thread adds in a writer slot of its own."""

    def newly_admitted(self) -> Mapping[int, int]:
        """Return the accounts with newly admitted requests since the last call, and their total at that call."""

    def last_admitted(self, account: int) -> int:
        """Return the total of an account as of the last call of `newly_admitted`."""

    def admit_many(self, account: int, requests: int) -> None:
        """Count requests that other nodes have admitted. Errors: StoreBroken."""


class AdmittedMessage(msgspec.Struct, frozen=True):
    """A message: requests that a node has newly admitted, by account."""

    node: str
    admitted: dict[int, int]


class RateSharing:
    """Publishes what this node admits, and counts what the others publish."""

    def __init__(self, node: str, messages: RedisMessages, counters: AdmittedCounters) -> None:
        self._node = node
        self._messages = messages
        self._counters = counters
        self._added: Counter[int] = Counter()
        messages.subscribe(CHANNEL, self.add)

    async def run(self) -> None:
        """Publish for ever."""
        self._counters.newly_admitted()
        while True:
            await asyncio.sleep(_SHARE_SECONDS)
            await self.share()

    def add(self, content: bytes) -> None:
        """Count what another node has admitted."""
        message = msgspec.msgpack.decode(content, type=AdmittedMessage)
        if message.node == self._node:
            return
        for account, requests in message.admitted.items():
            with suppress(StoreBroken):  # without disk space each node knows only its own requests
                self._counters.admit_many(account, requests)
                self._added[account] += requests

    async def share(self) -> None:
        """Publish what this node has admitted since the last call. What cannot be sent is lost: it is soon too old."""
        admitted = {}
        for account, before in self._counters.newly_admitted().items():
            own = self._counters.last_admitted(account) - before - self._added.pop(account, 0)
            if own > 0:
                admitted[account] = own
        if admitted:
            with suppress(RedisUnreachable):
                await self._messages.publish(CHANNEL, msgspec.msgpack.encode(AdmittedMessage(self._node, admitted)))
