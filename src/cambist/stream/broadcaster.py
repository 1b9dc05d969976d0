"""The broadcaster: it keeps the subscriptions of all connections, and sends them the prices that change.

For each subscription it keeps the set of pairs that are pending, never a queue of prices. When the connection can be
written to, it sends the newest price of each of these pairs. So a slow client gets fewer prices, but never old ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from cambist.pricing.pair import Pair
from cambist.pricing.rate_book import RateBook
from cambist.stream.messages import PING_FRAME, StreamName
from cambist.stream.prices import Prices
from cambist.stream.subscription import BATCH_SIZE, PING_INTERVAL, Selection, StreamConnection, Subscription

# Work is measured in writes. After this many of them, the event loop may run something else.
_WRITES_PER_TURN = 200
_WRITES_PER_BUILT_FRAME = 4
_MARKED_PAIRS_PER_WRITE = 100


class Broadcaster:
    """Sends prices to all connections. Times are seconds of a monotonic clock.

    `is_behind` is True if `flush_all` has left something that could be sent at once. `prices_sent` and
    `connections_lost` are totals; a connection is lost if its client no longer answers pings.
    """

    def __init__(self, prices: Prices) -> None:
        self._prices = prices
        self._selections: dict[tuple[StreamName, tuple[str, ...]], Selection] = {}
        self._subscriber_counts: dict[str, int] = {}
        self._connections: set[StreamConnection] = set()
        self._unflushed: dict[Subscription, None] = {}
        self.is_behind = False
        self.prices_sent = 0
        self.connections_lost = 0

    @property
    def connection_count(self) -> int:
        """How many connections there are."""
        return len(self._connections)

    @property
    def pair_count(self) -> int:
        """How many pairs have a subscriber."""
        return len(self._subscriber_counts)

    def add(self, connection: StreamConnection) -> None:
        """Add a connection, which has no subscription yet."""
        self._connections.add(connection)

    def remove(self, connection: StreamConnection) -> None:
        """Remove a connection and its subscriptions; do nothing if it was removed before."""
        self._connections.discard(connection)
        for stream in list(connection.subscriptions):
            self._unsubscribe(connection, stream)

    def subscribe(
        self, connection: StreamConnection, stream: StreamName, pairs: Mapping[str, Pair], limit: int
    ) -> None:
        """Subscribe a connection to these pairs of a stream and no others; all their prices are pending at once."""
        self._replace(connection, stream, pairs, dict.fromkeys(pairs, 0))
        connection.subscribe_count += 1
        connection.set_limit(limit)

    def keep_only(
        self, connection: StreamConnection, stream: StreamName, pairs: Mapping[str, Pair], limit: int
    ) -> None:
        """Unsubscribe a connection from all pairs of a stream but these; what is pending for them stays pending."""
        before = connection.subscriptions.get(stream)
        pending = {} if before is None else {**before.pending, **before.sending}
        self._replace(connection, stream, pairs, {symbol: pending[symbol] for symbol in pairs if symbol in pending})
        connection.set_limit(limit)

    def _replace(
        self, connection: StreamConnection, stream: StreamName, pairs: Mapping[str, Pair], pending: Mapping[str, int]
    ) -> None:
        before = connection.subscriptions.get(stream)
        self._prices.track(pairs)
        for symbol in pairs:
            self._subscriber_counts[symbol] = self._subscriber_counts.get(symbol, 0) + 1
        if before is not None:
            self._unsubscribe(connection, stream)
        if pairs:
            selection = self._selection(stream, tuple(sorted(pairs)))
            subscription = connection.subscriptions[stream] = Subscription(connection, selection)
            if before is not None:  # subscribing again must not shorten the stream's interval
                subscription.ready_at = before.ready_at
            selection.subscriptions.add(subscription)
            subscription.pending.update(pending)
            if pending:
                self._unflushed[subscription] = None

    def publish(self, book: RateBook) -> Iterator[None]:
        """Send the prices that a new book changes. After each step the event loop may run something else."""
        changed = self._prices.update(book)
        if not changed:
            return
        frames: dict[str, bytes] = {}
        writes = 0
        for selection in list(self._selections.values()):
            if len(selection.symbols) > BATCH_SIZE:
                writes += self._mark_pending(selection, changed.intersection(selection.symbols), book.version)
            else:
                writes += self._send_changed(selection, changed, frames, book.version)
            if writes >= _WRITES_PER_TURN:
                writes = 0
                yield

    def _send_changed(self, selection: Selection, changed: set[str], frames: dict[str, bytes], version: int) -> int:
        """Build the missing frames of a selection, and send them; return the work done, in writes."""
        due, writes = [], 0
        for symbol in selection.symbols:
            if symbol in changed:
                if symbol not in frames:
                    frames[symbol] = self._prices.changed_frame(symbol, version)
                    writes += _WRITES_PER_BUILT_FRAME
                if frames[symbol]:
                    due.append(symbol)
        if due:
            writes += self._send(selection, due, b"".join([frames[symbol] for symbol in due]), version)
        return writes

    def _send(self, selection: Selection, due: list[str], joined: bytes, version: int) -> int:
        """Write frames to all subscribers that can get them now, mark them pending for others; return the writes."""
        is_immediate, written = selection.stream is StreamName.FX, 0
        for subscription in tuple(selection.subscriptions):
            connection = subscription.connection
            if is_immediate and not (subscription.pending or connection.is_paused or connection.is_limited):
                connection.writer.write(joined)
                written += 1
            else:
                for symbol in due:
                    subscription.pending.setdefault(symbol, version)
                self._unflushed[subscription] = None
        self.prices_sent += written * len(due)
        return len(selection.subscriptions)

    def _mark_pending(self, selection: Selection, symbols: Iterable[str], version: int) -> int:
        """Mark pairs of a long selection as pending; frames are built when they are sent. Return the writes."""
        due = list(symbols)
        for subscription in selection.subscriptions if due else ():
            for symbol in due:
                subscription.pending.setdefault(symbol, version)
            self._unflushed[subscription] = None
        return len(selection.subscriptions) * len(due) // _MARKED_PAIRS_PER_WRITE

    def flush_all(self, now: float) -> Iterator[None]:
        """Send what is pending to all connections that can be written to, in steps as `publish` does."""
        self.is_behind, writes = False, 0
        for subscription in tuple(self._unflushed):
            writes += 1 + self._flush(subscription, now)
            if writes >= _WRITES_PER_TURN:
                writes = 0
                yield

    def flush(self, connection: StreamConnection, now: float) -> None:
        """Send what is pending to a connection, as far as it can be written to."""
        for subscription in tuple(connection.subscriptions.values()):
            if subscription.pending or subscription.sending:
                self._flush(subscription, now)

    def pause(self, connection: StreamConnection) -> None:
        """Stop sending to a connection, because its write buffer is full."""
        connection.is_paused = True

    def resume(self, connection: StreamConnection, now: float) -> None:
        """Send to a connection again, beginning with what is pending."""
        connection.is_paused, connection.is_silent = False, False
        connection.send_kept()
        self.flush(connection, now)

    def mark_alive(self, connection: StreamConnection) -> None:
        """Note that the client has sent something."""
        connection.is_silent = False

    def ping(self, now: float) -> None:
        """Ping the clients whose ping is due, and drop those that have sent nothing since the last one."""
        for connection in tuple(self._connections):
            if now < connection.ping_at:
                continue
            if connection.is_silent:
                self.connections_lost += 1
                connection.writer.abort()
                continue
            connection.ping_at, connection.is_silent = now + PING_INTERVAL, True
            connection.writer.write(PING_FRAME)

    def _flush(self, subscription: Subscription, now: float) -> int:
        """Send the newest prices of pending pairs, the longest pending first; return how many pairs were handled."""
        connection = subscription.connection
        self._unflushed.pop(subscription, None)
        if connection.is_paused:
            return 0  # `resume` flushes it
        sending = subscription.due(now)
        count = connection.available(now) if sending else 0
        batch = list(islice(sending.items(), count))
        for symbol, _ in batch:
            del sending[symbol]
            subscription.pending.pop(symbol, None)  # what is sent is the newest
        if batch and not sending:
            subscription.ready_at = now + subscription.interval
        if sending or subscription.pending:
            self._unflushed[subscription] = None  # at the end of the queue
            self.is_behind = self.is_behind or count == BATCH_SIZE
        frames = [frame for symbol, since in batch if (frame := self._prices.fresh_frame(symbol, since))]
        if frames:
            connection.allowance -= len(frames)
            self.prices_sent += len(frames)
            connection.writer.write(b"".join(frames))
        return len(batch)

    def _unsubscribe(self, connection: StreamConnection, stream: StreamName) -> None:
        subscription = connection.subscriptions.pop(stream)
        self._unflushed.pop(subscription, None)
        subscription.pending.clear()
        subscription.sending.clear()
        selection = subscription.selection
        selection.subscriptions.discard(subscription)
        if not selection.subscriptions:
            self._selections.pop((stream, selection.symbols), None)
        self._untrack(selection.symbols)

    def _untrack(self, symbols: Iterable[str]) -> None:
        """Subtract one subscriber of each pair, and stop pricing pairs that have none left."""
        unused = []
        for symbol in symbols:
            self._subscriber_counts[symbol] -= 1
            if not self._subscriber_counts[symbol]:
                del self._subscriber_counts[symbol]
                unused.append(symbol)
        self._prices.untrack(unused)

    def _selection(self, stream: StreamName, symbols: tuple[str, ...]) -> Selection:
        key = (stream, symbols)
        if key not in self._selections:
            self._selections[key] = Selection(stream, symbols)
        return self._selections[key]
