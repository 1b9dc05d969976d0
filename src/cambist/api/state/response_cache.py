"""The response cache: finished answers, kept for as long as what they are made from is current."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from math import inf
from time import perf_counter_ns

from cambist.accounts.principal import BookView
from cambist.api.state.compression import MIN_COMPRESSED_BYTES, GzipPrefix, compress_prefix
from cambist.clock import WallClock
from cambist.pricing.rate_book import RateBook

CacheKey = tuple[str, str, str, date]
"""What an answer depends on beside rate book, rate matrix and time: the path, the query without the API key, the
account's datetime format, and the first day that the plan includes."""

_CACHE_BYTES = 8 * 1024 * 1024
_OVERHEAD = 600
"""What an answer takes in memory beside its body, roughly: keys, headers, objects."""


@dataclass(slots=True)
class CachedResponse:
    """A finished answer without its `ms`; `headers` are those that depend on the answer and not on the principal.

    `prefix` is the body up to the value of `ms`. `is_cacheable` says whether clients may cache the answer; then it has
    an `etag`. `endpoint` is the path that it is charged under, `tag` the group that a plan must include, `cost` its
    calls, `earliest_day` the first day that it is about, if any, `edition` names what it is made from. `until` is when
    it expires, in seconds since 1970.
    No attribute changes once it is cached; it is not frozen because that would double the time to make it.
    """

    prefix: bytes
    headers: tuple[tuple[str, str], ...]
    etag: str = ""
    is_cacheable: bool = False
    endpoint: str = ""
    tag: str = ""
    cost: int = 1
    earliest_day: date | None = None
    until: float = inf
    edition: str = ""
    _compressed: GzipPrefix | None = field(default=None, compare=False, repr=False)

    @property
    def is_long(self) -> bool:
        """Whether it is compressed for clients that accept it."""
        return len(self.prefix) > MIN_COMPRESSED_BYTES

    def body(self, started: int) -> bytes:
        """Return the body with the milliseconds since `started` (`perf_counter_ns`)."""
        return b"%b%d}" % (self.prefix, (perf_counter_ns() - started) // 1_000_000)

    def compressed_body(self, started: int) -> bytes:
        """Return the body as a gzip stream; what comes before the milliseconds is compressed once."""
        if self._compressed is None:  # two threads may race here: at worst both compress
            self._compressed = compress_prefix(self.prefix)
        return self._compressed.finish(b"%d}" % ((perf_counter_ns() - started) // 1_000_000))

    def matches_etag(self, if_none_match: str) -> bool:
        """Return whether a client that sends this `If-None-Match` has this very answer."""
        if not self.etag or self.etag not in if_none_match:
            return False
        return self.etag in [tag.strip().removeprefix("W/") for tag in if_none_match.split(",")]


def etag_of(parts: Iterable[bytes]) -> str:
    """Return a strong ETag: a hash of an answer without its `ms`, or of all the data that it is made from."""
    whole = hashlib.blake2b(digest_size=12)
    for part in parts:
        whole.update(part)
    return f'"{whole.hexdigest()}"'


class ResponseCache:
    """Answers by key, bounded in bytes, in two generations: when the young one is full it becomes the old one.

    That drops the answers that were cached longest ago, and costs one more look-up instead of bookkeeping at each read.
    """

    def __init__(self, max_bytes: int = _CACHE_BYTES) -> None:
        self._young: dict[CacheKey, CachedResponse] = {}
        self._old: dict[CacheKey, CachedResponse] = {}
        self._bytes = 0
        self._max_bytes = max_bytes // 2

    def get(self, key: CacheKey, now: float) -> CachedResponse | None:
        """Return the cached answer, unless it has expired."""
        answer = self._young.get(key) or self._old.get(key)
        return answer if answer and now < answer.until else None

    def add(self, key: CacheKey, answer: CachedResponse) -> None:
        """Cache an answer. Threads may race here: at worst one answer is computed twice."""
        if self._bytes > self._max_bytes:
            self._old, self._young, self._bytes = self._young, {}, 0
        self._young[key] = answer
        self._bytes += len(answer.prefix) + len(key[1]) + _OVERHEAD
        if answer.is_long:
            self._bytes += len(answer.prefix) // 2  # it may be cached compressed, too

    def __len__(self) -> int:
        return len(self._young) + len(self._old)


@dataclass(slots=True)
class BookResponses:
    """The rate book that some principals see, and the live answers made from it.

    Both are replaced together, so an answer made from an old book can only be added where nobody reads any more; a
    thread that reads `state` needs no lock. `refresh` is the least time between two books, in seconds.
    """

    refresh: float
    state: tuple[RateBook, ResponseCache]
    shown_at: float = 0.0


class ResponseCaches:
    """All caches of a worker: live answers by book view, and those about immutable days, which all principals share."""

    def __init__(self, book: RateBook, clock: WallClock) -> None:
        self.clock = clock
        """By it answers expire, and plans see new books."""
        self._book = book
        self._published_at = clock()
        self.immutable = ResponseCache()
        self.by_view: dict[BookView, BookResponses] = {}

    def for_view(self, view: BookView) -> BookResponses:
        """Return the live answers of a book view; a new one begins with the newest book."""
        responses = self.by_view.get(view)
        if responses is None:
            new = BookResponses(view[0], (self._book, ResponseCache()), self._published_at)
            responses = self.by_view.setdefault(view, new)
        return responses

    def apply_book(self, book: RateBook, now: float) -> None:
        """Show a new book at once where every book is shown; elsewhere when it is due."""
        self._book, self._published_at = book, now
        self.tick(now)

    def tick(self, now: float) -> None:
        """Show the newest book where it is due."""
        for responses in list(self.by_view.values()):
            is_due = not 0 <= now - responses.shown_at < responses.refresh
            if responses.state[0] is not self._book and is_due:
                responses.shown_at = now
                responses.state = (self._book, ResponseCache())

    def clear(self) -> None:
        """Drop all answers: the history that they are also made from has changed."""
        self.immutable = ResponseCache()
        for responses in list(self.by_view.values()):
            responses.state = (responses.state[0], ResponseCache())
