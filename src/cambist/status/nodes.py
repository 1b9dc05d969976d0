"""The nodes of a service on several machines, as its database has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

LIVE_FOR = timedelta(seconds=10)
"""A node that has not been seen for so long counts as gone. Each node is seen every second."""


@dataclass(frozen=True, slots=True)
class NodeStart:
    """A start of a node. `instance` is new at each start, `roles` is what it runs, `version` is its release."""

    name: str
    instance: str
    roles: str
    version: str


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """A node as the database has it. Times are by the database's clock; it was seen `silent` before it was read."""

    start: NodeStart
    started_at: datetime
    seen_at: datetime
    silent: timedelta

    @property
    def is_live(self) -> bool:
        """Whether the node was seen a short time ago."""
        return self.silent < LIVE_FOR


@dataclass(frozen=True, slots=True)
class StoreVersions:
    """Numbers that change with the accounts, the plans of all nodes, and the archive."""

    accounts: int
    plans: int
    archive: int


class NodeRegistry(Protocol):
    """Stores which nodes there are. Errors: StoreBroken."""

    def join(self, start: NodeStart, previous: str = "") -> NodeRecord | None:
        """Record that a node has started; return None.

        If another live instance has the name, record nothing and return its record. The instance `previous` is not
        another one: it is the last start of the same node.
        """

    def seen(self, start: NodeStart) -> bool:
        """Record that a node is running; return whether it is recorded. It is not if another instance has its name."""

    def all(self) -> Sequence[NodeRecord]:
        """Return all nodes, by name."""

    def forget(self, name: str) -> bool:
        """Remove a node; return whether there was one."""

    def versions(self) -> StoreVersions:
        """Return the versions of what all nodes share."""

    def close(self) -> None:
        """Close all connections."""
