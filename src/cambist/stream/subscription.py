"""Subscriptions: one connection to the stream, the pairs it is subscribed to, and what is still to be sent to it."""

from __future__ import annotations

from typing import Protocol

from cambist.stream.messages import StreamName

PING_INTERVAL = 20.0
"""Seconds between two pings; a client that sends nothing from one to the next is gone."""

BATCH_SIZE = 200
"""How many prices are built and written at once: a longer list goes out in parts, and shorter ones before it."""

_INTERVALS = {StreamName.FX: 0.0, StreamName.FX1S: 1.0}
_BOOKS_PER_SECOND = 10


class FrameWriter(Protocol):
    """Where a connection's frames go."""

    def write(self, frames: bytes) -> None:
        """Write whole frames; when the buffer is full, `Broadcaster.pause` is called before this returns."""

    def abort(self) -> None:
        """Drop a connection whose client is gone."""


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
    has those that are being sent: the same dictionary, except where the stream has an interval.
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
        """Return the pairs that may be sent now; with an interval, all pairs that changed during it go together."""
        if self.interval and not self.sending and now >= self.ready_at:
            self.sending, self.pending = self.pending, self.sending
        return self.sending


class StreamConnection:
    """One connection as the broadcaster sees it.

    `limit` is how many prices a second may be sent, and `allowance` how many of them were left at `refilled_at`.
    `subscribe_count` counts the requests to subscribe, because each brings all prices at once.
    """

    __slots__ = (
        "allowance",
        "is_limited",
        "is_paused",
        "is_silent",
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

    def set_limit(self, limit: int) -> None:
        """Limit the prices a second; a connection that subscribes once and can never reach the limit is not counted."""
        pairs = sum(len(subscription.selection.symbols) for subscription in self.subscriptions.values())
        self.allowance = limit if self.subscribe_count <= 1 else min(self.allowance, limit)
        self.limit = limit
        self.is_limited = pairs * _BOOKS_PER_SECOND > limit or self.subscribe_count > len(StreamName)
