"""Look every second whether another node has changed what all share, and at once when one says so.

So a change reaches every node that has the database, also while there is no Redis.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace

from cambist.cluster.cluster_changes import ChangeOrigin, ClusterChange
from cambist.cluster.database_link import DatabaseLink
from cambist.errors import CambistError, StoreBroken
from cambist.status.nodes import StoreVersions

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0

Apply = Callable[[ChangeOrigin], Awaitable[None]]
"""What applies a change to this node. Errors: StoreBroken and OSError, after which it is called again."""


class DatabaseWatch:
    """Compares the versions of what all nodes share with those that were applied last, and applies what is new.

    `versions` are those that this node has applied, at first those that it started with.
    """

    def __init__(
        self,
        database: DatabaseLink,
        read: Callable[[], StoreVersions],
        apply: Mapping[ClusterChange, Apply],
        versions: StoreVersions,
    ) -> None:
        self.versions = versions
        self._database = database
        self._read = read
        self._apply = apply
        self._wanted: dict[ClusterChange, ChangeOrigin] = {}
        self._is_wanted = asyncio.Event()
        self._failing: set[ClusterChange] = set()

    def look(self, topic: ClusterChange, origin: ChangeOrigin) -> None:
        """Apply a topic as soon as the database can be reached, whether or not its version has changed."""
        if self._wanted.get(topic) is not ChangeOrigin.REMOTE:
            self._wanted[topic] = origin
        self._is_wanted.set()

    async def run(self) -> None:
        """Look every second, for ever."""
        while True:
            await self.look_now()
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._is_wanted.wait()

    async def look_now(self) -> None:
        """Apply what is new, if the database can be reached."""
        self._is_wanted.clear()
        wanted, self._wanted = self._wanted, {}
        try:
            found = await self._database.call(self._read)
        except StoreBroken:
            self._wanted = wanted | self._wanted
            return
        for topic in self._apply:
            if getattr(found, topic) != getattr(self.versions, topic) or topic in wanted:
                await self._apply_one(topic, wanted.get(topic, ChangeOrigin.DATABASE), found)

    async def _apply_one(self, topic: ClusterChange, origin: ChangeOrigin, found: StoreVersions) -> None:
        try:
            await self._apply[topic](origin)
        except (StoreBroken, OSError) as error:
            self._log(topic, error)
            self._wanted.setdefault(topic, origin)
            return
        except CambistError as error:
            self._log(topic, error)  # the next change may be better
        else:
            self._failing.discard(topic)
        self.versions = replace(self.versions, **{topic: getattr(found, topic)})

    def _log(self, topic: ClusterChange, error: Exception) -> None:
        if topic not in self._failing:
            log.error("Cluster link: a change of %s cannot be applied, the last state stays: %s", topic, error)
        self._failing.add(topic)
