"""An endpoint as a Falcon resource: authenticate, read the parameters, compute or find the answer, charge it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from functools import partial
from math import inf
from time import perf_counter_ns
from typing import Any

import falcon
from msgspec import Struct

from cambist import __version__
from cambist.accounts.meter import Meter
from cambist.accounts.principal import Principal
from cambist.accounts.reservation import Reservation
from cambist.api.answer_headers import EDITION_HEADER, NEGOTIATED, VARY, headers_without_etag
from cambist.api.authenticated_request import AuthenticatedRequest
from cambist.api.authentication import QUERY_NAME, Authenticator, check_history, check_tag, first_day_of
from cambist.api.cache_keys import cache_key
from cambist.api.compression import MIN_COMPRESSED_BYTES, accepts_gzip
from cambist.api.endpoint import Endpoint
from cambist.api.freshness_parameters import BookParameters
from cambist.api.known_answers import at_mark, is_final, not_known_then
from cambist.api.long_answers import MOST_AT_ONCE, leave_to_thread, stay
from cambist.api.parameters import ParamsReader, parse_query
from cambist.api.rendering import encode_without_ms
from cambist.api.request_context import RequestContext
from cambist.api.response_cache import CachedResponse, CacheKey, etag_of
from cambist.api.table import AnswerTable
from cambist.api.unknown_parameters import IGNORED_HEADER, UnknownParameters, ignored_header_value
from cambist.api.worker_state import WorkerState
from cambist.errors import BadParameter, NoRate
from cambist.http.delivery import on_delivery

STARTED = "cambist.started"
"""The key in the environ of the `perf_counter_ns` at which the request arrived."""

RECOGNISED = "cambist.recognised"
"""The key in the environ of the principal of the only API key, with the key if that is in the query."""

ADMITTED = "cambist.admitted"
"""The key in the environ of a request that was counted against the rate limit already."""

REFUSED = "cambist.refused"
"""The key in the environ of the error with which the answer was refused when it was computed; it is raised again."""

CACHED = "cambist.cached"
"""The key in the environ of a request that got a cached answer."""

PRINCIPAL = "cambist.principal"
"""The key in the environ of the principal of an authenticated request."""

_LIST_MAX_AGE = timedelta(minutes=1)


class EndpointResource:
    """Answers GET and HEAD of one endpoint; clients may cache answers about immutable days for `immutable_max_age`."""

    def __init__(
        self,
        endpoint: Endpoint[Any, Any],
        worker_state: WorkerState,
        authenticator: Authenticator,
        meter: Meter,
        unknown: UnknownParameters,
        immutable_max_age: timedelta,
    ) -> None:
        self._endpoint = endpoint
        self._reader = ParamsReader(endpoint.params)
        self._names = self._reader.names
        self._is_live = issubclass(endpoint.params, BookParameters)
        self._is_known_then = endpoint.scope is not None
        self.may_be_immutable = endpoint.is_immutable is not None or self._is_known_then
        self._worker_state = worker_state
        self._authenticator = authenticator
        self._meter = meter
        self._unknown = unknown
        max_age = _LIST_MAX_AGE if endpoint.is_list else immutable_max_age
        self.has_table = endpoint.table is not None
        self._vary = NEGOTIATED if self.has_table else VARY
        self.cache_control = f"private, max-age={int(max_age.total_seconds())}"
        self._etag_salt = f"{__version__} {endpoint.path} ".encode()

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer, or raise one of the errors that `api.errors` turns into a response."""
        environ = request.env
        asked = self.begin(environ, response, self._unknown)
        if REFUSED in environ:
            raise environ[REFUSED]
        principal, now, if_none_match = asked.principal, asked.now, asked.if_none_match
        today = self._meter.today(now)
        key = cache_key(environ, self._names, principal, today)
        live, immutable = self._worker_state.caches.for_view(principal.book_view), self._worker_state.caches.immutable
        answer = live.state[1].get(key, now) or immutable.get(key, now)
        with self.reservation(asked) as reservation:
            if answer is None:
                answer = self._answer(asked, key, reservation.change)
            if answer.earliest_day is not None:
                check_history(principal, answer.earliest_day, today)
            # A client that names the ETag of the answer pays nothing, everybody else its cost, cached or not.
            reservation.change(0 if answer.matches_etag(if_none_match) else answer.cost)
            _write(response, answer, if_none_match, environ)
            self.charge(environ, answer, reservation, response)

    on_head = on_get

    def begin(
        self, environ: dict[str, Any], response: falcon.Response, unknown: UnknownParameters
    ) -> AuthenticatedRequest:
        """Read the query, find who asks, and check what they may ask. Errors: RequestRefused."""
        now = self._worker_state.clock()
        try:
            query = parse_query(environ["QUERY_STRING"])
        except BadParameter:
            self._authenticate(environ, "", now)  # a key in a header is checked and counted all the same
            raise
        principal = self._authenticate(environ, query.get(QUERY_NAME, "").strip(), now)
        if self._endpoint.tag not in principal.tags:
            check_tag(principal, self._endpoint.tag)
        if not query.keys() <= self._names and (ignored := unknown.ignored(query)):
            response.set_header(IGNORED_HEADER, ignored_header_value(ignored))
        return AuthenticatedRequest(principal, query, environ.get("HTTP_IF_NONE_MATCH", "").strip(), now)

    def reservation(self, asked: AuthenticatedRequest) -> Reservation:
        """Return a reservation for the answer, of no calls yet."""
        return Reservation(self._meter, asked.principal, asked.now)

    def charge(
        self, environ: dict[str, Any], answer: CachedResponse, reservation: Reservation, response: falcon.Response
    ) -> None:
        """Count the reserved calls as soon as the answer is sent."""
        response.set_header("X-Calls-Cost", str(reservation.cost))
        on_delivery(environ, reservation.hand_over(answer.endpoint))
        if answer.edition:
            response.set_header(EDITION_HEADER, answer.edition)

    def check(self, asked: AuthenticatedRequest) -> tuple[RequestContext, Struct, CachedResponse]:
        """Return what an answer is computed from, and its outline. Errors: CambistError, as for an answer in JSON."""
        params = self._reader.read(asked.query)
        today = self._meter.today(asked.now)
        context = self._context(asked.principal, first_day_of(asked.principal, today), asked.now)
        context, outline = self._begun(asked.principal, context, params, today)
        return context, params, outline

    def _begun(
        self, principal: Principal, context: RequestContext, params: Struct, today: date
    ) -> tuple[RequestContext, CachedResponse]:
        """Return what an answer is computed from, and its outline. Errors: CambistError.

        What the plan includes is counted from the real `today`: a past moment has an earlier one.
        """
        if self._is_known_then:
            if principal.plan.history_days is not None:  # errors also tell what was known
                self._check_history(principal, context, params, today)
            context = at_mark(context, self._endpoint, params)
        outline = self.outline(context, params)
        if outline.earliest_day is not None:
            check_history(principal, outline.earliest_day, today)
        return context, outline

    def _check_history(self, principal: Principal, context: RequestContext, params: Struct, today: date) -> None:
        earliest_day = self._endpoint.earliest_day and self._endpoint.earliest_day(context, params)
        if earliest_day is not None:
            check_history(principal, earliest_day, today)

    def table(self, context: RequestContext, params: Struct) -> AnswerTable:
        """Return the answer as a table. Errors: CambistError, as for an answer in JSON."""
        if self._endpoint.table is None:
            raise TypeError(f"{self._endpoint.path} has no table")
        try:
            return self._endpoint.table(context, params)
        except NoRate as error:
            raise not_known_then(error, context, self._endpoint, params) from error

    def _context(self, principal: Principal, first_day: date, now: float) -> RequestContext:
        book = self._worker_state.caches.for_view(principal.book_view).state[0]
        usage = self._meter.usage(principal, now) if self._endpoint.personal else None
        return RequestContext(self._worker_state, book, now, principal.account.datetime_format, first_day, usage)

    def _authenticate(self, environ: dict[str, Any], query_key: str, now: float) -> Principal:
        principal: Principal | None
        principal, recognised_key = environ.get(RECOGNISED, (None, ""))
        if principal is None or recognised_key != query_key:
            principal = self._authenticator.authenticate(environ, query_key, now)
        environ[PRINCIPAL] = principal
        if ADMITTED not in environ:
            self._meter.check_rate(principal, now)
        return principal

    def compute(
        self, principal: Principal, query_text: str, key: CacheKey, now: float, environ: dict[str, Any]
    ) -> CachedResponse | None:
        """Compute and cache the answer to a query without an API key; None if it has parameters that are not known.

        Errors: CambistError, as for any request; nothing is charged. MustWait if it is too long for the event loop.
        """
        query = parse_query(query_text)
        if not query.keys() <= self._names:
            return None
        if self._endpoint.tag not in principal.tags:
            check_tag(principal, self._endpoint.tag)
        asked = AuthenticatedRequest(principal, query, "", now)
        pay = partial(self._meter.check_quota, principal, now=now)
        return self._answer(asked, key, pay, partial(leave_to_thread, environ))

    def _answer(
        self, asked: AuthenticatedRequest, key: CacheKey, pay: Callable[[int], None], leave: Callable[[], None] = stay
    ) -> CachedResponse:
        """Compute an answer that is paid before, and cache it; for a client that has it, its outline is enough.

        `leave` is called before one that takes long.
        """
        principal, now, caches = asked.principal, asked.now, self._worker_state.caches
        (book, live), immutable = caches.for_view(principal.book_view).state, caches.immutable
        usage = self._meter.usage(principal, now) if self._endpoint.personal else None
        context = RequestContext(self._worker_state, book, now, principal.account.datetime_format, key[3], usage)
        params = self._reader.read(asked.query)
        context, outline = self._begun(asked.principal, context, params, self._meter.today(asked.now))
        if outline.matches_etag(asked.if_none_match):
            return outline
        # A client that names an ETag may have the answer, which is free: nothing is refused before that is known.
        if outline.etag or not outline.is_cacheable or asked.if_none_match in ("", "*"):
            pay(outline.cost)
        if outline.cost > MOST_AT_ONCE or (self._endpoint.is_long and self._endpoint.is_long(context, params)):
            leave()
        answer = self.complete(outline, context, params)
        if answer.until == inf:
            immutable.add(key, answer)
        elif self._is_live and answer.earliest_day is None:  # an answer about a past day is not made from the book
            live.add(key, answer)
        return answer

    def outline(self, context: RequestContext, params: Struct) -> CachedResponse:
        """Return an answer without its body: what it costs, and its ETag if that is a hash of data."""
        endpoint = self._endpoint
        is_immutable = (
            endpoint.is_immutable is not None and endpoint.is_immutable(context, params)
            if context.mark is None
            else is_final(context.mark)
        )
        cost = 1 if endpoint.cost is None else endpoint.cost(context, params)
        etag = self._etag_of_data(context, params) if is_immutable else ""
        earliest_day = None if endpoint.earliest_day is None else endpoint.earliest_day(context, params)
        is_live = earliest_day is None and (self._is_live or endpoint.earliest_day is not None)
        edition = context.edition(is_live=is_live)
        return CachedResponse(
            prefix=b"",
            headers=self._headers(cost, etag, edition) if etag else (),
            etag=etag,
            is_cacheable=is_immutable or endpoint.is_list,
            endpoint=endpoint.path,
            tag=endpoint.tag,
            cost=cost,
            earliest_day=earliest_day,
            until=inf if is_immutable else 0,
            edition=edition,
        )

    def _etag_of_data(self, context: RequestContext, params: Struct) -> str:
        data = None if self._endpoint.etag_data is None else self._endpoint.etag_data(context, params)
        return "" if data is None else etag_of([self._etag_salt, repr(params).encode(), *data])

    def complete(self, outline: CachedResponse, context: RequestContext, params: Struct) -> CachedResponse:
        """Compute the answer of an outline, and complete the outline with it."""
        try:
            prefix = encode_without_ms(self._endpoint.answer(context, params))
        except NoRate as error:
            raise not_known_then(error, context, self._endpoint, params) from error
        if outline.is_cacheable and not outline.etag:
            outline.etag = etag_of([prefix])
        outline.prefix = prefix
        is_long = len(prefix) > MIN_COMPRESSED_BYTES
        outline.headers = self._headers(outline.cost, outline.etag, outline.edition, is_long=is_long)
        outline.until = outline.until or context.expires_at
        return outline

    def _headers(self, cost: int, etag: str, edition: str, *, is_long: bool = False) -> tuple[tuple[str, str], ...]:
        if etag:
            headers = (("X-Calls-Cost", str(cost)), ("Cache-Control", self.cache_control), ("ETag", etag), self._vary)
            return (*headers, (EDITION_HEADER, edition)) if edition else headers
        return headers_without_etag(cost, edition, (self._vary,) if is_long or self.has_table else ())


def _write(response: falcon.Response, answer: CachedResponse, if_none_match: str, environ: Mapping[str, Any]) -> None:
    for name, value in answer.headers:
        response.append_header(name, value)
    if answer.matches_etag(if_none_match) or (answer.etag and if_none_match == "*"):
        response.status = 304
        return
    response.content_type = "application/json"
    started = environ.get(STARTED) or perf_counter_ns()
    if answer.is_long and accepts_gzip(environ.get("HTTP_ACCEPT_ENCODING", "")):
        response.set_header("Content-Encoding", "gzip")
        response.data = answer.compressed_body(started)
    else:
        response.data = answer.body(started)
