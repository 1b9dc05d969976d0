"""Rooms: what all sockets of the stream share."""

from __future__ import annotations

from typing import Protocol

from cambist.market.pair import Pair
from cambist.stream.door import Door
from cambist.stream.hub import Hub
from cambist.stream.session import State


class Rooms(Protocol):
    """What all sockets share."""

    door: Door
    hub: Hub

    def now(self) -> float:
        """Give the seconds since 1970."""

    def moment(self) -> float:
        """Give seconds of a clock that only goes forward."""

    def pairs(self, names: list[str]) -> tuple[dict[str, Pair], list[str]]:
        """Give the pairs that names stand for, by symbol, and the names of none."""

    def state(self) -> State:
        """Say whether prices flow."""

    def address(self, peer: str, forwarded: str) -> str:
        """Give the client's address."""
