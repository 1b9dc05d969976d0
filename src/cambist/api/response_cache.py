"""Answers, and where they are kept: one made for the current book or a closed day is given again as it is."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from math import inf
from time import perf_counter_ns

from cambist.api.compression import MIN_COMPRESSED_BYTES, GzipPrefix, compress_prefix

Headers = list[tuple[str, str]]
Question = tuple[str, str, str, date]
"""All that an answer depends on beside book, image and moment: path, query without the key, form of times, and the
first day that the plan includes."""

_KEPT_BYTES = 20 * 1024 * 1024
_OVERHEAD = 600
"""What an answer takes in memory beside its body, roughly: keys, headers, objects."""


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A finished answer but for its `ms`; `headers` are all that depend on the answer and not on who asks.

    `is_cacheable` says whether clients may keep it; then it has an `etag`. `endpoint` is the path that it is counted
    under, `tag` the group that a plan includes or not, `cost` its calls, `oldest` the first day that it is about, if it
    is about any. `until` is when it may hold no longer, in seconds since 1970. `is_long` says whether it is compressed
    for clients that accept it.
    """

    opened: bytes
    headers: tuple[tuple[str, str], ...]
    etag: str = ""
    is_cacheable: bool = False
    endpoint: str = ""
    tag: str = ""
    cost: int = 1
    oldest: date | None = None
    until: float = inf
    is_long: bool = field(init=False)
    _compressed: list[GzipPrefix] = field(default_factory=list, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_long", len(self.opened) > MIN_COMPRESSED_BYTES)

    def body(self, started: int) -> bytes:
        """Close the body with the milliseconds since `started` (`perf_counter_ns`)."""
        return b"%b%d}" % (self.opened, (perf_counter_ns() - started) // 1_000_000)

    def compressed_body(self, started: int) -> bytes:
        """Give the body as a gzip stream; what comes before the milliseconds is compressed once."""
        if not self._compressed:  # two threads may race here: at worst both compress
            self._compressed.append(compress_prefix(self.opened))
        return self._compressed[0].finish(b"%d}" % ((perf_counter_ns() - started) // 1_000_000))

    def is_named_by(self, if_none_match: str) -> bool:
        """Say whether a client that sends `If-None-Match` has this very answer already."""
        if not self.etag or self.etag not in if_none_match:
            return False
        return self.etag in [tag.strip().removeprefix("W/") for tag in if_none_match.split(",")]


def etag_of(parts: Iterable[bytes]) -> str:
    """Make the strong validator of an answer: of its content, its `ms` left out, or of all that it is made of."""
    whole = hashlib.blake2b(digest_size=12)
    for part in parts:
        whole.update(part)
    return f'"{whole.hexdigest()}"'


class ResponseCache:
    """Answers by question, bounded in bytes, in two generations: when the young one is full it becomes the old one.

    That forgets the longest kept first, and costs a dictionary look-up more instead of bookkeeping at each reading.
    """

    def __init__(self, most_bytes: int = _KEPT_BYTES) -> None:
        self._young: dict[Question, CachedResponse] = {}
        self._old: dict[Question, CachedResponse] = {}
        self._bytes = 0
        self._most_bytes = most_bytes // 2

    def get(self, question: Question, now: float) -> CachedResponse | None:
        """Give the answer that is kept, if there is one that still holds."""
        answer = self._young.get(question) or self._old.get(question)
        return answer if answer and now < answer.until else None

    def keep(self, question: Question, answer: CachedResponse) -> None:
        """Keep an answer. Threads may race here: at worst one answer is made twice."""
        if self._bytes > self._most_bytes:
            self._old, self._young, self._bytes = self._young, {}, 0
        self._young[question] = answer
        self._bytes += len(answer.opened) + len(question[1]) + _OVERHEAD
        if answer.is_long:
            self._bytes += len(answer.opened) // 2  # it may come to be kept compressed, too

    def __len__(self) -> int:
        return len(self._young) + len(self._old)
