"""Spans of requests: a share of them is chosen at random, and whatever is not chosen costs a random number."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from random import random
from time import time_ns
from typing import Any

from cambist.api.worker_application import WorkerApplication
from cambist.http.request_parser import Environ
from cambist.http.responses import REQUEST_ID
from cambist.http.wsgi import Start
from cambist.redaction import without_keys

_PARENT = re.compile(r"[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?")
"""The header `traceparent` of W3C Trace Context, whose ids must not be zero."""

_ID_HEADER = b"x-request-id: "


@dataclass(frozen=True, slots=True)
class RequestSpan:
    """One answered request; times in nanoseconds since 1970. `parent` is empty if the client names none.

    `route` is the path of an endpoint, empty for any other path.
    """

    trace: bytes
    number: bytes
    parent: bytes
    method: str
    path: str
    route: str
    status: int
    request_id: str
    begun: int
    ended: int


class TracedApplication:
    """An application whose requests are traced, `share` of them; `record` takes their spans and never waits."""

    def __init__(
        self,
        application: WorkerApplication,
        share: float,
        routes: Collection[str],
        record: Callable[[RequestSpan], None],
    ) -> None:
        self._application = application
        self._share = share
        self._routes = frozenset(routes)
        self._record = record
        self._direct, self.settle = application.direct, application.settle
        self.turns = application.turns
        self.body_limit = application.body_limit

    def direct(self, received: bytes, environ: Environ | None) -> bytes | None:
        """Answer on the direct way. The query, which may have a key, is not part of a span."""
        if random() >= self._share:  # noqa: S311  nobody gains from knowing which requests are traced
            return self._direct(received, environ)
        begun = time_ns()
        answer = self._direct(received, environ)
        if answer is not None:
            path = received[4:].partition(b" ")[0].partition(b"?")[0].decode("latin-1")
            at = answer.index(_ID_HEADER) + len(_ID_HEADER)
            request_id = answer[at : answer.index(b"\r\n", at)].decode("latin-1")
            parent = environ.get("HTTP_TRACEPARENT", "") if environ else ""
            self._add(parent, "GET", path, int(answer[9:12]), request_id, begun)
        return answer

    def at_once(self, environ: Environ) -> bytes | None:
        """Answer without waiting; what has to wait is traced when a thread answers it."""
        if random() >= self._share:  # noqa: S311  as above
            return self._application.at_once(environ)
        begun = time_ns()
        answer = self._application.at_once(environ)
        if answer is not None:
            self._add_request(environ, int(answer[9:12]), begun)
        return answer

    def __call__(self, environ: Environ, start: Start) -> Iterable[bytes]:
        """Answer in a thread."""
        if random() >= self._share:  # noqa: S311  as above
            return self._application(environ, start)
        begun, status = time_ns(), 500

        def started(line: str, *more: Any) -> Any:
            nonlocal status
            status = int(line[:3])
            return start(line, *more)

        try:
            return self._application(environ, started)
        finally:
            self._add_request(environ, status, begun)

    def _add_request(self, environ: Environ, status: int, begun: int) -> None:
        parent, request_id = environ.get("HTTP_TRACEPARENT", ""), environ.get(REQUEST_ID, "")
        self._add(parent, environ["REQUEST_METHOD"], environ["PATH_INFO"], status, request_id, begun)

    def _add(self, parent: str, method: str, path: str, status: int, request_id: str, begun: int) -> None:
        found = _PARENT.fullmatch(parent)
        self._record(
            RequestSpan(
                trace=bytes.fromhex(found[1]) if found else secrets.token_bytes(16),
                number=secrets.token_bytes(8),
                parent=bytes.fromhex(found[2]) if found else b"",
                method=method,
                path=without_keys(path),
                route=path if path in self._routes else "",
                status=status,
                request_id=request_id,
                begun=begun,
                ended=time_ns(),
            )
        )
