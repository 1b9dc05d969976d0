"""The cluster link: the process of each node that talks to the other nodes through Redis. No other process does.

No process waits for it. If it is killed, the node goes on with what it has; its successor catches up.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from functools import partial

from cambist.cluster.book_relay import BookRelay
from cambist.cluster.file_relay import FileRelay
from cambist.cluster.link_task import LinkTask
from cambist.cluster.reach_mark import ReachMark
from cambist.cluster.redis_connection import RedisConnection
from cambist.errors import RateMatrixDamaged
from cambist.ingest.steady_clock import boot_seconds
from cambist.processes.process import StopSignal, run_in_child_beside, running_tasks, set_up_process, tune_gc
from cambist.registry.sharing.node_limits import NodeLimits
from cambist.registry.sharing.shared_state import NodeWork, SharedState, read_book_state
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings
from cambist.status.nodes import NodeRecord
from cambist.storage.data_directory import DataDirectory

log = logging.getLogger(__name__)

_REFRESH_SECONDS = 600.0


def link_node(settings: Settings, supervisor: int) -> None:
    """Run all tasks of the link until the process should stop."""
    set_up_process(settings)
    tasks = link_tasks(settings)
    tune_gc()
    asyncio.run(_run(tasks, StopSignal(supervisor)))


def link_tasks(settings: Settings) -> list[LinkTask]:
    """Return the tasks of this node's link. Errors: SettingRefused, CannotStart."""
    folder = DataDirectory(settings.data)
    redis = RedisConnection(settings.redis)
    mark = ReachMark(folder.reach_mark, boot_seconds)
    # A leader whose clock is wrong gives all nodes prices of a wrong age: for its ingest, it reaches nobody.
    books = BookRelay(folder, redis, lambda: None if state.membership.has_wrong_clock else mark.record())
    store = open_store(settings)
    limits = NodeLimits(settings, store, redis, lambda: state.membership.answering)
    work = NodeWork(
        refresh_matrix=partial(_refresh_matrix, settings),
        give_way=_give_way,
        book=read_book_state(folder, lambda: books.lag),
        leases=limits.leases_held,
    )
    state = SharedState(settings, store, redis, work)
    return [redis, books, FileRelay(folder, redis, books), *state.parts(), *limits.parts]


async def _refresh_matrix(settings: Settings) -> None:
    """Bring the rate matrix up to date in a child process, which needs much memory. Errors: RateMatrixDamaged."""
    refresh = "cambist.processes.rate_matrix_rebuild", "refresh_rate_matrix"
    if await run_in_child_beside(settings, *refresh, longest=_REFRESH_SECONDS):
        raise RateMatrixDamaged("Building it failed; the log has the reason")


def _give_way(other: NodeRecord) -> None:
    """End the service: quotas and usage of two nodes of one name would be mixed up."""
    name, version = other.start.name, other.start.version
    log.error("Another node with the name [%s] has started (Cambist %s): this one ends", name, version)
    os.kill(os.getppid(), signal.SIGTERM)


async def _run(parts: list[LinkTask], stop: StopSignal) -> None:
    # The supervisor starts another process if this one ends because a part has failed.
    async with running_tasks(part.run() for part in parts) as tasks:
        await stop.wait_beside(tasks)
