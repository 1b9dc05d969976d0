"""What is known of the pairs that somebody watches: the newest price of each, and whether the stream is lost. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum

from cambist.errors import shown


class Direction(StrEnum):
    """Where a price went when it last moved."""

    UP = "up"
    DOWN = "down"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class WatchedPrice:
    """A pair's newest price, with its market time, and where it went."""

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
        """What lies between bid and ask."""
        return self.ask - self.bid

    def age(self, now: datetime) -> timedelta:
        """Give its age; one from a clock that is ahead is new."""
        return max(timedelta(), now - self.as_of)


@dataclass(frozen=True, slots=True)
class Lost:
    """Since when the stream is lost, and why."""

    since: datetime
    why: str


class WatchList:
    """What is known of the pairs that somebody watches, in the order in which they were named."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names: dict[str, str] = {}
        for name in names:
            self.names.setdefault(symbol_of(name), name.strip())
        self.prices: dict[str, WatchedPrice | None] = dict.fromkeys(self.names)
        self.unknown: set[str] = set()
        self.lost: Lost | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every pair that the stream knows has a price."""
        return all(price or symbol in self.unknown for symbol, price in self.prices.items())

    @property
    def has_all(self) -> bool:
        """Whether every pair that was asked for has a price."""
        return all(self.prices.values())

    def take(self, symbol: str, bid: Decimal, ask: Decimal, as_of: datetime) -> bool:
        """Take up a price; say whether it is another one than before."""
        last = self.prices.get(symbol)
        if last is not None and (last.bid, last.ask, last.as_of) == (bid, ask, as_of):
            return False
        new = WatchedPrice(bid, ask, as_of)
        self.prices[symbol] = WatchedPrice(bid, ask, as_of, _direction(last, new))
        return True

    def ignore(self, names: Iterable[str]) -> list[str]:
        """Note the pairs that the server does not know; give those that it was not known of before."""
        by_name = {shown(name): symbol for symbol, name in self.names.items()}
        new = [name for name in names if name in by_name and by_name[name] not in self.unknown]
        self.unknown |= {by_name[name] for name in new}
        return new

    def why_no_price(self, symbol: str) -> str:
        """Say why a pair has no price."""
        return "unknown pair" if symbol in self.unknown else "no fresh price yet"

    def lose(self, since: datetime, why: str) -> bool:
        """Note that the stream is lost; say whether it was not so before, for the first moment stays."""
        is_news = self.lost is None
        self.lost = Lost(since if self.lost is None else self.lost.since, why)
        return is_news

    def find(self) -> None:
        """Note that the stream is there again."""
        self.lost = None


def symbol_of(name: str) -> str:
    """Give a pair's name as the stream writes it: `eur/usd` is EURUSD."""
    return name.strip().upper().replace("/", "")


def _direction(last: WatchedPrice | None, new: WatchedPrice) -> Direction:
    if last is None:
        return Direction.NONE
    if new.mid == last.mid:
        return last.direction
    return Direction.UP if new.mid > last.mid else Direction.DOWN
