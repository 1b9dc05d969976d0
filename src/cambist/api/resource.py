"""One endpoint on Falcon: gather, decide, answer."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from datetime import date
from math import inf
from time import perf_counter_ns
from typing import Any
from urllib.parse import unquote_plus

import falcon

from cambist.accounts.meter import Meter
from cambist.api.authentication import QUERY_NAME, Authenticator
from cambist.api.compression import accepts_gzip
from cambist.api.endpoint import Endpoint
from cambist.api.entitlements import check_history, check_tag, reach_of
from cambist.api.freshness_parameters import BookParameters
from cambist.api.parameters import declared_params, parse_query, read_params
from cambist.api.principals import ApiPrincipal
from cambist.api.request_context import RequestContext
from cambist.api.response_builder import ResponseBuilder
from cambist.api.response_cache import CachedResponse, Question
from cambist.api.unknown_parameters import IGNORED_HEADER, UnknownParameters, ignored_header_value
from cambist.api.worker_state import WorkerState
from cambist.errors import BadParameter
from cambist.pricing.rate_book import RateBook

STARTED = "cambist.started"
"""Where the request's `perf_counter_ns` at arrival is found in its environ."""

PRINCIPAL = "cambist.subscriber"
"""Where the subscriber is found, once the gate has let one in."""


class EndpointResource:
    """Answers GET and HEAD of one endpoint."""

    def __init__(
        self,
        endpoint: Endpoint[Any, Any],
        worker_state: WorkerState,
        gate: Authenticator,
        meter: Meter,
        maker: ResponseBuilder,
        unknown: UnknownParameters,
    ) -> None:
        self._endpoint = endpoint
        self._known = {param.name for param in declared_params(endpoint.params).values()}
        self._worker_state = worker_state
        self._gate = gate
        self._meter = meter
        self._maker = maker
        self._unknown = unknown

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer, or raise what `problems` turns into an error."""
        environ, now = request.env, self._worker_state.clock()
        try:
            query = parse_query(environ["QUERY_STRING"])
        except BadParameter:
            self._let_in(environ, "", now)  # whose key is in a header is known all the same
            raise
        principal = self._let_in(environ, query.get(QUERY_NAME, "").strip(), now)
        check_tag(principal, self._endpoint.tag)
        if ignored := self._unknown.ignored(query):
            response.set_header(IGNORED_HEADER, ignored_header_value(ignored))
        today = self._meter.today(now)
        asked = question(environ, self._known, principal, today)
        answer = principal.shelf.state[1].get(asked, now) or self._worker_state.closed.get(asked, now)
        condition = environ.get("HTTP_IF_NONE_MATCH", "").strip()
        if answer is None:
            answer = self._made(principal, query, asked, condition, now)
        check_history(principal, answer.oldest, today)
        # Never by what is kept: a client that names the ETag of the answer pays nothing, everybody else its cost.
        cost = 0 if answer.is_named_by(condition) else answer.cost
        self._meter.check_quota(principal, cost, now)
        self._meter.spend(principal, answer.endpoint, cost, now)
        _write(response, answer, condition, environ)
        response.set_header("X-Calls-Cost", str(cost))

    on_head = on_get

    def _let_in(self, environ: dict[str, Any], query_key: str, now: float) -> ApiPrincipal:
        principal = self._gate.admit(environ, query_key, now)
        environ[PRINCIPAL] = principal
        self._meter.check_rate(principal, now)
        return principal

    def _made(
        self, principal: ApiPrincipal, query: Mapping[str, str], asked: Question, condition: str, now: float
    ) -> CachedResponse:
        """Make an answer, and keep it where it will be looked for; for a client that has it, its outline will do."""
        (book, live), closed = principal.shelf.state, self._worker_state.closed
        view, params = self._view(principal, book, asked, now), read_params(self._endpoint.params, query)
        outline = self._maker.outline(view, params)
        check_history(principal, outline.oldest, view.today)
        if outline.is_named_by(condition):
            return outline
        # Who names an ETag may have the answer, and need not afford it before that is known.
        if outline.etag or not outline.is_cacheable or condition in ("", "*"):
            self._meter.check_quota(principal, outline.cost, now)
        answer = self._maker.complete(outline, view, params)
        if answer.until == inf and self._endpoint.from_matrix:
            closed.keep(asked, answer)
        elif isinstance(params, BookParameters) and answer.oldest is None:  # what is of a past day is not of the book
            live.keep(asked, answer)
        return answer

    def _view(self, principal: ApiPrincipal, book: RateBook, asked: Question, now: float) -> RequestContext:
        view = self._worker_state.view(book, now, principal.shelf.form)
        if asked[3] != view.reach:
            view = replace(view, reach=asked[3])
        if self._endpoint.personal:
            view = replace(view, usage=self._meter.usage(principal, now))
        return view


def question(environ: Mapping[str, Any], known: Container[str], principal: ApiPrincipal, today: date) -> Question:
    """Name what is asked, and on what terms: unknown parameters and the key have no place in what is kept."""
    parts = environ["QUERY_STRING"].split("&")
    query = "&".join(part for part in parts if unquote_plus(part.partition("=")[0]) in known)
    return environ["PATH_INFO"], query, principal.shelf.form_name, reach_of(principal, today)


def _write(response: falcon.Response, answer: CachedResponse, condition: str, environ: Mapping[str, Any]) -> None:
    for name, value in answer.headers:
        response.append_header(name, value)
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
