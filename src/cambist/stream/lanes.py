"""Lanes: one connection of the stream and what it listens to, with what it is owed."""

from __future__ import annotations

from typing import Protocol

from cambist.stream.messages import StreamName

PING_EVERY = 20.0
"""Seconds between two pings; whoever gave no sign of life from one to the next is gone."""

AT_ONCE = 200
"""How many prices are made and written at once: a longer list goes out in parts, and shorter ones before it."""

_INTERVALS = {StreamName.FX: 0.0, StreamName.FX1S: 1.0}
_BOOKS_A_SECOND = 10


class Wire(Protocol):
    """Where a connection's frames go."""

    def write(self, frames: bytes) -> None:
        """Write whole frames; what cannot be written now calls the hub's `paused` before this returns."""

    def lost(self) -> None:
        """End a connection whose other end is gone."""


class Selection:
    """The pairs that some connections listen to in a stream, joined once for all of them."""

    __slots__ = ("lanes", "stream", "symbols")

    def __init__(self, stream: StreamName, symbols: tuple[str, ...]) -> None:
        self.stream = stream
        self.symbols = symbols
        self.lanes: set[Lane] = set()


class Lane:
    """One stream of one connection: its selection, what it is owed, and when it may get something.

    `owed` has the pairs that may have changed, each with the version of the first book that did it.
    """

    __slots__ = ("interval", "owed", "reader", "ready_at", "selection", "turn")

    def __init__(self, reader: Reader, selection: Selection) -> None:
        self.reader = reader
        self.selection = selection
        self.owed: dict[str, int] = {}
        self.interval = _INTERVALS[selection.stream]
        self.turn: dict[str, int] = {} if self.interval else self.owed
        self.ready_at = 0.0

    def begun(self, now: float) -> dict[str, int]:
        """Give what is being told of what is owed. Where there is an interval, that is one turn for all pairs of it."""
        if self.interval and not self.turn and now >= self.ready_at:
            self.turn, self.owed = self.owed, self.turn
        return self.turn


class Reader:
    """One connection, as the hub sees it.

    `limit` is how many prices a second it may get, `allowance` what is left of them at the moment `at`. `choices`
    counts how often it has chosen: each choice brings all prices at once.
    """

    __slots__ = (
        "allowance",
        "at",
        "choices",
        "is_awaited",
        "is_limited",
        "is_paused",
        "lanes",
        "limit",
        "ping_at",
        "wire",
    )

    def __init__(self, wire: Wire, now: float) -> None:
        self.wire = wire
        self.lanes: dict[StreamName, Lane] = {}
        self.is_paused = False
        self.limit = 0
        self.is_limited = False
        self.allowance, self.at, self.choices = 0.0, now, 0
        self.ping_at, self.is_awaited = now + PING_EVERY, False

    def allowed(self, now: float) -> int:
        """Give how many prices it may get now."""
        if not self.is_limited:
            return AT_ONCE
        self.allowance = min(self.limit, self.allowance + self.limit * max(0.0, now - self.at))
        self.at = now
        return min(AT_ONCE, int(self.allowance))

    def measure(self, limit: int) -> None:
        """Let it have so many prices a second. Who chooses once and could never use them up is not counted."""
        pairs = sum(len(lane.selection.symbols) for lane in self.lanes.values())
        self.allowance = limit if self.choices <= 1 else min(self.allowance, limit)
        self.limit, self.is_limited = limit, pairs * _BOOKS_A_SECOND > limit or self.choices > len(StreamName)
