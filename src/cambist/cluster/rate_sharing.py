"""Rate limits over nodes: each node counts the requests that the others have admitted as if they were its own.

Ten times a second each node adds what it has newly admitted to the sums of that tenth of a second in Redis, and reads
those of the tenths that are over: as much whether there are three nodes or a hundred. What is on the way is not seen by
the others, so a burst may be admitted on each node at once; the level of the bucket is then below zero, and later
requests wait longer.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import chain
from typing import Any, Protocol

from cambist.cluster.redis_script import RedisScript
from cambist.errors import RedisUnreachable, StoreBroken

KEY = "cambist:admitted:"
"""What the keys of the sums begin with; the number of the tenth of a second follows."""

_SHARE_SECONDS = 0.1
_SHARE = RedisScript("""
local now = redis.call('TIME')
local tick = now[1] * 10 + math.floor(now[2] / 100000)
local current = KEYS[1] .. tick
for at = 2, #ARGV, 2 do redis.call('HINCRBY', current, ARGV[at], ARGV[at + 1]) end
if #ARGV > 1 then redis.call('PEXPIRE', current, 5000) end
local seen = tonumber(ARGV[1])
if seen < tick - 20 or seen > tick then seen = tick - 1 end
local over = {}
for each = seen + 1, tick - 1 do
  local sums = redis.call('HGETALL', KEYS[1] .. each)
  if #sums > 0 then over[#over + 1] = {each, sums} end
end
return {tick, over}
""")
"""Adds accounts with their requests to the sums of now, and returns those that came after the tick that was seen.

A node that begins, or was away for two seconds, gets none: what it has missed is too old.
"""


class RedisScripts(Protocol):
    """The scripts of Redis."""

    async def run_script(self, script: RedisScript, keys: Iterable[str], arguments: Iterable[Any]) -> Any:
        """Return the answer of a script. Errors: RedisUnreachable."""


class AdmittedCounters(Protocol):
    """The counters of admitted requests of a node, to which this thread adds in a writer slot of its own."""

    def newly_admitted(self) -> Mapping[int, int]:
        """Return the accounts with newly admitted requests since the last call, and their total at that call."""

    def last_admitted(self, account: int) -> int:
        """Return the total of an account as of the last call of `newly_admitted`."""

    def admit_many(self, account: int, requests: int) -> None:
        """Count requests that other nodes have admitted. Errors: StoreBroken."""


class RateSharing:
    """Adds what this node admits to the sums of all nodes, and counts what the others have added."""

    def __init__(self, redis: RedisScripts, counters: AdmittedCounters) -> None:
        self._redis = redis
        self._counters = counters
        self._counted: Counter[int] = Counter()
        self._own: dict[int, Counter[int]] = {}
        self._seen = 0

    async def run(self) -> None:
        """Share for ever."""
        self._counters.newly_admitted()
        while True:
            await asyncio.sleep(_SHARE_SECONDS)
            await self.share()

    async def share(self) -> None:
        """Add what was admitted since the last call, and count the others'. What cannot be sent is soon too old."""
        admitted = self._newly_admitted()
        arguments = [self._seen, *chain.from_iterable(admitted.items())]
        try:
            tick, over = await self._redis.run_script(_SHARE, [KEY], arguments)
        except RedisUnreachable:
            return
        self._seen = tick - 1
        self._own.setdefault(tick, Counter()).update(admitted)
        for number, sums in over:
            self._count(Counter({int(sums[at]): int(sums[at + 1]) for at in range(0, len(sums), 2)}), number)
        for number in [number for number in self._own if number < tick]:
            del self._own[number]

    def _newly_admitted(self) -> dict[int, int]:
        """Return what this node itself has admitted since the last call."""
        admitted = {}
        for account, before in self._counters.newly_admitted().items():
            own = self._counters.last_admitted(account) - before - self._counted.pop(account, 0)
            if own > 0:
                admitted[account] = own
        return admitted

    def _count(self, sums: Counter[int], tick: int) -> None:
        """Count what the other nodes have admitted in a tenth of a second."""
        for account, requests in (sums - self._own.get(tick, Counter())).items():
            with suppress(StoreBroken):  # without disk space each node knows only its own requests
                self._counters.admit_many(account, requests)
                self._counted[account] += requests
