"""The answers of an endpoint: found in a cache or computed, with what they cost and what they depend on."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from math import inf
from typing import Any
from urllib.parse import unquote_plus

from msgspec import Struct

from cambist import __version__
from cambist.api.answer.answer_headers import EDITION_HEADER, NEGOTIATED, VARY, headers_without_etag
from cambist.api.answer.answer_table import AnswerTable
from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.known_answers import at_mark, is_final, no_rate
from cambist.api.answer.long_answers import MOST_AT_ONCE, MOST_BYTES_AT_ONCE
from cambist.api.answer.rendering import encode_without_ms
from cambist.api.answer.request_context import RequestContext, context_of
from cambist.api.call.admission import Admission, check_history
from cambist.api.call.call import Call
from cambist.api.questions.freshness_parameters import BookParameters
from cambist.api.questions.parameters import ParamsReader
from cambist.api.state.compression import MIN_COMPRESSED_BYTES
from cambist.api.state.response_cache import CachedResponse, CacheKey, etag_of
from cambist.api.state.worker_state import WorkerState
from cambist.errors import NoRate

_LIST_MAX_AGE = timedelta(minutes=1)


class EndpointAnswers:
    """Answers the admitted calls of one endpoint; clients may cache those about immutable days for `immutable_max_age`.

    `check_quota` is asked before an answer is made that takes long.
    """

    def __init__(
        self,
        endpoint: Endpoint[Any, Any],
        worker_state: WorkerState,
        admission: Admission,
        check_quota: Callable[[Call, int], None],
        immutable_max_age: timedelta,
    ) -> None:
        self.endpoint = endpoint
        self._reader = ParamsReader(endpoint.params)
        self.names = self._reader.names
        self._is_live = issubclass(endpoint.params, BookParameters)
        self._is_known_then = endpoint.scope is not None
        self._may_be_immutable = endpoint.is_immutable is not None or self._is_known_then
        self._worker_state = worker_state
        self._admission = admission
        self._check_quota = check_quota
        max_age = _LIST_MAX_AGE if endpoint.is_list else immutable_max_age
        self.has_table = endpoint.table is not None
        self._vary = NEGOTIATED if self.has_table else VARY
        self.cache_control = f"private, max-age={int(max_age.total_seconds())}"
        self._etag_salt = f"{__version__} {endpoint.path} ".encode()

    def find(self, call: Call) -> CachedResponse:
        """Return the answer to a call, from a cache or computed; for a client that has it, its outline is enough.

        Errors: CambistError; WouldBlock on the event loop for one that takes long.
        """
        key, caches = self._cache_key(call), self._worker_state.caches
        # Read before anything that the answer depends on, so that it is only kept where that is current.
        state, immutable = caches.for_view(call.payer.book_view).state, caches.immutable
        answer = state[1].get(key, call.now)
        if answer is None and self._may_be_immutable:
            answer = immutable.get(key, call.now)
        if answer is None:
            return self._compute(call, key)
        call.is_cached = True
        check_history(call, answer.earliest_day)
        if len(answer.prefix) > MOST_BYTES_AT_ONCE:
            call.leave_if_at_once()
        return answer

    def _cache_key(self, call: Call) -> CacheKey:
        """Return the key of an admitted call, without parameters that nobody reads: with one key is one answer."""
        parts = call.environ["QUERY_STRING"].split("&")
        query = "&".join([part for part in parts if unquote_plus(part.partition("=")[0]) in self.names])
        first_day = date.min if call.payer.plan.history_days is None else call.first_day
        return call.environ["PATH_INFO"], query, call.payer.book_view[1], first_day

    def _compute(self, call: Call, key: CacheKey) -> CachedResponse:
        caches = self._worker_state.caches
        (_, live), immutable = caches.for_view(call.payer.book_view).state, caches.immutable
        context, params, outline = self.check(call)
        if outline.matches_etag(call.if_none_match):
            return outline
        if outline.cost > MOST_AT_ONCE or (self.endpoint.is_long and self.endpoint.is_long(context, params)):
            call.leave_if_at_once()
            self._check_quota(call, outline.cost)
        answer = self._complete(outline, context, params)
        if getattr(params, "lock", None) is not None:
            return answer  # it is of one account
        if answer.until == inf:
            immutable.add(key, answer)
        elif self._is_live and answer.earliest_day is None:  # an answer about a past day is not made from the book
            live.add(key, answer)
        return answer

    def check(self, call: Call) -> tuple[RequestContext, Struct, CachedResponse]:
        """Return what an answer is computed from, and its outline. Errors: CambistError.

        What the plan includes is counted from the real day: a past moment has an earlier one.
        """
        params = self._reader.read(call.query)
        usage = self._admission.usage(call) if self.endpoint.personal else None
        context = context_of(call, self._worker_state, usage)
        if self._is_known_then:
            if (
                call.payer.plan.history_days is not None and self.endpoint.earliest_day
            ):  # errors also tell what was known
                check_history(call, self.endpoint.earliest_day(context, params))
            context = at_mark(context, self.endpoint, params)
        outline = self.outline(context, params)
        check_history(call, outline.earliest_day)
        return context, params, outline

    def table(self, context: RequestContext, params: Struct) -> AnswerTable:
        """Return the answer as a table. Errors: CambistError, as for an answer in JSON."""
        if self.endpoint.table is None:
            raise TypeError(f"{self.endpoint.path} has no table")
        try:
            return self.endpoint.table(context, params)
        except NoRate as error:
            raise no_rate(error, context, self.endpoint, params) from error

    def outline(self, context: RequestContext, params: Struct) -> CachedResponse:
        """Return an answer without its body: what it costs, and its ETag if that is a hash of data."""
        endpoint = self.endpoint
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
        data = None if self.endpoint.etag_data is None else self.endpoint.etag_data(context, params)
        return "" if data is None else etag_of([self._etag_salt, repr(params).encode(), *data])

    def _complete(self, outline: CachedResponse, context: RequestContext, params: Struct) -> CachedResponse:
        """Compute the answer of an outline, and complete the outline with it."""
        try:
            prefix = encode_without_ms(self.endpoint.answer(context, params))
        except NoRate as error:
            raise no_rate(error, context, self.endpoint, params) from error
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
