"""The response cache: finished answers, where they are kept, and the middleware that returns them.

The middleware is the outermost WSGI callable. It returns a cached answer without entering the framework, which nearly
doubles the answers a second on one core (`make bench`: W1 beside W1Q). All other requests take the ordinary way.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date
from math import inf
from time import perf_counter_ns
from typing import Any

from cambist.accounts.api_key import digest
from cambist.accounts.meter import Meter
from cambist.accounts.principal import BookView, Principal
from cambist.api.authentication import QUERY_NAME, Authenticator, check_history, first_day_of
from cambist.api.compression import MIN_COMPRESSED_BYTES, GzipPrefix, accepts_gzip, compress_prefix
from cambist.clock import WallClock
from cambist.errors import RequestRefused
from cambist.pricing.rate_book import RateBook

Environ = dict[str, Any]
Start = Callable[..., Any]
Wsgi = Callable[[Environ, Start], Iterable[bytes]]
Headers = list[tuple[str, str]]
CacheKey = tuple[str, str, str, date]
"""What an answer depends on beside rate book, rate matrix and time: the path, the query without the API key, the
account's datetime format, and the first day that the plan includes."""

STARTED = "cambist.started"
"""The key in the environ of the `perf_counter_ns` at which the request arrived."""

RECOGNISED = "cambist.recognised"
"""The key in the environ of the principal that the middleware has found, with its API key if that is in the query."""

CACHED = "cambist.cached"
"""The key in the environ of a request that got a cached answer."""

_CACHE_BYTES = 20 * 1024 * 1024
_OVERHEAD = 600
"""What an answer takes in memory beside its body, roughly: keys, headers, objects."""


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A finished answer without its `ms`; `headers` are those that depend on the answer and not on the principal.

    `prefix` is the body up to the value of `ms`. `is_cacheable` says whether clients may cache the answer; then it has
    an `etag`. `endpoint` is the path that it is charged under, `tag` the group that a plan must include, `cost` its
    calls, `earliest_day` the first day that it is about, if any. `until` is when it expires, in seconds since 1970.
    `is_long` says whether it is compressed for clients that accept it.
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
    is_long: bool = field(init=False)
    _compressed: list[GzipPrefix] = field(default_factory=list, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_long", len(self.prefix) > MIN_COMPRESSED_BYTES)

    def body(self, started: int) -> bytes:
        """Return the body with the milliseconds since `started` (`perf_counter_ns`)."""
        return b"%b%d}" % (self.prefix, (perf_counter_ns() - started) // 1_000_000)

    def compressed_body(self, started: int) -> bytes:
        """Return the body as a gzip stream; what comes before the milliseconds is compressed once."""
        if not self._compressed:  # two threads may race here: at worst both compress
            self._compressed.append(compress_prefix(self.prefix))
        return self._compressed[0].finish(b"%d}" % ((perf_counter_ns() - started) // 1_000_000))

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
        """Drop all answers: the rate matrix, which they are also made from, has been replaced."""
        self.immutable = ResponseCache()
        for responses in list(self.by_view.values()):
            responses.state = (responses.state[0], ResponseCache())


class CacheMiddleware:
    """The outermost WSGI callable: removes the service's path prefix, and returns cached answers."""

    def __init__(
        self,
        framework: Wsgi,
        caches: ResponseCaches,
        authenticator: Authenticator,
        meter: Meter,
        prefix: str,
        headers: Headers,
    ) -> None:
        self._framework = framework
        self._caches = caches
        self._authenticator = authenticator
        self._meter = meter
        self._prefix = prefix
        self._headers = [("Content-Type", "application/json"), *headers]

    def __call__(self, environ: Environ, start: Start) -> Iterable[bytes]:
        """Answer one request."""
        started = environ[STARTED] = perf_counter_ns()
        path = environ["PATH_INFO"]
        if self._prefix and f"{path}/".startswith(f"{self._prefix}/"):
            environ["PATH_INFO"] = path.removeprefix(self._prefix) or "/"
        found = self._find(environ)
        if found is None:
            return self._framework(environ, start)
        environ[CACHED] = True
        principal, answer, now = found
        self._meter.spend(principal, answer.endpoint, answer.cost, now)
        # The server measures the body and writes its length: a header less to hand over.
        headers = [*self._headers, *answer.headers]
        if principal.is_limited:
            headers += self._meter.headers(principal, now, quota_checked=True)
        if answer.is_long and accepts_gzip(environ.get("HTTP_ACCEPT_ENCODING", "")):
            start("200 OK", [*headers, ("Content-Encoding", "gzip")])
            return [answer.compressed_body(started)]
        start("200 OK", headers)
        return [answer.body(started)]

    def _find(self, environ: Environ) -> tuple[Principal, CachedResponse, float] | None:
        """Return a cached answer for a GET with one API key, unless the principal may not have it.

        A request that is refused here is refused again in the framework, which writes the error.
        """
        if environ["REQUEST_METHOD"] != "GET" or "HTTP_IF_NONE_MATCH" in environ:
            return None
        api_key, query = _only_key(environ)
        now = self._caches.clock()
        try:
            principal = self._recognise(api_key, environ, now) if api_key else None
            if principal is None:
                return None
            environ[RECOGNISED] = principal, api_key if query != environ["QUERY_STRING"] else ""
            is_cut = principal.plan.history_days is not None
            today = self._meter.today(now) if is_cut else date.min
            first_day = first_day_of(principal, today) if is_cut else date.min
            key = (environ["PATH_INFO"], query, principal.book_view[1], first_day)
            live = self._caches.for_view(principal.book_view).state[1]
            answer = live.get(key, now) or self._caches.immutable.get(key, now)
            if answer is None or answer.tag not in principal.tags:
                return None
            if is_cut and answer.earliest_day is not None:
                check_history(principal, answer.earliest_day, today)
            if principal.is_limited:
                self._meter.check_quota(principal, answer.cost, now)
                self._meter.check_rate(principal, now)
        except RequestRefused:
            return None
        return principal, answer, now

    def _recognise(self, api_key: str, environ: Environ, now: float) -> Principal | None:
        """Return the principal of a working key, or None for any other. Errors: TooManyFailedKeys."""
        hashed = digest(api_key)
        principal = self._authenticator.principals.by_digest.get(hashed)
        if principal is None or not principal.is_open or now >= principal.ends:
            return None
        failed_keys = self._authenticator.failed_keys
        if failed_keys.buckets:
            self._authenticator.check_failures(environ, hashed, now)
        # By the peer: to find the client's own address for each answer would cost more than it is worth.
        origin = environ.get("REMOTE_ADDR", "")
        if (origin, hashed) not in failed_keys.worked:
            failed_keys.record_success(origin, hashed)
        return principal


def _only_key(environ: Environ) -> tuple[str, str]:
    """Return the only API key of a request, and the query without it. Where there may be others, the key is empty."""
    query = environ["QUERY_STRING"]
    header, authorization = environ.get("HTTP_X_API_KEY"), environ.get("HTTP_AUTHORIZATION")
    if QUERY_NAME not in query:
        if authorization is None:
            return (header or "").strip(), query
        scheme, _, text = authorization.partition(" ")
        return ("" if header or scheme.lower() != "bearer" else text.strip()), query
    before, _, after = query.partition(f"{QUERY_NAME}=")
    api_key, _, rest = after.partition("&")
    is_only = not (header or authorization or QUERY_NAME in rest or (before and before[-1] != "&"))
    return (api_key if is_only else ""), (before + rest if rest else before[:-1])
