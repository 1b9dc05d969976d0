"""A route of a dialect as a Falcon resource: authenticate, answer, charge, and write errors as the original does."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import falcon

from cambist.api import errors
from cambist.api.answer.answer_headers import EDITION_HEADER, NEGOTIATED, VARY, Header
from cambist.api.answer.request_context import context_of
from cambist.api.call.admission import Admission, check_history
from cambist.api.call.call import Call, call_in_thread
from cambist.api.call.settlement import Settlement
from cambist.api.faces.dialects.dialect import Dialect, DialectAnswer, DialectRequest, DialectRoute
from cambist.api.faces.dialects.route_parameters import spoken_dialect, unknown_of_route
from cambist.api.questions.parameters import parse_query
from cambist.api.questions.unknown_parameters import IGNORED_HEADER, UnknownParameters, ignored_header_value
from cambist.api.state.compression import MIN_COMPRESSED_BYTES, accepts_gzip
from cambist.api.state.response_cache import etag_of
from cambist.api.state.worker_state import WorkerState
from cambist.errors import BadParameter, CambistError
from cambist.http.connection import RECEIVED
from cambist.http.request_parser import Environ

GZIP_LEVEL = 1
"""The fastest level, as for the endpoints."""


@dataclass(frozen=True, slots=True)
class DialectServing:
    """How routes of dialects are served.

    `path_prefix` is the path under which clients see the service; `learn` is told the bytes of requests that were
    answered, and how they were read.
    """

    path_prefix: str
    learn: Callable[[bytes, Environ], None]


class DialectResource:
    """Answers GET and HEAD of one route of a dialect."""

    def __init__(
        self,
        dialect: Dialect,
        route: DialectRoute,
        worker_state: WorkerState,
        admission: Admission,
        settlement: Settlement,
        serving: DialectServing,
    ) -> None:
        self._learn = serving.learn
        self._dialect = dialect
        self._route = route
        self._places = replace(dialect.key_places, is_public=route.is_public)
        self._worker_state = worker_state
        self._admission = admission
        self._settlement = settlement
        self._path_prefix = serving.path_prefix

    @cached_property
    def _unknown(self) -> UnknownParameters:
        return unknown_of_route(self._dialect, self._route)

    def on_get(self, request: falcon.Request, response: falcon.Response, **path: str) -> None:
        """Answer; errors are written in the shape of the original service."""
        try:
            self._respond(request, response, path)
        except falcon.HTTPError:
            raise
        except Exception as error:  # noqa: BLE001  whatever it is, the client gets an answer that it can read
            refusal = errors.refusal_response(request.env, error)
            errors.write_response(response, refusal)
            told = errors.told_of(error)
            known = errors.problem_of(told)
            if isinstance(told, CambistError) and known is not None:
                _write_error(response, self._dialect, known, str(told), told, self._route)
            else:
                _write_error(
                    response, self._dialect, errors.INTERNAL, "The service failed to answer", None, self._route
                )

    on_head = on_get

    def on_post(self, _request: falcon.Request, response: falcon.Response, **_path: str) -> None:
        """Refuse another method."""
        response.set_header("Allow", ", ".join(errors.METHODS))
        sentence = "Method not allowed: use GET, HEAD or OPTIONS"
        _write_error(response, self._dialect, errors.WRONG_METHOD, sentence, None, self._route)

    on_put = on_patch = on_delete = on_post

    def _respond(self, request: falcon.Request, response: falcon.Response, path: dict[str, str]) -> None:
        call = call_in_thread(request.env, self._worker_state.clock)
        self._admission.admit(call, (self._route.tag,), self._places)
        if ignored := self._unknown.ignored(call.query):
            response.set_header(IGNORED_HEADER, ignored_header_value(ignored))
        asked = self._question(request, call, path)
        answer = self._route.answer(asked)
        check_history(call, answer.earliest_day)
        kept_by_clients = cache_headers(self._route, answer)
        etag = dict(kept_by_clients).get("ETag", "")
        is_unchanged = bool(etag) and _names_etag(call.if_none_match, etag)
        cost = 0 if is_unchanged or call.principal is None else answer.cost
        self._settlement.settle(call, self._dialect.usage_label, cost)
        response.set_header("X-Calls-Cost", str(cost))
        if edition := asked.context.edition(is_live=answer.earliest_day is None):
            response.set_header(EDITION_HEADER, edition)
        _write_headers(response, (*kept_by_clients, *answer.headers))
        if is_unchanged:
            response.status = 304
        else:
            _write_content(response, answer, request.env.get("HTTP_ACCEPT_ENCODING", ""))
        if (received := request.env.get(RECEIVED)) is not None:
            self._learn(received, request.env)

    def _question(self, request: falcon.Request, call: Call, path: dict[str, str]) -> DialectRequest:
        return DialectRequest(
            context=context_of(call, self._worker_state),
            call=call,
            path=path,
            query=call.query,
            address=f"{request.scheme}://{request.netloc}{self._path_prefix}",
            accept=(request.get_header("Accept") or "") if self._route.negotiates else "",
            usage=self._admission.usage(call) if call.principal is not None and self._route.needs_usage else None,
        )


class SharedPath:
    """A path that several dialects have: each request goes to the one that it speaks."""

    def __init__(self, resources: Mapping[str, DialectResource], dialects: Sequence[Dialect]) -> None:
        self._resources = resources
        self._dialects = dialects

    def on_get(self, request: falcon.Request, response: falcon.Response, **path: str) -> None:
        """Answer as the dialect that the request speaks."""
        self._chosen(request).on_get(request, response, **path)

    on_head = on_get

    def on_post(self, request: falcon.Request, response: falcon.Response, **path: str) -> None:
        """Refuse another method."""
        self._chosen(request).on_post(request, response, **path)

    on_put = on_patch = on_delete = on_post

    def _chosen(self, request: falcon.Request) -> DialectResource:
        try:
            query = parse_query(request.query_string)
        except BadParameter:  # whoever answers refuses it
            query = {}
        return self._resources[spoken_dialect(self._dialects, query).name]


class UnknownDialectPath:
    """Answers every other path below those of a dialect, in its shape."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    def __call__(self, req: falcon.Request, resp: falcon.Response, **kwargs: Any) -> None:  # noqa: ARG002
        """Answer that there is no such path."""
        sentence = f"Unknown path: see the guide [{self._dialect.guide}]"
        _write_error(resp, self._dialect, errors.UNKNOWN_PATH, sentence, None)


def _names_etag(if_none_match: str, etag: str) -> bool:
    named = [part.strip().removeprefix("W/") for part in if_none_match.split(",")]
    return etag in named or named == ["*"]


def cache_headers(route: DialectRoute, answer: DialectAnswer) -> tuple[Header, ...]:
    """Return the headers that say who may keep an answer, and what it depends on."""
    vary = NEGOTIATED if route.negotiates else VARY
    if not answer.is_cacheable:
        return ("Cache-Control", "no-store"), vary
    return ("ETag", etag_of([answer.content])), ("Cache-Control", "private, no-cache"), vary


def _write_headers(response: falcon.Response, headers: Iterable[Header]) -> None:
    for name, value in headers:
        response.append_header(name, value)


def _write_content(response: falcon.Response, answer: DialectAnswer, accept_encoding: str) -> None:
    response.content_type = answer.media_type
    if len(answer.content) > MIN_COMPRESSED_BYTES and accepts_gzip(accept_encoding):
        response.set_header("Content-Encoding", "gzip")
        response.data = gzip.compress(answer.content, GZIP_LEVEL, mtime=0)
    else:
        response.data = answer.content


def _write_error(
    response: falcon.Response,
    dialect: Dialect,
    problem: errors.Problem,
    sentence: str,
    error: CambistError | None,
    route: DialectRoute | None = None,
) -> None:
    write = dialect.write_error if route is None or route.write_error is None else route.write_error
    response.status, response.data = write(problem.status, problem.code, sentence, error)
    response.content_type = dialect.error_media_type
    response.set_header("Cache-Control", "no-store")
