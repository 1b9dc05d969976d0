"""A watch list: the newest price of each pair that is watched, and whether the stream is lost. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum

from cambist.errors import shorten


class Direction(StrEnum):
    """The direction of a price's last change."""

    UP = "up"
    DOWN = "down"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class WatchedPrice:
    """The newest price of a pair, with its market time and the direction of its last change."""

    bid: Decimal
    ask: Decimal
    as_of: datetime
    direction: Direction = Direction.NONE

    @property
    def mid(self) -> Decimal:
        """The middle of bid and ask."""
        return (self.bid + self.ask) / 2

    @property
    def spread(self) -> Decimal:
        """The difference between ask and bid."""
        return self.ask - self.bid

    def age(self, now: datetime) -> timedelta:
        """Return the price's age; zero if the server's clock is ahead of ours."""
        return max(timedelta(), now - self.as_of)


@dataclass(frozen=True, slots=True)
class Disconnection:
    """When the stream was lost, and why."""

    since: datetime
    reason: str


class WatchList:
    """The pairs that a user watches, in the user's order.

    `names` has the user's spelling of each symbol, `prices` its newest price. `disconnection` is None while the stream
    is connected.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names: dict[str, str] = {}
        for name in names:
            self.names.setdefault(_symbol(name), name.strip())
        self.prices: dict[str, WatchedPrice | None] = dict.fromkeys(self.names)
        self.unknown: set[str] = set()
        self.disconnection: Disconnection | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every pair that the server knows has a price."""
        return all(price or symbol in self.unknown for symbol, price in self.prices.items())

    @property
    def has_all_prices(self) -> bool:
        """Whether every pair has a price."""
        return all(self.prices.values())

    def update(self, symbol: str, bid: Decimal, ask: Decimal, as_of: datetime) -> bool:
        """Store a price; return whether it differs from the last one."""
        last = self.prices.get(symbol)
        if last is not None and (last.bid, last.ask, last.as_of) == (bid, ask, as_of):
            return False
        new = WatchedPrice(bid, ask, as_of)
        self.prices[symbol] = WatchedPrice(bid, ask, as_of, _direction(last, new))
        return True

    def mark_unknown(self, names: Iterable[str]) -> list[str]:
        """Mark pairs that the server does not know; return those that were not marked before."""
        by_name = {shorten(name): symbol for symbol, name in self.names.items()}
        new = [name for name in names if name in by_name and by_name[name] not in self.unknown]
        self.unknown |= {by_name[name] for name in new}
        return new

    def missing_reason(self, symbol: str) -> str:
        """Return why a pair has no price."""
        return "unknown pair" if symbol in self.unknown else "no fresh price yet"

    def mark_lost(self, since: datetime, reason: str) -> bool:
        """Mark the stream as lost; return False if it was so before. The first time stays, the newest reason counts."""
        is_first = self.disconnection is None
        self.disconnection = Disconnection(since if self.disconnection is None else self.disconnection.since, reason)
        return is_first

    def mark_connected(self) -> None:
        """Mark the stream as connected."""
        self.disconnection = None


def _symbol(name: str) -> str:
    """Return a pair's name as the stream writes it: `EURUSD` for `eur/usd`."""
    return name.strip().upper().replace("/", "")


def _direction(last: WatchedPrice | None, new: WatchedPrice) -> Direction:
    if last is None:
        return Direction.NONE
    if new.mid == last.mid:
        return last.direction
    return Direction.UP if new.mid > last.mid else Direction.DOWN
