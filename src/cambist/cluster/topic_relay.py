"""Tell the other nodes what has changed on this one, and notify this one of what has changed on others."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Protocol

import msgspec

from cambist.cluster.cluster_changes import AskedSources, ChangeOrigin, ClusterChange, LocalChanges
from cambist.cluster.database_watch import DatabaseWatch
from cambist.errors import RedisUnreachable

log = logging.getLogger(__name__)

CHANNEL = "cambist:changes"
_POLL_SECONDS = 0.05
_STORED = frozenset({ClusterChange.ACCOUNTS, ClusterChange.PLANS, ClusterChange.ARCHIVE})
"""What a node reads from the database when it has changed."""

_KEY = re.compile(r"[a-z][a-z0-9_]{0,31}")
"""A key of a source is the name of a file here."""


class ChangeMessage(msgspec.Struct, frozen=True):
    """What has changed on a node. A newer release may know more topics, which are ignored."""

    node: str
    topics: tuple[str, ...]
    asked: dict[str, datetime] = {}


class RedisMessages(Protocol):
    """The channels of Redis."""

    @property
    def is_linked(self) -> bool:
        """Whether messages come through."""

    def subscribe(self, channel: str, handler: Callable[[bytes], None]) -> None:
        """Call `handler` with each message."""

    async def publish(self, channel: str, content: bytes) -> None:
        """Send a message. Errors: RedisUnreachable."""


class TopicRelay:
    """Sends a message when something has changed on this node, and notifies its processes of the others' changes.

    What cannot be sent waits for the link. A message that another node does not get, because it has no link, is lost:
    `watch` finds in the database what is stored there.
    """

    def __init__(
        self, messages: RedisMessages, changes: LocalChanges, asked: AskedSources, watch: DatabaseWatch, node: str
    ) -> None:
        self._messages = messages
        self._changes = changes
        self._asked = asked
        self._watch = watch
        self._node = node
        self._seen = {topic: changes.version(topic) for topic in ClusterChange}
        self._asked_at = dict(asked.moments())
        self._unsent: set[ClusterChange] = set()
        self._was_linked = True
        messages.subscribe(CHANNEL, self._receive)

    def notify(self, topic: ClusterChange) -> None:
        """Notify the processes of this node of a change that came from elsewhere: it is not sent to others."""
        self._collect()
        self._changes.notify(topic)
        self.ignore(topic)

    def ignore(self, topic: ClusterChange) -> None:
        """Take what has been notified of a topic until now for a change that came from elsewhere."""
        self._seen[topic] = self._changes.version(topic)

    async def run(self) -> None:
        """Send what has changed on this node, for ever."""
        while True:
            self._collect()
            self._look_after_loss()
            if self._unsent and self._messages.is_linked:
                with suppress(RedisUnreachable):
                    await self._send()
            await asyncio.sleep(_POLL_SECONDS)

    def _collect(self) -> None:
        for topic in ClusterChange:
            version = self._changes.version(topic)
            if version != self._seen[topic]:
                self._seen[topic] = version
                self._unsent.add(topic)
                self._watch.look(topic, ChangeOrigin.LOCAL)

    async def _send(self) -> None:
        topics = set(self._unsent)
        moments = dict(self._asked.moments()) if ClusterChange.ASKED in topics else self._asked_at
        asked = {key: at for key, at in moments.items() if self._asked_at.get(key) != at}
        message = ChangeMessage(self._node, tuple(sorted(topics)), asked)
        await self._messages.publish(CHANNEL, msgspec.json.encode(message))
        self._unsent -= topics
        self._asked_at.update(asked)

    def _look_after_loss(self) -> None:
        """After a lost link, take for changed what nothing else reports: messages may have been lost."""
        if self._messages.is_linked and not self._was_linked:
            self.notify(ClusterChange.BARS)
            self._watch.look(ClusterChange.ARCHIVE, ChangeOrigin.REMOTE)
        self._was_linked = self._messages.is_linked

    def _receive(self, content: bytes) -> None:
        try:
            message = msgspec.json.decode(content, type=ChangeMessage)
        except (ValueError, RecursionError) as error:
            log.warning("Cluster link: a message about changes cannot be read: %s", error)
            return
        if message.node == self._node:
            return
        for topic in ClusterChange:
            if topic in message.topics and topic in _STORED:
                self._watch.look(topic, ChangeOrigin.REMOTE)
        if ClusterChange.BARS in message.topics:
            self.notify(ClusterChange.BARS)
        for key, at in message.asked.items():
            if _KEY.fullmatch(key):
                self._ask(key, at.astimezone(UTC))

    def _ask(self, key: str, at: datetime) -> None:
        self._collect()
        try:
            self._asked.ask(key, at)
        except OSError as error:
            log.warning("Cluster link: the source %s cannot be asked: %s", key, error)
            return
        self._asked_at[key] = at
        self.ignore(ClusterChange.ASKED)
