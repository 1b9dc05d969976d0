"""The plans of a service on several nodes: each change is a version, and the newest is in effect on all nodes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class PlanVersion:
    """The text of a plans file, the node on which it was put into effect, and when, by the database's clock."""

    number: int
    content: str
    node: str
    activated_at: datetime


class PlanVersions(Protocol):
    """Stores the plans of all nodes. Errors: StoreBroken."""

    def newest(self) -> PlanVersion | None:
        """Return the version in effect; None if there is none yet."""

    def newest_number(self) -> int:
        """Return the number of the version in effect; 0 if there is none yet."""

    def add(self, content: str, node: str) -> PlanVersion:
        """Put plans into effect, unless they are; return their version."""
