"""What the process of the link runs."""

from __future__ import annotations

from typing import Protocol


class LinkTask(Protocol):
    """A task of the link, which runs in one event loop with the others."""

    async def run(self) -> None:
        """Run for ever. What cannot be reached is no error; one that is raised ends the process."""
