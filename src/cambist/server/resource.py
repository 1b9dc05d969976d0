"""One endpoint on Falcon: gather, decide, answer."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter_ns
from typing import Any
from urllib.parse import unquote_plus

import falcon

from cambist.server.answers import Answer, Question, etag_of
from cambist.server.desk import Desk
from cambist.server.endpoint import Endpoint
from cambist.server.gate import QUERY_NAME, Gate
from cambist.server.live import Live
from cambist.server.params import parse_query, read
from cambist.server.render import opened
from cambist.server.view import View

STARTED = "cambist.started"
"""Where the request's `perf_counter_ns` at arrival is found in its environ."""

NO_STORE = ("Cache-Control", "no-store")


class EndpointResource:
    """Answers GET and HEAD of one endpoint."""

    def __init__(self, endpoint: Endpoint[Any, Any], desk: Desk, gate: Gate, closed_for: int) -> None:
        self._endpoint = endpoint
        self._desk = desk
        self._gate = gate
        self._keep_closed = ("Cache-Control", f"private, max-age={closed_for}")

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer, or raise what `problems` turns into an error."""
        environ = request.env
        query = parse_query(environ["QUERY_STRING"])
        self._gate.admit(environ, query.get(QUERY_NAME, "").strip())
        answer = self._answer(question(environ), query)
        _write(response, answer, environ)

    on_head = on_get

    def _answer(self, asked: Question, query: Mapping[str, str]) -> Answer:
        live, closed = self._desk.live, self._desk.closed
        kept = live.get(asked) or closed.get(asked)
        if kept is not None:
            return kept
        view = self._desk.view()
        params = read(self._endpoint.params, query)
        is_closed = self._endpoint.closed(view, params)
        answer = self._make(view, params, is_closed=is_closed)
        if is_closed:
            closed.keep(asked, answer)
        elif isinstance(params, Live) and params.max_age is None:
            live.keep(asked, answer)
        return answer

    def _make(self, view: View, params: Any, *, is_closed: bool) -> Answer:
        content = opened(self._endpoint.answer(view, params))
        cost = ("X-Calls-Cost", str(self._endpoint.cost(params)))
        if not is_closed:
            return Answer(content, (NO_STORE, cost))
        etag = etag_of(content)
        return Answer(content, (self._keep_closed, cost, ("ETag", etag)), etag)


def question(environ: Mapping[str, Any]) -> Question:
    """Name what is asked, without who asks: the key has no place in what is kept."""
    parts = environ["QUERY_STRING"].split("&")
    return environ["PATH_INFO"], "&".join(part for part in parts if unquote_plus(part.partition("=")[0]) != QUERY_NAME)


def _write(response: falcon.Response, answer: Answer, environ: Mapping[str, Any]) -> None:
    for name, value in answer.headers:
        response.set_header(name, value)
    if answer.etag and answer.is_known_by(environ.get("HTTP_IF_NONE_MATCH", "")):
        response.status = 304
        response.set_header("X-Calls-Cost", "0")
        return
    response.content_type = "application/json"
    response.data = answer.body(environ.get(STARTED) or perf_counter_ns())
