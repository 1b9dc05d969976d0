"""The trace of a simulation: each event is a line, and all lines together have a SHA-256."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime


class Trace:
    """The events so far. Two runs of one scenario have the same trace, whatever the machine."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self.lines: list[str] = []

    def add(self, event: str) -> None:
        """Add an event at the virtual time."""
        self.lines.append(f"{self._now().isoformat(timespec='microseconds')} {event}")

    @property
    def digest(self) -> str:
        """The SHA-256 of all lines."""
        return hashlib.sha256("\n".join(self.lines).encode()).hexdigest()
