"""The front: what stands before the framework.

It knows the service's path prefix, and gives kept answers again without entering the framework: on one core that nearly
doubles the answers a second (`make bench`: W1 beside W1Q). Whatever is out of the ordinary goes the ordinary way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from time import perf_counter_ns
from typing import Any

from cambist.accounts.meter import Meter
from cambist.api.authentication import QUERY_NAME, Authenticator
from cambist.api.compression import accepts_gzip
from cambist.api.entitlements import check_history, reach_of
from cambist.api.principals import ApiPrincipal
from cambist.api.resource import STARTED
from cambist.api.response_cache import CachedResponse, Headers
from cambist.api.worker_state import WorkerState
from cambist.errors import RequestRefused

Environ = dict[str, Any]
Start = Callable[..., Any]
Wsgi = Callable[[Environ, Start], Iterable[bytes]]


KEPT = "cambist.kept"
"""What is in the environ of a request that was given a kept answer."""


class CacheMiddleware:
    """The outermost WSGI callable."""

    def __init__(
        self,
        framework: Wsgi,
        worker_state: WorkerState,
        gate: Authenticator,
        meter: Meter,
        prefix: str,
        headers: Headers,
    ) -> None:
        self._framework = framework
        self._worker_state = worker_state
        self._gate = gate
        self._meter = meter
        self._prefix = prefix
        self._headers = [("Content-Type", "application/json"), *headers]

    def __call__(self, environ: Environ, start: Start) -> Iterable[bytes]:
        """Answer one request."""
        started = environ[STARTED] = perf_counter_ns()
        path = environ["PATH_INFO"]
        if self._prefix and f"{path}/".startswith(f"{self._prefix}/"):
            environ["PATH_INFO"] = path.removeprefix(self._prefix) or "/"
        found = self._kept(environ)
        if found is None:
            return self._framework(environ, start)
        environ[KEPT] = True
        principal, answer, now = found
        self._meter.spend(principal, answer.endpoint, answer.cost, now)
        state = self._meter.headers(principal, now, quota_checked=True)
        # The server measures the body and writes its length: a header less to hand over.
        headers = [*self._headers, *answer.headers, *state]
        if answer.is_long and accepts_gzip(environ.get("HTTP_ACCEPT_ENCODING", "")):
            start("200 OK", [*headers, ("Content-Encoding", "gzip")])
            return [answer.compressed_body(started)]
        start("200 OK", headers)
        return [answer.body(started)]

    def _kept(self, environ: Environ) -> tuple[ApiPrincipal, CachedResponse, float] | None:
        """Find a kept answer for a GET by someone who is let in, whose key is outside the query.

        Whoever is refused here is refused again, and told why, by the framework.
        """
        query = environ["QUERY_STRING"]
        if environ["REQUEST_METHOD"] != "GET" or "HTTP_IF_NONE_MATCH" in environ or QUERY_NAME in query:
            return None
        now = self._worker_state.clock()
        try:
            principal = self._gate.recognise(environ, now)
            if principal is None:
                return None
            today = date.min if principal.plan.history_days is None else self._meter.today(now)
            asked = (environ["PATH_INFO"], query, principal.shelf.form_name, reach_of(principal, today))
            answer = principal.shelf.state[1].get(asked, now) or self._worker_state.closed.get(asked, now)
            if answer is None:
                return None
            if answer.tag not in principal.tags:
                return None
            if answer.oldest is not None:
                check_history(principal, answer.oldest, today)
            if principal.is_limited:
                self._meter.check_quota(principal, answer.cost, now)
                self._meter.check_rate(principal, now)
        except RequestRefused:
            return None
        return principal, answer, now
