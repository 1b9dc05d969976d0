"""How far a backup or a restore is."""

from __future__ import annotations

from collections.abc import Callable

Show = Callable[[str, int, int | None], None]
"""Takes what is being done, how many units of it are done, and how many there are, if that is known."""


class Steps:
    """Adds up the steps of one part of the work."""

    def __init__(self, show: Show, what: str, total: int | None = None) -> None:
        self._show = show
        self._what = what
        self._total = total
        self._done = 0
        show(what, 0, total)

    def advance(self, units: int) -> None:
        """Say how many units more are done."""
        self._done += units
        self._show(self._what, self._done, self._total)
