"""A route of a dialect as a Falcon resource: authenticate, answer, charge, and write errors as the original does."""

from __future__ import annotations

import gzip
import logging
from collections.abc import Iterator
from typing import Any

import falcon

from cambist.accounts.account import DatetimeFormat
from cambist.accounts.meter import Meter
from cambist.accounts.page_access import DIALECTS
from cambist.accounts.principal import BookView, Principal
from cambist.accounts.reservation import Reservation
from cambist.api import errors
from cambist.api.answer_headers import EDITION_HEADER
from cambist.api.authentication import (
    QUERY_NAME,
    Authenticator,
    check_history,
    check_tag,
    credentials,
    first_day_of,
)
from cambist.api.compression import MIN_COMPRESSED_BYTES, accepts_gzip
from cambist.api.dialects.dialect import Dialect, DialectAnswer, DialectRequest, DialectRoute
from cambist.api.parameters import parse_query
from cambist.api.request_context import RequestContext
from cambist.api.resource import PRINCIPAL
from cambist.api.response_cache import etag_of
from cambist.api.worker_state import WorkerState
from cambist.errors import AccountSuspended, CambistError
from cambist.http.delivery import on_delivery

log = logging.getLogger(__name__)

_PUBLIC_VIEW: BookView = (0.0, DatetimeFormat.ISO.value)
"""The rate books that clients without a key see on public routes, which name currencies and have no rates."""

_GZIP_LEVEL = 1
"""The fastest level, as for the endpoints."""


class DialectResource:
    """Answers GET and HEAD of one route of a dialect; `path_prefix` is the path under which clients see the service."""

    def __init__(
        self,
        dialect: Dialect,
        route: DialectRoute,
        worker_state: WorkerState,
        authenticator: Authenticator,
        meter: Meter,
        path_prefix: str = "",
    ) -> None:
        self._dialect = dialect
        self._route = route
        self._worker_state = worker_state
        self._authenticator = authenticator
        self._meter = meter
        self._path_prefix = path_prefix

    def on_get(self, request: falcon.Request, response: falcon.Response, **path: str) -> None:
        """Answer; errors are written in the shape of the original service."""
        if self._route.negotiates:
            response.append_header("Vary", "Accept")
        try:
            self._respond(request, response, path)
        except CambistError as error:
            errors.handle_refusal(request, response, error, None)
            problem = errors.PROBLEMS.get(type(error), errors.INTERNAL)
            _write_error(response, self._dialect, problem, _sentence(error, problem), error)
        except falcon.HTTPError:
            raise
        except Exception as error:  # noqa: BLE001  whatever it is, the client gets an answer that it can read
            errors.handle_failure(request, response, error, None)
            _write_error(response, self._dialect, errors.INTERNAL, "The service failed to answer", None)

    on_head = on_get

    def on_post(self, _request: falcon.Request, response: falcon.Response, **_path: str) -> None:
        """Refuse another method."""
        response.set_header("Allow", ", ".join(errors.METHODS))
        sentence = "Method not allowed: use GET, HEAD or OPTIONS"
        _write_error(response, self._dialect, errors.WRONG_METHOD, sentence, None)

    on_put = on_patch = on_delete = on_post

    def _respond(self, request: falcon.Request, response: falcon.Response, path: dict[str, str]) -> None:
        environ, now = request.env, self._worker_state.clock()
        query = dict(parse_query(environ["QUERY_STRING"]))
        principal = self._authenticate(environ, query, now)
        if principal is None:
            self._answer(self._request(request, None, path, query, now), response, environ, None)
            return
        environ[PRINCIPAL] = principal
        self._meter.check_rate(principal, now)
        check_tag(principal, self._route.tag)
        with Reservation(self._meter, principal, now) as reservation:
            if not environ.get("HTTP_IF_NONE_MATCH"):  # otherwise it may be free
                reservation.change(1)
            self._answer(self._request(request, principal, path, query, now), response, environ, reservation)

    def _answer(
        self,
        asked: DialectRequest,
        response: falcon.Response,
        environ: dict[str, Any],
        reservation: Reservation | None,
    ) -> None:
        """Answer, and have the reserved calls counted when the answer is sent. Errors: CambistError."""
        if_none_match = environ.get("HTTP_IF_NONE_MATCH", "")
        answer = self._route.answer(asked)
        etag = etag_of([answer.content]) if answer.is_cacheable else ""
        is_unchanged = bool(etag) and _names_etag(if_none_match, etag)
        cost = 0 if is_unchanged or reservation is None else answer.cost
        if reservation is not None and asked.principal is not None:
            if answer.earliest_day is not None:
                check_history(asked.principal, answer.earliest_day, asked.context.today)
            reservation.change(cost)
            on_delivery(environ, reservation.hand_over(self._dialect.usage_label))
        response.set_header("X-Calls-Cost", str(cost))
        if edition := asked.context.edition(is_live=answer.earliest_day is None):
            response.set_header(EDITION_HEADER, edition)
        _write_headers(response, answer, etag)
        if is_unchanged:
            response.status = 304
        else:
            _write_content(response, answer, environ.get("HTTP_ACCEPT_ENCODING", ""))

    def _authenticate(self, environ: dict[str, Any], query: dict[str, str], now: float) -> Principal | None:
        """Return who pays, None for a public route, and remove the keys from the query. Errors: RequestRefused."""
        found = set(credentials(environ, query.pop(QUERY_NAME, "").strip()))
        found |= {key for name in self._dialect.key_parameters if (key := query.pop(name, "").strip())}
        found |= set(_keys_by_scheme(environ.get("HTTP_AUTHORIZATION", ""), self._dialect.key_schemes))
        if found:
            return self._authenticator.principal_of(found, environ, now)
        if self._route.is_public:
            return None
        account = self._authenticator.principals.by_digest.get(DIALECTS)
        if account is None:
            return self._authenticator.principal_of(found, environ, now)
        if account.account.suspended:
            raise AccountSuspended("The account of calls without a key is suspended; its operator can say why")
        return account

    def _request(
        self,
        request: falcon.Request,
        principal: Principal | None,
        path: dict[str, str],
        query: dict[str, str],
        now: float,
    ) -> DialectRequest:
        return DialectRequest(
            context=self._context(principal, now),
            principal=principal,
            path=path,
            query=query,
            address=f"{request.scheme}://{request.netloc}{self._path_prefix}",
            accept=(request.get_header("Accept") or "") if self._route.negotiates else "",
            usage=self._meter.usage(principal, now) if principal is not None and self._route.needs_usage else None,
        )

    def _context(self, principal: Principal | None, now: float) -> RequestContext:
        state = self._worker_state
        if principal is None:
            return RequestContext(state, state.caches.for_view(_PUBLIC_VIEW).state[0], now)
        book = state.caches.for_view(principal.book_view).state[0]
        reach = first_day_of(principal, self._meter.today(now))
        return RequestContext(state, book, now, principal.account.datetime_format, reach)


class UnknownDialectPath:
    """Answers every other path below those of a dialect, in its shape."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    def __call__(self, req: falcon.Request, resp: falcon.Response, **kwargs: Any) -> None:  # noqa: ARG002
        """Answer that there is no such path."""
        sentence = f"Unknown path: see the guide [{self._dialect.guide}]"
        _write_error(resp, self._dialect, errors.UNKNOWN_PATH, sentence, None)


def _keys_by_scheme(authorization: str, schemes: tuple[str, ...]) -> Iterator[str]:
    for line in authorization.split(","):
        scheme, _, key = line.strip().partition(" ")
        if scheme.lower() in schemes and key.strip():
            yield key.strip()


def _sentence(error: CambistError, problem: errors.Problem) -> str:
    return "The service failed to answer" if problem is errors.INTERNAL else str(error)


def _names_etag(if_none_match: str, etag: str) -> bool:
    named = [part.strip().removeprefix("W/") for part in if_none_match.split(",")]
    return etag in named or named == ["*"]


def _write_headers(response: falcon.Response, answer: DialectAnswer, etag: str) -> None:
    if etag:
        response.set_header("ETag", etag)
        response.set_header("Cache-Control", "private, no-cache")
    else:
        response.set_header("Cache-Control", "no-store")
    response.append_header("Vary", "Accept-Encoding")
    for name, value in answer.headers:
        response.append_header(name, value)


def _write_content(response: falcon.Response, answer: DialectAnswer, accept_encoding: str) -> None:
    response.content_type = answer.media_type
    if len(answer.content) > MIN_COMPRESSED_BYTES and accepts_gzip(accept_encoding):
        response.set_header("Content-Encoding", "gzip")
        response.data = gzip.compress(answer.content, _GZIP_LEVEL, mtime=0)
    else:
        response.data = answer.content


def _write_error(
    response: falcon.Response, dialect: Dialect, problem: errors.Problem, sentence: str, error: CambistError | None
) -> None:
    response.status, response.data = dialect.write_error(problem.status, problem.code, sentence, error)
    response.content_type = dialect.error_media_type
    response.set_header("Cache-Control", "no-store")
