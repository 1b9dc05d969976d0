"""The rate book over several nodes: what the leader publishes goes through Redis into the file of every node.

A book is ordered by the leader's epoch and its version. Redis and every node keep the newest book that they have seen,
and refuse older ones. Any node that has a newer book than Redis, as after Redis was emptied, stores it there again.
Redis passes on only what has changed since the leader's last book: a node that has another one takes the whole book.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from time import time

from cambist.cluster.change_watch import watch_changes
from cambist.cluster.redis_connection import RedisConnection
from cambist.cluster.redis_script import RedisScript
from cambist.errors import RateBookDamaged, RedisUnreachable
from cambist.storage.atomic_file import Unwritable
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.rate_book.buffers import EncodedBook
from cambist.storage.shared.rate_book.transfer import pack_book, pack_change, unpack_book, unpack_change
from cambist.storage.shared.rate_book_file import RateBookFile

log = logging.getLogger(__name__)

BOOK = "cambist:book"
"""The key of the newest book, and the channel of whole books: of a new leader, or when places of columns have moved."""

CHANGES = "cambist:book:changes"
"""The channel of what has changed since the leader's last book. Nodes of earlier releases do not hear it; they look
into Redis ten times a second."""

_STORE = RedisScript("""
local stored = redis.call('HMGET', KEYS[1], 'leader_epoch', 'version')
local epoch, version = tonumber(stored[1]), tonumber(stored[2])
local new_epoch, new_version = tonumber(ARGV[1]), tonumber(ARGV[2])
if epoch and version and (new_epoch < epoch or (new_epoch == epoch and new_version <= version)) then
  return {epoch, version}
end
redis.call('HSET', KEYS[1], 'leader_epoch', ARGV[1], 'version', ARGV[2], 'content', ARGV[3])
redis.call('PUBLISH', ARGV[4], ARGV[5] == '' and ARGV[3] or ARGV[5])
return {new_epoch, new_version}
""")
"""Stores and publishes a book unless there is a newer one; returns the order of the newest."""

_POLL_SECONDS = 0.1
_PATIENCE_SECONDS = 1.0
"""A book of this node's ingest process waits for Redis for so long; then it is the book of this node alone."""

_RETRY_SECONDS = 1.0
_MICROSECONDS = 1_000_000
_MOST_RECEIVED = 64
"""How many messages wait at most; whoever misses one takes the whole book."""

_NONE = (0, 0)
"""The order before the first book. An epoch of 0 has a book that no leader has published: it stays on its node."""

Order = tuple[int, int]


class BookRelay:
    """Writes the newest book into the file of this node, of which it is the only writer while the service runs.

    `lag` is how many seconds after its publication the last book was written; None before the first one. `reached` is
    called whenever Redis has answered.
    """

    def __init__(self, folder: DataDirectory, redis: RedisConnection, reached: Callable[[], object] = bool) -> None:
        folder.candidates.mkdir(mode=0o700, exist_ok=True)
        self._redis = redis
        self._reached = reached
        self._candidates = RateBookFile(folder.candidates)
        self._book_file = RateBookFile(folder.path)
        self._order = self._book_file.age_order() or _NONE
        self.lag: float | None = None
        self._candidate: Order = _NONE
        self._newest_epoch = self._order[0]
        self._received: deque[tuple[bytes, bool]] = deque(maxlen=_MOST_RECEIVED)
        self._book: EncodedBook | None = None
        self._stored: EncodedBook | None = None
        self._wake = asyncio.Event()
        self._polled_at = float("-inf")
        self._failing_since: float | None = None
        self._failing: set[str] = set()
        redis.subscribe(BOOK, partial(self._receive, is_change=False))
        redis.subscribe(CHANGES, partial(self._receive, is_change=True))

    @property
    def order(self) -> Order:
        """The leader's epoch and the version of this node's book."""
        return self._order

    @property
    def publishes(self) -> bool:
        """Whether this node's book is of its own ingest process, which then leads as far as is known here."""
        return self._candidate[0] == self._newest_epoch > 0

    async def run(self) -> None:
        """Relay books, for ever."""
        await asyncio.gather(watch_changes(self._candidates.changes, self._wake.set), self._relay())

    def _receive(self, content: bytes, *, is_change: bool) -> None:
        self._received.append((content, is_change))
        self._wake.set()

    async def _relay(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, self._polled_at + _POLL_SECONDS - loop.time())):
                    await self._wake.wait()
            self._wake.clear()
            try:
                await self._step(loop.time())
            except Unwritable as error:
                self._begin("written", "Cluster link: the rate book of this node cannot be written: %s", error)
                await asyncio.sleep(_RETRY_SECONDS)

    async def _step(self, now: float) -> None:
        """Apply the book that was received, pass on that of the ingest process, and compare with Redis when due."""
        while self._received:
            content, is_change = self._received.popleft()
            self._apply_content(content, is_change=is_change)
        await self._pass_on(now)
        if now - self._polled_at >= _POLL_SECONDS:
            self._polled_at = now
            with suppress(RedisUnreachable):
                await self._compare()
                self._reached()

    async def _pass_on(self, now: float) -> None:
        """Publish the book of this node's ingest process, unless it is not newer than what this node has."""
        self._candidate = self._candidates.age_order() or _NONE
        if self._candidate <= self._order or (book := self._candidates.encoded()) is None:
            return
        try:
            is_accepted = await self._store(book) == book.order
            self._failing_since = None
        except RedisUnreachable:
            self._failing_since = now if self._failing_since is None else self._failing_since
            is_accepted = now - self._failing_since >= _PATIENCE_SECONDS and book.order[0] >= self._newest_epoch
        if is_accepted:
            self._apply(book)

    async def _compare(self) -> None:
        """Take a newer book of Redis, or store this node's book there. Errors: RedisUnreachable, Unwritable."""
        epoch, version = await self._redis.command("HMGET", BOOK, "leader_epoch", "version")
        stored = (int(epoch), int(version)) if epoch and version else _NONE
        if stored > self._order:
            content = await self._redis.command("HGET", BOOK, "content")
            if content is not None:
                self._apply_content(content)
        elif stored < self._order and self._order[0] and (book := self._book_file.encoded()) is not None:
            await self._store(book)

    async def _store(self, book: EncodedBook) -> Order:
        """Offer a book to Redis; return the order of the newest book there then. Errors: RedisUnreachable."""
        change = None if self._stored is None else pack_change(book, self._stored)
        channel = self._redis.channel(BOOK if change is None else CHANGES)
        arguments = *book.order, pack_book(book), channel, change or b""
        epoch, version = await self._redis.run_script(_STORE, [BOOK], arguments)
        self._stored = book if (epoch, version) == book.order else None
        self._newest_epoch = max(self._newest_epoch, epoch)
        if epoch > book.order[0]:
            self._begin(
                "accepted",
                "Cluster link: a book of an earlier leader is dropped: its epoch is %d, not %d",
                book.order[0],
                epoch,
            )
        else:
            self._end("accepted")
        return epoch, version

    def _apply_content(self, content: bytes, *, is_change: bool = False) -> None:
        """Write a book that came from Redis, if it is newer than that of this node. Errors: Unwritable.

        A change of another book than that of this node has no effect: the whole book is taken when Redis is looked at.
        """
        try:
            book = self._changed(content) if is_change else unpack_book(content)
        except RateBookDamaged as error:
            self._begin("read", "Cluster link: the last book stays: %s", error)
            return
        self._end("read")
        if book is not None:
            self._apply(book)

    def _changed(self, content: bytes) -> EncodedBook | None:
        """Return the book that a change makes of that of this node; None for a change of another.

        Errors: RateBookDamaged.
        """
        return None if self._book is None else unpack_change(content, self._book)

    def _apply(self, book: EncodedBook) -> None:
        """Write a book if it is newer than that of this node. Errors: Unwritable."""
        self._newest_epoch = max(self._newest_epoch, book.order[0])
        if book.order > self._order:
            self._book_file.publish_encoded(book)
            self._order, self._book = book.order, book
            self.lag = max(0.0, time() - book.head.published_at / _MICROSECONDS)  # the clocks of two nodes may differ
            self._end("written")

    def _begin(self, failing: str, sentence: str, *values: object) -> None:
        """Log that something fails, once until it works again."""
        if failing not in self._failing:
            log.warning(sentence, *values)
        self._failing.add(failing)

    def _end(self, failing: str) -> None:
        if failing in self._failing:
            log.info("Cluster link: rate books are %s again", failing)
        self._failing.discard(failing)
