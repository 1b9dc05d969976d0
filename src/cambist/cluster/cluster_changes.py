"""What may change on one node and concerns all of them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import Enum, StrEnum
from typing import Protocol


class ClusterChange(StrEnum):
    """A kind of change: accounts and keys, plans, the archive, filed bars, and sources that should be asked now."""

    ACCOUNTS = "accounts"
    PLANS = "plans"
    ARCHIVE = "archive"
    BARS = "bars"
    ASKED = "asked"


class ChangeOrigin(Enum):
    """How a change became known: on this node, by a message of another node, or from the database."""

    LOCAL = 1
    REMOTE = 2
    DATABASE = 3


class LocalChanges(Protocol):
    """The notifications of changes between the processes of this node."""

    def version(self, topic: ClusterChange) -> int:
        """Return a number that differs from an earlier one if there was a change in between."""

    def notify(self, topic: ClusterChange) -> None:
        """Notify all processes of this node of a change."""


class AskedSources(Protocol):
    """Which sources operators wanted to be asked."""

    def moments(self) -> Mapping[str, datetime]:
        """Return when each source was last asked for on this node, by its key."""

    def ask(self, key: str, at: datetime) -> None:
        """Let the ingest process of this node poll a source. Errors: OSError."""
