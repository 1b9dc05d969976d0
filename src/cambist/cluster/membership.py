"""The nodes that are live: each says so every second, in the database and in Redis."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic
from typing import Any, Protocol

import msgspec

from cambist.clock import utc_now
from cambist.cluster.database_link import DatabaseLink
from cambist.errors import RedisUnreachable, StoreBroken
from cambist.status.cluster_report import ClusterReport, NodeReport, answering_nodes
from cambist.status.nodes import NodeRecord, NodeRegistry, NodeStart

log = logging.getLogger(__name__)

KEY = "cambist:nodes"
_BEAT_SECONDS = 1.0
_LIVE_SECONDS = 5.0
"""A node whose report in Redis has not changed for so long counts as gone."""

_COMPARABLE = timedelta(seconds=1)
"""Clocks are compared by answers of the database that take less."""

_FORGOTTEN_SECONDS = 600.0
"""The report of a node that has been gone for so long is removed from Redis."""


class RedisCommands(Protocol):
    """The commands of Redis."""

    @property
    def is_linked(self) -> bool:
        """Whether it can be reached."""

    async def command(self, *parts: bytes | str | float) -> Any:
        """Return the answer to a command. Errors: RedisUnreachable."""


@dataclass(frozen=True, slots=True)
class MembershipCallbacks:
    """What this node does beside the others.

    `describe` returns its own report, `write` shows what is known of all to the other processes, and `give_way` is
    called when another live instance has this node's name.
    """

    describe: Callable[[], NodeReport]
    write: Callable[[ClusterReport], None]
    give_way: Callable[[NodeRecord], None]


class Membership:
    """Keeps this node among the others, and knows which of them are live.

    `answering` is the last known number of nodes that answer calls; it starts with what was known before.
    """

    def __init__(
        self,
        start: NodeStart,
        redis: RedisCommands,
        registry: tuple[DatabaseLink, Callable[[], NodeRegistry]],
        callbacks: MembershipCallbacks,
        answering: int = 1,
    ) -> None:
        self.answering = max(1, answering)
        self._start = start
        self._redis = redis
        self._database, self._registry = registry
        self._callbacks = callbacks
        self._beat = 0
        self._heard: dict[str, tuple[NodeReport, float]] = {}
        self._records: Sequence[NodeRecord] = ()
        self._linked_at: float | None = None
        self._redis_lost_at: datetime | None = None
        self._clock_ahead: float | None = None
        self._own = callbacks.describe()

    @property
    def has_wrong_clock(self) -> bool:
        """Whether the clock of this node is not that of the database."""
        return bool(self._own.wrong_clock)

    def live_nodes(self) -> tuple[NodeReport, ...]:
        """Return the reports of the live nodes, with this one, by name."""
        since = monotonic() - _LIVE_SECONDS
        others = [report for report, at in self._heard.values() if at >= since and report.name != self._start.name]
        return tuple(sorted([self._own, *others], key=lambda report: report.name))

    async def run(self) -> None:
        """Say every second that this node is live, and listen to the others, for ever."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._beat_in_database())
            group.create_task(self._beat_in_redis())

    async def _beat_in_database(self) -> None:
        while True:
            with suppress(StoreBroken):
                other = await self._database.call(self._sign)
                if other is not None:
                    self._callbacks.give_way(other)
            await asyncio.sleep(_BEAT_SECONDS)

    def _sign(self) -> NodeRecord | None:
        """Record that this node is running; return the record of another instance that has its name, if so."""
        registry = self._registry()
        other = None if registry.seen(self._start) else registry.join(self._start)
        before = utc_now()
        self._records = registry.all()
        self._compare_clocks(before, utc_now())
        return other

    def _compare_clocks(self, before: datetime, after: datetime) -> None:
        """Compare the time at which the records were read with that of the database; a slow answer says nothing."""
        own = next((record for record in self._records if record.start.instance == self._start.instance), None)
        if own is None or not timedelta() <= after - before < _COMPARABLE:
            return
        read_at = own.seen_at + own.silent
        self._clock_ahead = (before + (after - before) / 2 - read_at).total_seconds()

    async def _beat_in_redis(self) -> None:
        while True:
            self._beat += 1
            self._describe()
            try:
                await self._redis.command("HSET", KEY, self._start.name, msgspec.json.encode(self._own))
                await self._hear(await self._redis.command("HGETALL", KEY))
                self._linked_at, self._redis_lost_at = self._linked_at or monotonic(), None
            except RedisUnreachable:
                self._linked_at, self._redis_lost_at = None, self._redis_lost_at or self._own.written_at
            self._count()
            with suppress(OSError):
                self._callbacks.write(self._report())
            await asyncio.sleep(_BEAT_SECONDS)

    def _describe(self) -> None:
        """Make the report on this node, and log when its clock begins or ceases to be wrong."""
        last, own = self._own, self._callbacks.describe()
        self._own = msgspec.structs.replace(own, beat=self._beat, clock_ahead=self._clock_ahead)
        if self._own.wrong_clock and not last.wrong_clock:
            log.error("Cluster link: %s: set it, and keep it by NTP", self._own.wrong_clock)
        elif last.wrong_clock and not self._own.wrong_clock:
            log.info("Cluster link: the clock is right again")

    async def _hear(self, answer: Sequence[bytes]) -> None:
        """Take the reports of all nodes, as fields of a hash: a name, its report, the next name, and so on."""
        now = monotonic()
        for name, content in zip(answer[::2], answer[1::2], strict=True):
            try:
                report = msgspec.json.decode(content, type=NodeReport)
            except (ValueError, RecursionError):
                continue  # of a newer release
            last = self._heard.get(report.name)
            if last is None or (last[0].instance, last[0].beat) != (report.instance, report.beat):
                self._heard[report.name] = report, now
            elif now - last[1] > _FORGOTTEN_SECONDS and report.name != self._start.name:
                await self._redis.command("HDEL", KEY, name)
                del self._heard[report.name]

    def _count(self) -> None:
        """Count the nodes that answer calls: by Redis, else by the database, else as before.

        After a loss of the link all others seem to be gone until they have been heard again.
        """
        heard = sum(report.answers_calls for report in self.live_nodes())
        if self._linked_at is not None:
            has_listened = monotonic() - self._linked_at > _LIVE_SECONDS
            self.answering = max(1, heard if has_listened else max(heard, self.answering))
        elif self._database.lost_at is None and self._records:
            self.answering = max(1, answering_nodes(self._records))

    def _report(self) -> ClusterReport:
        live = self.live_nodes()
        names = {report.name for report in live}
        gone = (record.start.name for record in self._records if not record.is_live)
        return ClusterReport(
            written_at=self._own.written_at,
            node=self._start.name,
            nodes=live,
            silent=tuple(name for name in gone if name not in names),
            answering=self.answering,
            redis_lost_at=self._redis_lost_at,
            database_lost_at=self._database.lost_at,
        )
