"""One endpoint on Falcon: gather, decide, answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from time import perf_counter_ns
from typing import Any
from urllib.parse import unquote_plus

import falcon

from cambist.accounts.meter import Meter
from cambist.errors import BadParameter
from cambist.server.answers import Answer, KeptAnswers, Question, etag_of
from cambist.server.desk import Desk
from cambist.server.endpoint import Endpoint
from cambist.server.gate import QUERY_NAME, Gate
from cambist.server.live import OfBook
from cambist.server.params import parse_query, read
from cambist.server.render import opened
from cambist.server.subscribers import Subscriber
from cambist.server.terms import check_history, check_tag, reach_of

STARTED = "cambist.started"
"""Where the request's `perf_counter_ns` at arrival is found in its environ."""

SUBSCRIBER = "cambist.subscriber"
"""Where the subscriber is found, once the gate has let one in."""

NO_STORE = ("Cache-Control", "no-store")


class EndpointResource:
    """Answers GET and HEAD of one endpoint."""

    def __init__(self, endpoint: Endpoint[Any, Any], desk: Desk, gate: Gate, meter: Meter, closed_for: int) -> None:
        self._endpoint = endpoint
        self._desk = desk
        self._gate = gate
        self._meter = meter
        self._keep_closed = ("Cache-Control", f"private, max-age={closed_for}")

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
        live, closed = subscriber.shelf.state[1], self._desk.closed
        asked = question(environ, subscriber, self._meter.today(now))
        kept = live.get(asked) or closed.get(asked)
        answer = kept or self._made(subscriber, query, asked, now)
        is_known = answer.is_known_by(environ.get("HTTP_IF_NONE_MATCH", ""))
        cost = 0 if is_known or (kept and request.method == "HEAD") else answer.cost
        check_history(subscriber, answer.oldest, self._meter.today(now))
        self._meter.afford(subscriber, cost, now)
        self._meter.spend(subscriber, answer.endpoint, cost, now)
        _write(response, answer, environ, is_known=is_known)
        response.set_header("X-Calls-Cost", str(cost))

    on_head = on_get

    def _let_in(self, environ: dict[str, Any], query_key: str, now: float) -> Subscriber:
        subscriber = self._gate.admit(environ, query_key, now)
        environ[SUBSCRIBER] = subscriber
        self._meter.let_in(subscriber, now)
        return subscriber

    def _made(self, subscriber: Subscriber, query: Mapping[str, str], asked: Question, now: float) -> Answer:
        """Make an answer, and keep it where it will be looked for."""
        (book, live), closed = subscriber.shelf.state, self._desk.closed
        view = self._desk.view(book, now, subscriber.shelf.form)
        if subscriber.plan.history_days is not None:
            view = replace(view, reach=asked[3])
        if self._endpoint.personal:
            view = replace(view, usage=self._meter.usage(subscriber, now))
        params = read(self._endpoint.params, query)
        cost = self._endpoint.cost(view, params)
        self._meter.afford(subscriber, cost, now)
        oldest = self._endpoint.oldest(view, params)
        check_history(subscriber, oldest, view.today)
        is_closed = self._endpoint.closed(view, params)
        content = opened(self._endpoint.answer(view, params))
        etag = etag_of(content) if is_closed else ""
        charged = ("X-Calls-Cost", str(cost))
        headers = (charged, self._keep_closed, ("ETag", etag)) if is_closed else (charged, NO_STORE)
        answer = Answer(content, headers, etag, self._endpoint.path, self._endpoint.tag, cost, oldest)
        self._keep(params, asked, answer, closed if is_closed else live)
        return answer

    def _keep(self, params: Any, asked: Question, answer: Answer, shelf: KeptAnswers) -> None:
        if (answer.etag and self._endpoint.of_image) or (
            isinstance(params, OfBook) and getattr(params, "max_age", None) is None
        ):
            shelf.keep(asked, answer)


def question(environ: Mapping[str, Any], subscriber: Subscriber, today: date) -> Question:
    """Name what is asked, and on what terms, but not who asks: the key has no place in what is kept."""
    parts = environ["QUERY_STRING"].split("&")
    query = "&".join(part for part in parts if unquote_plus(part.partition("=")[0]) != QUERY_NAME)
    return environ["PATH_INFO"], query, subscriber.shelf.form, reach_of(subscriber, today)


def _write(response: falcon.Response, answer: Answer, environ: Mapping[str, Any], *, is_known: bool) -> None:
    for name, value in answer.headers:
        response.set_header(name, value)
    if is_known:
        response.status = 304
        return
    response.content_type = "application/json"
    response.data = answer.body(environ.get(STARTED) or perf_counter_ns())
