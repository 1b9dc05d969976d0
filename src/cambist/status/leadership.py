"""Which node of a service on several machines leads the ingest: it alone files fixings and publishes rate books."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class LeaderState:
    """Who leads, or led last. Times are by the database's clock, and so is whether the term has expired.

    `holder` identifies one run of an ingest process on the node. Of two leaders the later one has the higher `epoch`.
    """

    epoch: int
    node: str
    holder: str
    taken_at: datetime
    expires_at: datetime
    has_expired: bool


class Leadership(Protocol):
    """The term of the leader in the database. All methods may raise StoreBroken."""

    def take(self, node: str, holder: str, seconds: float) -> int | None:
        """Take the term for so many seconds, if nobody has it; return the epoch, or None if another holder has it.

        A holder that takes it again keeps its epoch. Every other epoch is higher than all before. When this returns
        one, no transaction of an earlier epoch can be committed any more.
        """

    def renew(self, epoch: int, holder: str, seconds: float) -> bool:
        """Hold the term for so many seconds from now; return False if another holder has taken it."""

    def release(self, epoch: int, holder: str) -> None:
        """Let another holder take the term at once; nothing happens if this one does not have it."""

    def current(self) -> LeaderState | None:
        """Return who has the term, or had it last; None if nobody ever had it."""

    def close(self) -> None:
        """Close all connections."""
