"""The application of a worker: what is answered at once in the event loop, and the framework for all the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter_ns
from typing import Any

from cambist.accounts.would_block import WouldBlock
from cambist.api.answer.response import Header, Response
from cambist.api.call.call import CALL, Call, call_of
from cambist.api.call.settlement import Settlement
from cambist.api.direct.way import BLOCKED, DirectWay
from cambist.api.errors import refusal_response
from cambist.api.faces.json_face import JsonFace
from cambist.api.faces.receipts import PARAMETER
from cambist.api.faces.receipts.question import split_receipt
from cambist.api.faces.tables.formats import accepted_format
from cambist.api.request_bodies import RequestBodies
from cambist.api.request_metrics import Counts, counted
from cambist.api.turns import RequestTurns
from cambist.clock import WallClock
from cambist.http.connection import RECEIVED
from cambist.http.delivery import DELIVERY, AnswerDelivery, is_charged
from cambist.http.request_parser import Environ
from cambist.http.responses import date_header, encode_headers, status_line, without_request_id
from cambist.http.waiting_answers import AWAITED
from cambist.http.wsgi import Start, Wsgi

Headers = list[tuple[str, str]]

_AT_ONCE = frozenset({"GET", "HEAD"})


@dataclass(frozen=True, slots=True)
class ServingOptions:
    """How responses are served: headers of all, who gets threads and bodies, the direct way, the prefix, the counts.

    `rewrite` leads a request to the path of the dialect that it speaks, where another path or its key is in the way.
    """

    headers: Headers
    turns: RequestTurns
    bodies: RequestBodies
    direct: DirectWay
    path_prefix: str = ""
    counts: Counts | None = None
    rewrite: Callable[[Environ], None] | None = None


class WorkerApplication:
    """Answers GET and HEAD of endpoints in JSON at once where nothing takes long, and leaves the rest to the framework.

    `faces` are the endpoints by path.
    """

    def __init__(
        self,
        framework: Wsgi,
        faces: Mapping[str, JsonFace],
        settlement: Settlement,
        clock: WallClock,
        options: ServingOptions,
    ) -> None:
        self._framework = framework
        self._faces = faces
        self._settlement = settlement
        self._clock = clock
        self.turns = options.turns
        self.body_limit = options.bodies.limit
        self._direct = direct = options.direct
        self._learn, self.direct, self.settle = direct.learn, direct.answer, direct.settle
        self._headers = tuple(options.headers)
        self._prefix = options.path_prefix
        self._rewrite = options.rewrite
        self._counts = options.counts
        self._call = counted(self._call_wsgi, options.counts) if options.counts else self._call_wsgi

    def at_once(self, environ: Environ) -> bytes | None:
        """Return the response to a request, or None if it is not answered here, or only after waiting."""
        if self._direct.served:
            self.settle()  # what this answer says of limits includes the direct answers before it
        if BLOCKED in environ:
            answer = None if AWAITED in environ else self._unblocked(environ)
            if answer is not None or AWAITED in environ:
                return answer
        if self._prefix:
            self._strip_prefix(environ)
        if self._rewrite is not None:
            self._rewrite(environ)
        found = self._respond(environ)
        if found is None:
            return None
        call, response = found
        if response.status == 200 and (received := environ.get(RECEIVED)) is not None:
            self._learn(received, environ)
        if self._counts is not None:
            path, spent = environ["PATH_INFO"], perf_counter_ns() - call.started
            self._counts.end(path, response.status, spent, cached=call.is_cached)
        return _encode(response, self._headers, call.now, is_head=environ["REQUEST_METHOD"] == "HEAD")

    def _unblocked(self, environ: Environ) -> bytes | None:
        """Return the direct response to a request that has awaited something, without its identifier."""
        del environ[BLOCKED]
        answer = self.direct(environ[RECEIVED], environ)
        self.settle()
        return None if answer is None else without_request_id(answer)

    def _respond(self, environ: Environ) -> tuple[Call, Response] | None:
        """Answer a request in JSON, refusals included; None if that is not for this thread, or not for here."""
        face = self._faces.get(environ["PATH_INFO"])
        if face is None or environ["REQUEST_METHOD"] not in _AT_ONCE or _has_receipt(environ["QUERY_STRING"]):
            return None
        if face.answers.has_table and accepted_format(environ.get("HTTP_ACCEPT", "")) is not None:
            return None
        call = call_of(environ)
        if call is None:
            call = environ[CALL] = Call(environ, self._clock(), perf_counter_ns(), is_at_once=True)
        else:  # it has awaited something, and its rate was checked before
            call.now = self._clock()
        try:
            response, is_settled = face.respond(call), True
        except WouldBlock as blocked:
            self._settlement.release()
            environ[AWAITED] = blocked.is_over
            return None
        except Exception as error:  # noqa: BLE001  whatever it is, the client gets an answer that it can read
            self._settlement.release()
            response, is_settled = refusal_response(environ, error), False
            if face.answers.has_table:  # a table has parameters of its own, and so other errors
                response = _with_headers(response, [("Vary", "Accept")])
        limits = self._settlement.headers(call, is_settled=is_settled)
        return call, response if not limits else _with_headers(response, limits)

    def __call__(self, environ: Environ, start: Start) -> Iterable[bytes]:
        """Answer one request as a WSGI application."""
        if self._prefix:
            self._strip_prefix(environ)
        if self._rewrite is not None:
            self._rewrite(environ)
        return self._call(environ, start)

    def _strip_prefix(self, environ: Environ) -> None:
        """Serve the paths below the prefix like those without it."""
        path = environ["PATH_INFO"]
        if f"{path}/".startswith(f"{self._prefix}/"):
            environ["PATH_INFO"] = path.removeprefix(self._prefix) or "/"

    def _call_wsgi(self, environ: Environ, start: Start) -> Iterable[bytes]:
        if DELIVERY in environ:  # a thread of the server: what can be answered at once was
            return self._framework(environ, start)
        found = self._respond(environ)
        if found is None:
            return self._call_framework(environ, start)
        response = found[1]
        length = () if response.status == 304 else (("Content-Length", str(len(response.body))),)
        start(status_line(response.status), [*_content_type(response), *self._headers, *response.headers, *length])
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [response.body]

    def _call_framework(self, environ: Environ, start: Start) -> Iterable[bytes]:
        """Have the framework answer under another server: an answer counts as sent as soon as it is there."""
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


def _has_receipt(query: str) -> bool:
    """Return whether a query speaks of a receipt: the framework's middleware reads that, and signs."""
    return (PARAMETER in query or "%" in query) and split_receipt(query)[1] != query


def _with_headers(response: Response, more: Iterable[Header]) -> Response:
    return Response(response.status, (*response.headers, *more), response.body, response.media_type)


def _content_type(response: Response) -> tuple[Header, ...]:
    return () if response.status == 304 else (("Content-Type", response.media_type),)


def _encode(response: Response, of_all: tuple[Header, ...], now: float, *, is_head: bool) -> bytes:
    """Return a response as it is sent."""
    head = _head(response.status, of_all, response.media_type) + _encoded(response.headers) + date_header(now)
    if response.status == 304:
        return head + b"\r\n"
    body = b"" if is_head else response.body
    return b"%bcontent-length: %d\r\n\r\n%b" % (head, len(response.body), body)


@lru_cache(maxsize=64)
def _head(status: int, of_all: tuple[Header, ...], media_type: str) -> bytes:
    """Return the status line and the headers that all responses of a status have."""
    of_type = () if status == 304 else (("Content-Type", media_type),)
    return f"HTTP/1.1 {status_line(status)}\r\n".encode() + encode_headers((*of_type, *of_all))


_encoded = lru_cache(maxsize=4096)(encode_headers)
