"""A double of the archive worker, which works in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cambist.registry.archiving.archive_tasks import ArchiveTasks
from cambist.settings import Settings


class ArchiveHere:
    """Runs archive tasks in this process; `calls` counts them."""

    def __init__(self, settings: Settings) -> None:
        self._tasks = ArchiveTasks(settings)
        self.calls = 0

    async def call(self, method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        self.calls += 1
        return method(self._tasks, *args, **kwargs)
