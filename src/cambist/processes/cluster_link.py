"""The cluster link: the process of each node that talks to the other nodes through Redis. No other process does.

No process waits for it. If it is killed, the node goes on with what it has; its successor catches up.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

from cambist.cluster.redis_connection import RedisConnection
from cambist.processes.process import StopSignal, running_tasks, set_up_process, tune_gc
from cambist.settings import Settings


def link_node(settings: Settings, supervisor: int) -> None:
    """Run all parts of the link until the process should stop."""
    set_up_process(settings)
    parts = link_parts(settings)
    tune_gc()
    asyncio.run(_run(parts, StopSignal(supervisor)))


class LinkPart(Protocol):
    """A part of the link, which runs as a task in one event loop with the others."""

    async def run(self) -> None:
        """Run for ever. What cannot be reached is no error; one that is raised ends the process."""


def link_parts(settings: Settings) -> list[LinkPart]:
    """Return the parts of this node's link. Errors: SettingRefused, CannotStart."""
    redis = RedisConnection(settings.redis)
    return [redis]


async def _run(parts: list[LinkPart], stop: StopSignal) -> None:
    # The supervisor starts another process if this one ends because a part has failed.
    async with running_tasks(part.run() for part in parts) as tasks:
        await stop.wait_beside(tasks)
