"""The fast path: GET requests are answered without entering the web framework, which would take longer than the answer.

It is the outermost WSGI callable. What it cannot answer (other methods, conditional requests, several API keys, unknown
paths and parameters, everything that is refused) it leaves to the framework, which begins again and writes the error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from time import perf_counter_ns
from typing import Any

from cambist.accounts.api_key import Digest, digest
from cambist.accounts.meter import Meter
from cambist.accounts.principal import Principal
from cambist.api.authentication import QUERY_NAME, Authenticator, check_history, check_tag, first_day_of
from cambist.api.compression import accepts_gzip
from cambist.api.resource import ADMITTED, RECOGNISED, REFUSED, STARTED, EndpointResource
from cambist.api.response_cache import CachedResponse, FoundResponse, RepeatedRequest, ResponseCaches
from cambist.errors import CambistError

Environ = dict[str, Any]
Start = Callable[..., Any]
Wsgi = Callable[[Environ, Start], Iterable[bytes]]
Headers = list[tuple[str, str]]

_MAX_RECOGNISED = 20_000

CACHED = "cambist.cached"
"""The key in the environ of a request that got a cached answer."""

_GZIP = ("Content-Encoding", "gzip")


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
        headers: Headers,
    ) -> None:
        self._framework = framework
        self._resources = resources
        self._caches = caches
        self._authenticator = authenticator
        self._meter = meter
        self._recognised: tuple[Mapping[Digest, Principal], dict[str, tuple[Digest, Principal]]] = ({}, {})
        self._headers = [("Content-Type", "application/json"), *headers]

    def __call__(self, environ: Environ, start: Start) -> Iterable[bytes]:
        """Answer one request."""
        started = environ[STARTED] = perf_counter_ns()
        if environ["REQUEST_METHOD"] != "GET" or "HTTP_IF_NONE_MATCH" in environ:
            return self._framework(environ, start)
        now = self._caches.clock()
        try:
            found = self._repeated(environ, now) or self._find(environ, now)
        except Exception:  # noqa: BLE001  a refusal or a failure: the framework repeats it, and writes or logs the error
            found = None
        if found is None:
            return self._framework(environ, start)
        principal, answer, headers = found
        self._meter.spend(principal, answer.endpoint, answer.cost, now)
        if principal.is_limited:
            headers = [*headers, *self._meter.headers(principal, now, quota_checked=True)]
        if answer.is_long and accepts_gzip(environ.get("HTTP_ACCEPT_ENCODING", "")):
            start("200 OK", [*headers, _GZIP])
            return [answer.compressed_body(started)]
        # The server measures the body and writes its length: a header less to hand over.
        start("200 OK", headers)
        return [answer.body(started)]

    def _repeated(self, environ: Environ, now: float) -> FoundResponse | None:
        """Return what a request like this was answered with before, if it still holds. Errors: RequestRefused."""
        found = self._caches.repeated.get(_request_of(environ))
        authenticator = self._authenticator
        if (
            found is None
            or found.responses.state is not found.state
            or found.keys is not authenticator.principals.by_digest
            or now >= found.ends
            or authenticator.failed_keys.buckets
        ):
            return None
        principal, answer, _ = found.found
        if principal.is_limited:
            self._meter.check_quota(principal, answer.cost, now)
            self._meter.check_rate(principal, now)
        environ[CACHED] = True
        return found.found

    def _find(self, environ: Environ, now: float) -> FoundResponse | None:
        """Find a cached answer or compute one. Errors: CambistError."""
        # Read before anything that the answer depends on, so that it is only kept where that is current.
        repeated, keys = self._caches.repeated, self._authenticator.principals.by_digest
        api_key, query = only_key(environ)
        resource = self._resources.get(environ["PATH_INFO"])
        principal = self.recognise(api_key, environ, now) if api_key and resource else None
        if principal is None or resource is None:
            return None
        environ[RECOGNISED] = principal, api_key if query != environ["QUERY_STRING"] else ""
        is_cut = principal.plan.history_days is not None
        today = self._meter.today(now) if is_cut else date.min
        first_day = first_day_of(principal, today) if is_cut else date.min
        key = (environ["PATH_INFO"], query, principal.book_view[1], first_day)
        responses = self._caches.for_view(principal.book_view)
        state = responses.state
        answer = state[1].get(key, now) or self._caches.immutable.get(key, now)
        if answer is None:
            if principal.is_limited:
                self._meter.check_rate(principal, now)
                environ[ADMITTED] = True
            try:
                answer = resource.compute(principal, query, key, now)
            except CambistError as error:
                environ[REFUSED] = error
                raise
            if answer is None:
                return None
            return principal, answer, [*self._headers, *answer.headers]
        self._check(principal, answer, now)
        environ[CACHED] = True
        found = principal, answer, [*self._headers, *answer.headers]
        if not is_cut:
            repeated.add(_request_of(environ), RepeatedRequest(found, responses, state, keys))
        return found

    def recognise(self, api_key: str, environ: Environ, now: float) -> Principal | None:
        """Return the principal of a working key, or None for any other. Errors: TooManyFailedKeys."""
        found = self._find_principal(api_key)
        if found is None or not found[1].is_open or now >= found[1].ends:
            return None
        hashed, principal = found
        failed_keys = self._authenticator.failed_keys
        if failed_keys.buckets:
            self._authenticator.check_failures(environ, hashed, now)
        # By the peer: to find the client's own address for each answer would cost more than it is worth.
        origin = environ.get("REMOTE_ADDR", "")
        if (origin, hashed) not in failed_keys.worked:
            failed_keys.record_success(origin, hashed)
        return principal

    def _find_principal(self, api_key: str) -> tuple[Digest, Principal] | None:
        by_digest = self._authenticator.principals.by_digest
        if self._recognised[0] is not by_digest:
            self._recognised = (by_digest, {})
        # Another thread may have replaced it; what is read here belongs together all the same.
        by_digest, recognised = self._recognised
        found = recognised.get(api_key)
        if found is None:
            hashed = digest(api_key)
            principal = by_digest.get(hashed)
            if principal is None:
                return None
            if len(recognised) >= _MAX_RECOGNISED:
                recognised.clear()
            found = recognised[api_key] = hashed, principal
        return found

    def _check(self, principal: Principal, answer: CachedResponse, now: float) -> None:
        """Refuse a cached answer that the principal may not have. Errors: RequestRefused."""
        if answer.tag not in principal.tags:
            check_tag(principal, answer.tag)
        if answer.earliest_day is not None and principal.plan.history_days is not None:
            check_history(principal, answer.earliest_day, self._meter.today(now))
        if principal.is_limited:
            self._meter.check_quota(principal, answer.cost, now)
            self._meter.check_rate(principal, now)


def without_prefix(application: Wsgi, prefix: str) -> Wsgi:
    """Wrap an application so that it serves its paths below a prefix too."""

    def answer(environ: Environ, start: Start) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if f"{path}/".startswith(f"{prefix}/"):
            environ["PATH_INFO"] = path.removeprefix(prefix) or "/"
        return application(environ, start)

    return answer if prefix else application


def _request_of(environ: Environ) -> tuple[Any, ...]:
    """Return all parts of a GET request that its answer depends on, apart from time and data."""
    return (
        environ["PATH_INFO"],
        environ["QUERY_STRING"],
        environ.get("HTTP_X_API_KEY"),
        environ.get("HTTP_AUTHORIZATION"),
        environ.get("REMOTE_ADDR"),
    )


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
