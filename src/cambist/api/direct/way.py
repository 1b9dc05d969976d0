"""The direct way of a request: from its bytes to the bytes of the response."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from time import perf_counter_ns
from typing import Any

from cambist.accounts.would_block import WouldBlock
from cambist.api.answer.answer_headers import NEGOTIATED, VARY, Header
from cambist.api.answer.endpoint import Endpoint
from cambist.api.call.settlement import Settlement
from cambist.api.direct.answer import DirectAnswer
from cambist.api.direct.answers import ANSWERS
from cambist.api.direct.callers import Callers
from cambist.api.direct.declined import Declined
from cambist.api.direct.dialect_answers import DialectAnswers
from cambist.api.direct.header_blocks import LONGEST_REQUEST, HeaderBlocks, Headers
from cambist.api.direct.question import QuestionReader, is_plain_line
from cambist.api.faces.dialects.dialect import Dialect
from cambist.api.request_metrics import Counts
from cambist.api.state.compression import MIN_COMPRESSED_BYTES, compress_prefix
from cambist.api.state.worker_state import WorkerState
from cambist.errors import CambistError
from cambist.http.request_parser import Environ
from cambist.http.responses import encode_headers, encode_ok
from cambist.http.waiting_answers import AWAITED

log = logging.getLogger(__name__)

BLOCKED = "cambist.direct_blocked"
"""The key in the environ of a request that the direct way answers as soon as what it awaits is there."""

_GZIP = b"content-encoding: gzip\r\n"
_MOST_COMPRESSED = 256


@dataclass(slots=True, eq=False)
class _Route:
    """The way of the questions of one endpoint.

    `vary` are the headers of short answers and of long ones; `is_past` says whether they are about past days.
    """

    path: str
    tag: str
    reader: QuestionReader
    answer: DirectAnswer
    vary: tuple[bytes, bytes]
    is_past: bool


@dataclass(frozen=True, slots=True)
class DirectServing:
    """How responses are served: headers of all, how long clients may keep what is immutable, where paths begin.

    `counts` is where requests are counted.
    """

    headers: Iterable[tuple[str, str]]
    immutable_max_age: timedelta
    path_prefix: str = ""
    counts: Counts | None = None


class DirectWay:
    """Answers hot questions whose headers are known. Used by one thread, the event loop's."""

    def __init__(
        self,
        endpoints: Iterable[Endpoint[Any, Any]],
        state: WorkerState,
        settlement: Settlement,
        serving: DirectServing,
        dialects: Iterable[Dialect] = (),
    ) -> None:
        routes = [
            _route(endpoint, state, serving.immutable_max_age) for endpoint in endpoints if endpoint.path in ANSWERS
        ]
        self._routes: Mapping[bytes, _Route] = {
            f"{prefix}{route.path}".encode(): route for route in routes for prefix in ("", serving.path_prefix)
        }
        self._clock = state.clock
        self._settlement = settlement
        self._counts = serving.counts
        self.served: defaultdict[str, list[int]] = defaultdict(list)
        """How long each answer took that is not settled, in nanoseconds, by path."""
        self._head = encode_headers([("Content-Type", "application/json"), *serving.headers])
        self._callers = Callers(state, self._head)
        self._dialects = DialectAnswers(dialects, state, serving.headers, serving.path_prefix)
        self._blocks = blocks = HeaderBlocks()
        self._known, self.learn = blocks.known, blocks.learn
        self._compressed = lru_cache(maxsize=_MOST_COMPRESSED)(compress_prefix)
        self._has_failed = False

    def learn_dialect(self, received: bytes, environ: Environ) -> None:
        """Remember the headers of a request that a thread has answered, if its like can be answered directly."""
        match = self._dialects.match(received[4:].partition(b" ")[0].partition(b"?")[0])
        if match is None or b"content-length" in received.lower():
            return
        read = {name: value for name, value in environ.items() if name != "CONTENT_LENGTH"}
        if match.key and read.pop("HTTP_X_API_KEY", "") != match.key.decode():  # the path's key was brought there
            return
        self.learn(received, read)

    def answer(self, received: bytes, environ: Environ | None) -> bytes | None:
        """Return the response to the bytes of a request, or None if the general way has to answer.

        It is asked again with the `environ` as which the parser has read the request: its headers may be new, and where
        something is awaited that soon is there, the environ says so.
        """
        if len(received) > LONGEST_REQUEST:
            return None
        line, _, block = received.partition(b"\r\n")
        try:
            if environ is None:
                return self._answer(line, self._known[block])
            return self._answer_first(line, block, environ)
        except (Declined, KeyError):  # what is looked up and not found is unknown here, and perhaps anywhere
            return None
        except (CambistError, WouldBlock) as error:
            self._settlement.release()
            if environ is not None and isinstance(error, WouldBlock) and error.is_over is not None:
                environ[BLOCKED], environ[AWAITED] = True, error.is_over
            return None
        except Exception:  # the general way answers all the same
            if not self._has_failed:
                self._has_failed = True
                log.exception("A direct answer failed; further failures are not logged")
            return None

    def settle(self) -> None:
        """Count the answers since the last call, before they are sent: their calls, and the requests themselves."""
        if not self.served:
            return
        served, self.served = self.served, defaultdict(list)
        try:
            self._settlement.settle_owed()
        except Exception:  # the answers are sent all the same
            log.exception("Calls of direct answers could not be counted")
        if self._counts is not None:
            for path, nanoseconds in served.items():
                self._counts.end_many(path, nanoseconds)

    def _answer_first(self, line: bytes, block: bytes, environ: Environ) -> bytes:
        """Answer the first request with its headers, and remember these. Errors: those of `_answer`."""
        if line[4:-9].partition(b"?")[0] not in self._routes:
            raise Declined  # keys of dialects may be in other headers, or in the path
        known = self._known.get(block)
        headers = known or self._blocks.read(line, block, environ)
        if headers is None:
            raise Declined
        answer = self._answer(line, headers)
        if known is None:
            self._blocks.remember(block, headers)
        return answer

    def _answer(self, line: bytes, headers: Headers) -> bytes:
        """Answer a request. Errors: Declined, KeyError and those of the meter, before anything is counted."""
        started, now = perf_counter_ns(), self._clock()
        if not is_plain_line(line):
            raise Declined
        path, _, query = line[4:-9].partition(b"?")
        route = self._routes.get(path)
        if route is None:
            return self._in_dialect(path, query, headers, started, now)
        values = route.reader.read(query)
        caller = self._callers.find(values[0], headers.key)
        if now >= caller.ends or route.tag not in caller.tags or (route.is_past and caller.is_cut):
            raise Declined
        view = caller.view
        if view.responses.state[0] is not view.book:
            view.renew()
        prefix, cost, own_head = route.answer.answer(values, view, now)
        is_long, coding = len(prefix) > MIN_COMPRESSED_BYTES, b""
        head = self._head + own_head if own_head else view.heads[cost, route.vary[is_long]]
        taken = perf_counter_ns() - started
        end = b"0}" if taken < 1_000_000 else b"%d}" % (taken // 1_000_000)
        if is_long and headers.accepts_gzip:
            coding, body = _GZIP, self._compressed(prefix).finish(end)
        else:
            body = prefix + end
        limits = self._settlement.settle_directly(caller.principal, route.path, cost, now)
        self.served[route.path].append(perf_counter_ns() - started)
        return encode_ok(head, coding + limits, now, body)

    def _in_dialect(self, path: bytes, query: bytes, headers: Headers, started: int, now: float) -> bytes:
        """Answer a request in a dialect. Errors: those of `_answer`."""
        caller, kept = self._dialects.find(path, query, headers, self._callers, now)
        coding, body = kept.body(accepts_gzip=headers.accepts_gzip)
        limits = self._settlement.settle_directly(caller.principal, kept.label, kept.cost, now)
        self.served[kept.template].append(perf_counter_ns() - started)
        return encode_ok(kept.head, coding + limits, now, body)


def _route(endpoint: Endpoint[Any, Any], state: WorkerState, max_age: timedelta) -> _Route:
    answer = ANSWERS[endpoint.path](state, max_age)
    vary = (NEGOTIATED, NEGOTIATED) if endpoint.table is not None else (None, VARY)
    reader, is_past = QuestionReader(endpoint, answer.names), endpoint.is_immutable is not None
    return _Route(endpoint.path, endpoint.tag, reader, answer, (_encoded(vary[0]), _encoded(vary[1])), is_past)


def _encoded(header: Header | None) -> bytes:
    return encode_headers([header]) if header else b""
