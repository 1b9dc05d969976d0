"""Redis, changes and asked sources as the parts of a link see them, in memory."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from cambist.cluster.cluster_changes import ClusterChange
from cambist.cluster.rate_sharing import KEY
from cambist.cluster.redis_script import RedisScript
from cambist.errors import RedisUnreachable


class RedisDouble:
    """One Redis: what is published is handled at once by all that have subscribed; `is_linked` cuts them all off.

    Of the scripts it knows that of `RateSharing`; a tenth of a second is over when `tick` is another.
    """

    def __init__(self) -> None:
        self.is_linked = True
        self.handlers: dict[str, list[Callable[[bytes], None]]] = {}
        self.published: list[bytes] = []
        self.hashes: dict[str, dict[bytes, bytes]] = {}
        self.tick = 1000
        self.sums: dict[int, Counter[int]] = {}

    def subscribe(self, channel: str, handler: Callable[[bytes], None]) -> None:
        self.handlers.setdefault(channel, []).append(handler)

    async def publish(self, channel: str, content: bytes) -> None:
        self._check()
        self.published.append(content)
        for handler in self.handlers.get(channel, ()):
            handler(content)

    async def command(self, *parts: bytes | str | float) -> Any:
        self._check()
        name, key, *rest = parts
        found = self.hashes.setdefault(str(key), {})
        if name == "HSET":
            field, value = (part if isinstance(part, bytes) else str(part).encode() for part in rest)
            found[field] = value
            return 1
        if name == "HDEL":
            return found.pop(rest[0], None) is not None  # type: ignore[call-overload]
        assert name == "HGETALL"
        return [part for pair in found.items() for part in pair]

    async def run_script(self, script: RedisScript, keys: Iterable[str], arguments: Iterable[Any]) -> Any:
        self._check()
        assert "HINCRBY" in script.source
        assert list(keys) == [KEY]
        seen, *admitted = arguments
        for account, requests in zip(admitted[::2], admitted[1::2], strict=True):
            self.sums.setdefault(self.tick, Counter())[account] += requests
        if seen < self.tick - 20 or seen > self.tick:
            seen = self.tick - 1
        over = [number for number in range(seen + 1, self.tick) if number in self.sums]
        return [self.tick, [[number, _as_hash(self.sums[number])] for number in over]]

    def _check(self) -> None:
        if not self.is_linked:
            raise RedisUnreachable("cut off")


def _as_hash(sums: Counter[int]) -> list[bytes]:
    return [str(part).encode() for pair in sums.items() for part in pair]


class ChangesDouble:
    """The notifications of one node."""

    def __init__(self) -> None:
        self.versions = dict.fromkeys(ClusterChange, 0)

    def version(self, topic: ClusterChange) -> int:
        return self.versions[topic]

    def notify(self, topic: ClusterChange) -> None:
        self.versions[topic] += 1


class AskedDouble:
    """The sources that were asked for on one node."""

    def __init__(self, changes: ChangesDouble) -> None:
        self.at: dict[str, datetime] = {}
        self._changes = changes

    def moments(self) -> dict[str, datetime]:
        return dict(self.at)

    def ask(self, key: str, at: datetime) -> None:
        self.at[key] = at
        self._changes.notify(ClusterChange.ASKED)


async def until(condition: Callable[[], object], rounds: int = 6000) -> None:
    """Wait until a condition holds, for a minute at most."""
    for _ in range(rounds):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise TimeoutError("it did not come to that")
