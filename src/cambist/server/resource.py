"""One endpoint on Falcon: gather, decide, answer."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from datetime import date
from math import inf
from time import perf_counter_ns
from typing import Any
from urllib.parse import unquote_plus

import falcon

from cambist.accounts.meter import Meter
from cambist.errors import BadParameter
from cambist.server.answers import Answer, KeptAnswers, Question
from cambist.server.compression import accepts_gzip
from cambist.server.desk import Desk
from cambist.server.endpoint import Endpoint
from cambist.server.gate import QUERY_NAME, Gate
from cambist.server.live import OfBook
from cambist.server.making import Maker
from cambist.server.params import declared, parse_query, read
from cambist.server.subscribers import Subscriber
from cambist.server.terms import check_history, check_tag, reach_of
from cambist.server.unknown import HEADER as IGNORED
from cambist.server.unknown import Unknown, written
from cambist.server.view import View

STARTED = "cambist.started"
"""Where the request's `perf_counter_ns` at arrival is found in its environ."""

SUBSCRIBER = "cambist.subscriber"
"""Where the subscriber is found, once the gate has let one in."""


class EndpointResource:
    """Answers GET and HEAD of one endpoint."""

    def __init__(
        self, endpoint: Endpoint[Any, Any], desk: Desk, gate: Gate, meter: Meter, maker: Maker, unknown: Unknown
    ) -> None:
        self._endpoint = endpoint
        self._known = {param.name for param in declared(endpoint.params).values()}
        self._desk = desk
        self._gate = gate
        self._meter = meter
        self._maker = maker
        self._unknown = unknown

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer, or raise what `problems` turns into an error."""
        environ, now = request.env, self._desk.clock()
        try:
            query = parse_query(environ["QUERY_STRING"])
        except BadParameter:
            self._let_in(environ, "", now)  # whose key is in a header is known all the same
            raise
        subscriber = self._let_in(environ, query.get(QUERY_NAME, "").strip(), now)
        check_tag(subscriber, self._endpoint.tag)
        if ignored := self._unknown.ignored(query):
            response.set_header(IGNORED, written(ignored))
        call = self._call(environ, subscriber, read(self._endpoint.params, query), now)
        found = self._found(call) or self._maker.outline(call.view, call.params)
        check_history(subscriber, found.oldest, call.view.today)
        answer, cost = self._priced(call, found)
        self._meter.afford(subscriber, cost, now)
        self._meter.spend(subscriber, answer.endpoint, cost, now)
        _write(response, answer, environ)
        response.set_header("X-Calls-Cost", str(cost))

    on_head = on_get

    def _let_in(self, environ: dict[str, Any], query_key: str, now: float) -> Subscriber:
        subscriber = self._gate.admit(environ, query_key, now)
        environ[SUBSCRIBER] = subscriber
        self._meter.let_in(subscriber, now)
        return subscriber

    def _call(self, environ: dict[str, Any], subscriber: Subscriber, params: Any, now: float) -> _Call:
        (book, live), closed = subscriber.shelf.state, self._desk.closed
        asked = question(environ, self._known, subscriber, self._meter.today(now))
        view = self._desk.view(book, now, subscriber.shelf.form)
        if asked[3] != view.reach:
            view = replace(view, reach=asked[3])
        if self._endpoint.personal:
            view = replace(view, usage=self._meter.usage(subscriber, now))
        return _Call(subscriber, asked, now, params, view, live, closed, environ.get("HTTP_IF_NONE_MATCH", "").strip())

    def _found(self, call: _Call) -> Answer | None:
        return call.live.get(call.asked, call.now) or call.closed.get(call.asked, call.now)

    def _priced(self, call: _Call, found: Answer) -> tuple[Answer, int]:
        """Give the answer and its cost, which never depends on what is kept: nothing where the client names its ETag.

        Whoever names one may have the answer already, and need not afford it before that is known.
        """
        if found.is_named_by(call.condition):
            return found, 0
        if found.etag or not found.is_cacheable or call.condition in ("", "*"):
            self._meter.afford(call.subscriber, found.cost, call.now)
        answer = found if found.opened else self._made(call, found)
        return answer, 0 if answer.is_named_by(call.condition) else answer.cost

    def _made(self, call: _Call, outline: Answer) -> Answer:
        """Make an answer, and keep it where it will be looked for."""
        answer = self._maker.complete(outline, call.view, call.params)
        if answer.until == inf and self._endpoint.of_image:
            call.closed.keep(call.asked, answer)
        elif isinstance(call.params, OfBook):
            call.live.keep(call.asked, answer)
        return answer


@dataclass(frozen=True, slots=True)
class _Call:
    """One request that was let in: what is asked by whom, what is seen, where answers to it are kept."""

    subscriber: Subscriber
    asked: Question
    now: float
    params: Any
    view: View
    live: KeptAnswers
    closed: KeptAnswers
    condition: str


def question(environ: Mapping[str, Any], known: Container[str], subscriber: Subscriber, today: date) -> Question:
    """Name what is asked, and on what terms: unknown parameters and the key have no place in what is kept."""
    parts = environ["QUERY_STRING"].split("&")
    query = "&".join(part for part in parts if unquote_plus(part.partition("=")[0]) in known)
    return environ["PATH_INFO"], query, subscriber.shelf.form, reach_of(subscriber, today)


def _write(response: falcon.Response, answer: Answer, environ: Mapping[str, Any]) -> None:
    for name, value in answer.headers:
        response.append_header(name, value)
    condition = environ.get("HTTP_IF_NONE_MATCH", "").strip()
    if answer.is_named_by(condition) or (answer.etag and condition == "*"):
        response.status = 304
        return
    response.content_type = "application/json"
    started = environ.get(STARTED) or perf_counter_ns()
    if answer.is_long and accepts_gzip(environ.get("HTTP_ACCEPT_ENCODING", "")):
        response.set_header("Content-Encoding", "gzip")
        response.data = answer.compressed_body(started)
    else:
        response.data = answer.body(started)
