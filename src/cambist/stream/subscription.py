"""The state of a connection in the broadcaster: its subscriptions, the pairs that are pending, and its limits."""

from __future__ import annotations

from typing import Protocol

from cambist.stream.messages import StreamName

PING_INTERVAL = 20.0
"""Seconds between two pings. A client that sends nothing in this time is disconnected."""

BATCH_SIZE = 200
"""How many prices are built and written at once. Longer lists are sent in parts, after the shorter ones."""

_MAX_KEPT = 1000
_INTERVALS = {StreamName.FX: 0.0, StreamName.FX1S: 1.0}
_BOOKS_PER_SECOND = 10


class FrameWriter(Protocol):
    """Where a connection's frames go."""

    def write(self, frames: bytes) -> None:
        """Write whole frames. If the buffer is then full, `Broadcaster.pause` is called before this returns."""

    def abort(self) -> None:
        """Close the connection at once."""


class Selection:
    """A set of pairs of a stream, shared by all subscriptions to exactly these pairs."""

    __slots__ = ("stream", "subscriptions", "symbols")

    def __init__(self, stream: StreamName, symbols: tuple[str, ...]) -> None:
        self.stream = stream
        self.symbols = symbols
        self.subscriptions: set[Subscription] = set()


class Subscription:
    """What one connection has subscribed to in one stream.

    `pending` has the pairs that may have changed, each with the version of the first book that changed it. `sending`
    has the pairs that are being sent. It is the same dictionary, unless the stream has an interval.
    """

    __slots__ = ("connection", "interval", "pending", "ready_at", "selection", "sending")

    def __init__(self, connection: StreamConnection, selection: Selection) -> None:
        self.connection = connection
        self.selection = selection
        self.pending: dict[str, int] = {}
        self.interval = _INTERVALS[selection.stream]
        self.sending: dict[str, int] = {} if self.interval else self.pending
        self.ready_at = 0.0

    def due(self, now: float) -> dict[str, int]:
        """Return the pairs that may be sent now. With an interval, all pairs that changed are sent together."""
        if self.interval and not self.sending and now >= self.ready_at:
            self.sending, self.pending = self.pending, self.sending
        return self.sending


class StreamConnection:
    """One connection as the broadcaster sees it.

    `limit` is how many prices a second may be sent, and `allowance` how many of them were left at `refilled_at`.
    `subscribe_count` counts the requests to subscribe, because all prices are sent after each of them. `kept` are the
    frames that are no prices, and that wait until the connection can be written to.
    """

    __slots__ = (
        "allowance",
        "is_limited",
        "is_paused",
        "is_silent",
        "kept",
        "limit",
        "ping_at",
        "refilled_at",
        "subscribe_count",
        "subscriptions",
        "writer",
    )

    def __init__(self, writer: FrameWriter, now: float) -> None:
        self.writer = writer
        self.subscriptions: dict[StreamName, Subscription] = {}
        self.is_paused = False
        self.kept: list[bytes] = []
        self.limit = 0
        self.is_limited = False
        self.allowance, self.refilled_at, self.subscribe_count = 0.0, now, 0
        self.ping_at, self.is_silent = now + PING_INTERVAL, False

    def available(self, now: float) -> int:
        """Return how many prices may be sent now."""
        if not self.is_limited:
            return BATCH_SIZE
        self.allowance = min(self.limit, self.allowance + self.limit * max(0.0, now - self.refilled_at))
        self.refilled_at = now
        return min(BATCH_SIZE, int(self.allowance))

    def send(self, frame: bytes) -> None:
        """Write a frame, now or when the connection can be written to; drop a connection for which too many wait."""
        if not self.is_paused:
            self.writer.write(frame)
        elif len(self.kept) < _MAX_KEPT:
            self.kept.append(frame)
        else:
            self.writer.abort()

    def send_kept(self) -> None:
        """Write the frames that waited, until the connection is paused again."""
        while self.kept and not self.is_paused:
            self.writer.write(self.kept.pop(0))

    def set_limit(self, limit: int) -> None:
        """Limit the prices a second. Nothing is counted for a connection that subscribes once and has too few pairs."""
        pairs = sum(len(subscription.selection.symbols) for subscription in self.subscriptions.values())
        self.allowance = limit if self.subscribe_count <= 1 else min(self.allowance, limit)
        self.limit = limit
        self.is_limited = pairs * _BOOKS_PER_SECOND > limit or self.subscribe_count > len(StreamName)
