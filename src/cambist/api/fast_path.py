"""The fast path: GET requests are answered without entering the web framework, which would take longer than the answer.

What it cannot answer (other methods, conditional requests, several API keys, unknown paths and parameters, everything
that is refused) it leaves to the framework, which begins again and writes the error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from time import perf_counter_ns
from typing import Any

from cambist.accounts.api_key import Digest, digest
from cambist.accounts.meter import Meter
from cambist.accounts.must_wait import MustWait
from cambist.accounts.principal import Principal
from cambist.api import long_answers
from cambist.api.authentication import QUERY_NAME, Authenticator, check_history, check_tag, first_day_of
from cambist.api.compression import accepts_gzip
from cambist.api.direct.way import DirectWay
from cambist.api.request_bodies import RequestBodies
from cambist.api.request_metrics import Counts, counted
from cambist.api.resource import ADMITTED, CACHED, RECOGNISED, REFUSED, STARTED, EndpointResource
from cambist.api.response_cache import CachedResponse, CacheKey, FoundResponse, RepeatedRequest, ResponseCaches
from cambist.api.tables.formats import accepted_format
from cambist.api.turns import RequestTurns
from cambist.errors import CambistError
from cambist.http.connection import RECEIVED
from cambist.http.delivery import DELIVERY, AnswerDelivery, is_charged
from cambist.http.request_parser import Environ
from cambist.http.responses import date_header, encode_headers
from cambist.http.wsgi import Start, Wsgi

Headers = list[tuple[str, str]]

_MAX_RECOGNISED = 20_000
_GZIP, _GZIP_LINE = ("Content-Encoding", "gzip"), b"content-encoding: gzip\r\n"


@dataclass(frozen=True, slots=True)
class ServingOptions:
    """How responses are served: headers of all, who gets threads, the prefix of paths, where requests are counted."""

    headers: Headers
    turns: RequestTurns
    direct: DirectWay
    path_prefix: str = ""
    counts: Counts | None = None


class FastPath:
    """Answers GET requests with one working API key at the paths of `resources`, and passes others on.

    Working keys in use are kept in memory with their principals, so that they are not hashed again for each request.
    """

    def __init__(
        self,
        framework: Wsgi,
        resources: Mapping[str, EndpointResource],
        caches: ResponseCaches,
        authenticator: Authenticator,
        meter: Meter,
        options: ServingOptions,
    ) -> None:
        self._framework = framework
        self._resources = resources
        self._caches = caches
        self._authenticator = authenticator
        self._meter = meter
        self.turns = options.turns
        self._recognised: tuple[Mapping[Digest, Principal], dict[str, Principal]] = ({}, {})
        self._headers = [("Content-Type", "application/json"), *options.headers]
        self._head = b"HTTP/1.1 200 OK\r\n" + encode_headers(self._headers)
        self._learn, self.direct = options.direct.learn, options.direct.answer
        self._prefix = options.path_prefix
        self._counts = options.counts
        self.body_limit = RequestBodies(authenticator, options.path_prefix, caches.clock).limit
        self._call = counted(self._call_wsgi, options.counts) if options.counts else self._call_wsgi

    def repeated(self, received: bytes, peer: str) -> bytes | None:
        """Return the response to a request from `peer` if the same bytes were answered before and that still holds."""
        found = self._caches.repeated.get((received, peer))
        if found is None:
            return None
        started, now = perf_counter_ns(), self._caches.clock()
        if found.keys is not self._authenticator.principals.by_digest:
            return None
        if found.responses.state[1].number != found.made_for or now >= found.ends:
            renewed = self._renew(found, now)
            if renewed is None:
                return None
            self._caches.repeated.add((received, peer), renewed)
            found = renewed
        principal, answer = found.principal, found.answer
        limits = b""
        if principal.is_limited:
            try:
                self._meter.admit(principal, answer.endpoint, answer.cost, now)
            except (CambistError, MustWait):
                self._meter.release()
                return None
            limits = encode_headers(self._meter.headers(principal, now, quota_checked=True))
        else:
            self._meter.spend(principal, answer.endpoint, answer.cost, now)
        body = answer.compressed_body(started) if found.is_compressed else answer.body(started)
        if self._counts is not None:
            self._counts.end(answer.endpoint, 200, perf_counter_ns() - started, cached=True)
        return b"%b%b%bcontent-length: %d\r\n\r\n%b" % (found.head, limits, date_header(now), len(body), body)

    def _renew(self, found: RepeatedRequest, now: float) -> RepeatedRequest | None:
        """Return a repeated request with the answer of now, if that is cached; None also if the key has ended."""
        live = found.responses.state[1]
        answer = live.get(found.key, now) or self._caches.immutable.get(found.key, now)
        # Whether the client accepts gzip was only asked for a long answer.
        if answer is None or now >= found.principal.ends or answer.is_long != found.answer.is_long:
            return None
        head = self._head + _encoded(answer.headers) + (_GZIP_LINE if found.is_compressed else b"")
        return replace(found, answer=answer, head=head, made_for=live.number)

    def at_once(self, environ: Environ) -> bytes | None:
        """Return the response to a GET request, or None if it is not answered here, or only after waiting."""
        started = environ[STARTED] = perf_counter_ns()
        environ[long_answers.IS_LONG] = False
        if self._prefix:
            self._strip_prefix(environ)
        now = self._caches.clock()
        found = self._answer(environ, now)
        if found is None:
            return None
        principal, answer, headers = found
        if (received := environ.get(RECEIVED)) is not None:
            self._learn(received, environ)
        # The headers of a plan with limits differ each time.
        head = self._head + (encode_headers(headers) if principal.is_limited else _encoded(headers))
        if _is_compressed(answer, environ):
            head, body = head + _GZIP_LINE, answer.compressed_body(started)
        else:
            body = answer.body(started)
        if self._counts is not None:
            self._counts.end(answer.endpoint, 200, perf_counter_ns() - started, cached=CACHED in environ)
        return b"%b%bcontent-length: %d\r\n\r\n%b" % (head, date_header(now), len(body), body)

    def __call__(self, environ: Environ, start: Start) -> Iterable[bytes]:
        """Answer one request as a WSGI application."""
        if self._prefix:
            self._strip_prefix(environ)
        return self._call(environ, start)

    def _strip_prefix(self, environ: Environ) -> None:
        """Serve the paths below the prefix like those without it."""
        path = environ["PATH_INFO"]
        if f"{path}/".startswith(f"{self._prefix}/"):
            environ["PATH_INFO"] = path.removeprefix(self._prefix) or "/"

    def _call_wsgi(self, environ: Environ, start: Start) -> Iterable[bytes]:
        started = environ.setdefault(STARTED, perf_counter_ns())
        # What is answered in a thread of the server is charged when it is sent, and that may not happen.
        found = None if DELIVERY in environ else self._answer(environ, self._caches.clock())
        if found is None:
            return self._call_framework(environ, start)
        _, answer, own_headers = found
        headers = [*self._headers, *own_headers]
        if _is_compressed(answer, environ):
            start("200 OK", [*headers, _GZIP])
            return [answer.compressed_body(started)]
        # The server measures the body and writes its length: a header less to hand over.
        start("200 OK", headers)
        return [answer.body(started)]

    def _call_framework(self, environ: Environ, start: Start) -> Iterable[bytes]:
        """Have the framework answer. Under another server, an answer counts as sent as soon as it is there."""
        if DELIVERY in environ:
            return self._framework(environ, start)
        delivery = environ[DELIVERY] = AnswerDelivery()
        is_sent = False

        def started(line: str, *more: Any) -> Any:
            nonlocal is_sent
            is_sent = is_charged(line)
            return start(line, *more)

        try:
            return self._framework(environ, started)
        finally:
            delivery.settle(is_sent=is_sent)

    def _answer(self, environ: Environ, now: float) -> FoundResponse | None:
        """Find or compute the answer to a request, and charge it; None if the framework has to answer."""
        if environ["REQUEST_METHOD"] != "GET" or "HTTP_IF_NONE_MATCH" in environ or REFUSED in environ:
            return None
        try:
            found = self._find(environ, now)
            if found is None:
                return None
            principal, answer, headers = found
            if not principal.is_limited:
                self._meter.spend(principal, answer.endpoint, answer.cost, now)
                return found
            self._meter.admit(principal, answer.endpoint, answer.cost, now, is_rate_checked=ADMITTED in environ)
        except Exception:  # noqa: BLE001  a refusal or a failure: the framework repeats it, and writes or logs the error
            self._meter.release()
            return None
        return principal, answer, (*headers, *self._meter.headers(principal, now, quota_checked=True))

    def _find(self, environ: Environ, now: float) -> FoundResponse | None:
        """Find a cached answer or compute one. Errors: CambistError."""
        # Read before anything that the answer depends on, so that it is only kept where that is current.
        repeated, keys = self._caches.repeated, self._authenticator.principals.by_digest
        api_key, query = only_key(environ)
        resource = self._resources.get(environ["PATH_INFO"])
        principal = self.recognise(api_key, now) if api_key and resource else None
        if principal is None or resource is None:
            return None
        if resource.has_table and accepted_format(environ.get("HTTP_ACCEPT", "")) is not None:
            return None
        environ[RECOGNISED] = principal, api_key if query != environ["QUERY_STRING"] else ""
        is_cut = principal.plan.history_days is not None
        first_day = first_day_of(principal, self._meter.today(now)) if is_cut else date.min
        key = (environ["PATH_INFO"], query, principal.book_view[1], first_day)
        responses = self._caches.for_view(principal.book_view)
        state = responses.state
        answer = state[1].get(key, now)
        answer = self._caches.immutable.get(key, now) if answer is None and resource.may_be_immutable else answer
        if answer is None:
            answer = self._compute(environ, resource, principal, key, now)
            return None if answer is None else (principal, answer, answer.headers)
        self._check(principal, answer, now)
        if len(answer.prefix) > long_answers.MOST_BYTES_AT_ONCE:
            long_answers.leave_to_thread(environ)
        environ[CACHED] = True
        received = environ.get(RECEIVED)
        if received is not None and not is_cut:
            head, is_compressed = self._head + _encoded(answer.headers), _is_compressed(answer, environ)
            head += _GZIP_LINE if is_compressed else b""
            made_for = state[1].number
            found = RepeatedRequest(principal, answer, head, key, responses, made_for, keys, is_compressed)
            repeated.add((received, environ["REMOTE_ADDR"]), found)
        return principal, answer, answer.headers

    def _compute(
        self, environ: Environ, resource: EndpointResource, principal: Principal, key: CacheKey, now: float
    ) -> CachedResponse | None:
        """Compute an answer; None if the request has parameters that are not known. Errors: CambistError."""
        if principal.is_limited and ADMITTED not in environ:
            self._meter.check_rate(principal, now)
            environ[ADMITTED] = True
        try:
            return resource.compute(principal, key[1], key, now, environ)
        except CambistError as error:
            environ[REFUSED] = error
            raise

    def recognise(self, api_key: str, now: float) -> Principal | None:
        """Return the principal of a working key, or None for any other."""
        found = self._find_principal(api_key)
        return None if found is None or not found.is_open or now >= found.ends else found

    def _find_principal(self, api_key: str) -> Principal | None:
        by_digest = self._authenticator.principals.by_digest
        if self._recognised[0] is not by_digest:
            self._recognised = (by_digest, {})
        # Another thread may have replaced it; what is read here belongs together all the same.
        by_digest, recognised = self._recognised
        found = recognised.get(api_key)
        if found is None:
            found = by_digest.get(digest(api_key))
            if found is None:
                return None
            if len(recognised) >= _MAX_RECOGNISED:
                recognised.clear()
            recognised[api_key] = found
        return found

    def _check(self, principal: Principal, answer: CachedResponse, now: float) -> None:
        """Refuse a cached answer that the principal may not have. Errors: RequestRefused."""
        if answer.tag not in principal.tags:
            check_tag(principal, answer.tag)
        if answer.earliest_day is not None and principal.plan.history_days is not None:
            check_history(principal, answer.earliest_day, self._meter.today(now))


_encoded = lru_cache(maxsize=4096)(encode_headers)


def _is_compressed(answer: CachedResponse, environ: Environ) -> bool:
    return answer.is_long and accepts_gzip(environ.get("HTTP_ACCEPT_ENCODING", ""))


def only_key(environ: Environ) -> tuple[str, str]:
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
