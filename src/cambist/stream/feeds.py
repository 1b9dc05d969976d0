"""Streams without pairs: what happens is sent to all who have subscribed."""

from __future__ import annotations

from typing import Protocol

from cambist.accounts.principal import Principal
from cambist.stream.subscription import StreamConnection


class Feed(Protocol):
    """A stream without pairs, for plans with its `group`."""

    @property
    def group(self) -> str:
        """The group of endpoints that the plan must include."""

    @property
    def is_personal(self) -> bool:
        """Whether it is of the account alone: visitors without a key have none."""

    @property
    def since(self) -> str | int:
        """The place from which on a new subscriber gets what happens; empty before the first."""

    def subscribe(self, connection: StreamConnection, principal: Principal, since: int | None) -> None:
        """Send a connection what happens from now on, or behind a place; again after a change of its plan."""

    def unsubscribe(self, connection: StreamConnection) -> None:
        """Send a connection no more; do nothing if it gets nothing."""
