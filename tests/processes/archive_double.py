"""A double of the archive worker, for the tests of the gatherer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cambist.registry.archive_tasks import ArchiveTasks
from cambist.settings import Settings


class ArchiveHere:
    """Calls an archive in this process; `calls` counts how often."""

    def __init__(self, settings: Settings) -> None:
        self._archive = ArchiveTasks(settings)
        self.calls = 0

    async def call(self, method: Callable[..., Any], *args: Any) -> Any:
        self.calls += 1
        return method(self._archive, *args)
