"""Live questions in dialects: answered by the function of their route, and kept for the rate book and the second."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from time import perf_counter_ns
from types import MappingProxyType
from typing import NamedTuple

from cambist.api.answer.answer_headers import EDITION_HEADER
from cambist.api.answer.request_context import context_of
from cambist.api.call.call import QUERY_NAME, Call
from cambist.api.direct.callers import Caller, Callers
from cambist.api.direct.declined import Declined
from cambist.api.direct.header_blocks import Headers
from cambist.api.direct.question import PLAIN
from cambist.api.faces.dialects.dialect import Dialect, DialectAnswer, DialectRequest, DialectRoute
from cambist.api.faces.dialects.dialect_resource import GZIP_LEVEL, cache_headers
from cambist.api.faces.dialects.route_parameters import spoken_dialect
from cambist.api.state.compression import MIN_COMPRESSED_BYTES
from cambist.api.state.worker_state import WorkerState
from cambist.history.rate_matrix import RateMatrix
from cambist.http.responses import encode_headers

_LONGEST_QUERY = 256
"""A longer one may name so many codes that its answer takes too long for the event loop."""

MOST_KEPT = 256
"""The most answers of a route that are kept: some dialects answer without a key."""


@dataclass(slots=True, eq=False)
class KeptAnswer:
    """An answer that holds until a moment, for one state of the history: its headers, its body, and that compressed."""

    until: float
    matrix: RateMatrix
    label: str
    template: str
    cost: int
    head: bytes
    content: bytes
    compressed: bytes = b""

    def body(self, *, accepts_gzip: bool) -> tuple[bytes, bytes]:
        """Return the header of the coding, empty for none, and the body."""
        if not accepts_gzip or len(self.content) <= MIN_COMPRESSED_BYTES:
            return b"", self.content
        if not self.compressed:
            self.compressed = gzip.compress(self.content, GZIP_LEVEL, mtime=0)
        return b"content-encoding: gzip\r\n", self.compressed


class RouteMatch(NamedTuple):
    """What a path means: the dialects and routes that it may be asked in, the values of its names, and its API key."""

    routes: Mapping[str, tuple[Dialect, DialectRoute]]
    names: Mapping[str, str] = MappingProxyType({})
    key: bytes = b""


class DialectAnswers:
    """The live routes of dialects by their paths; `headers` are those of all answers."""

    def __init__(
        self, dialects: Iterable[Dialect], state: WorkerState, headers: Iterable[tuple[str, str]], path_prefix: str
    ) -> None:
        self._state = state
        self._headers = tuple(headers)
        self._path_prefix = path_prefix
        self._exact: dict[bytes, RouteMatch] = {}
        self._named: list[tuple[re.Pattern[bytes], RouteMatch]] = []
        templates: dict[str, dict[str, tuple[Dialect, DialectRoute]]] = {}
        for dialect in dialects:
            for route in dialect.routes:
                templates.setdefault(route.template, {})[dialect.name] = dialect, route
        for template, found in templates.items():
            if all(route.live_with is not None for _, route in found.values()):
                self._add(template, RouteMatch(found), dict.fromkeys(("", path_prefix)))

    def _add(self, template: str, match: RouteMatch, prefixes: Iterable[str]) -> None:
        (dialect, _), *_ = match.routes.values()
        folders = {target: f"{folder}/{{key}}" for folder, target in dialect.key_folders.items()}
        for target, with_key in folders.items():
            if template.startswith(f"{target}/"):
                template = f"{with_key}{template.removeprefix(target)}"
        for prefix in prefixes:
            if "{" in template:
                self._named.append((_pattern(f"{prefix}{template}"), match))
            else:
                self._exact[f"{prefix}{template}".encode()] = match

    def match(self, path: bytes) -> RouteMatch | None:
        """Return what a path means; None if its questions are not answered here."""
        match = self._exact.get(path)
        if match is not None:
            return match
        for pattern, match in self._named:
            if found := pattern.fullmatch(path):
                names = found.groupdict()
                key = names.pop("key", b"")
                return RouteMatch(match.routes, {name: value.decode("ascii") for name, value in names.items()}, key)
        return None

    def find(
        self, path: bytes, query: bytes, headers: Headers, callers: Callers, now: float
    ) -> tuple[Caller, KeptAnswer]:
        """Return who asks, and the answer.

        Errors: Declined or KeyError if the general way has to answer; CambistError for what it will refuse; WouldBlock.
        """
        match = self.match(path)
        if match is None:
            raise Declined
        values = _read(query)
        dialect, route = match.routes[spoken_dialect([each for each, _ in match.routes.values()], values).name]
        brought = [values.pop(name).encode() for name in (QUERY_NAME, *dialect.key_parameters) if name in values]
        if match.key:
            brought.append(match.key)
        if len(brought) > 1 or not values.keys() <= {*(route.live_with or ())}:
            raise Declined
        key = brought[0] if brought else b""
        caller = callers.find(key, headers.key) if key or headers.key else callers.without_key()
        is_unplaced = route.names_address and not headers.address
        if is_unplaced or now >= caller.ends or route.tag not in caller.tags or caller.is_cut:
            raise Declined
        view = caller.view
        if view.responses.state[0] is not view.book:
            view.renew()
        address = f"{headers.address}{self._path_prefix}" if route.names_address else ""
        memo, accept = view.memo(route), headers.accept if route.negotiates else ""
        question = (*match.names.values(), *values.items(), address, accept)
        kept = memo.get(question)
        if kept is None or not kept.until - 1 <= now < kept.until or kept.matrix is not self._state.matrix:
            if len(memo) >= MOST_KEPT:
                memo.clear()
            call = Call({}, now, perf_counter_ns(), is_at_once=True, is_admitted=True, query=values)
            call.principal = caller.principal
            context = context_of(call, self._state)
            if context.book is not view.book:
                raise Declined
            asked = DialectRequest(context, call, match.names, values, address, accept)
            kept = memo[question] = self._made(dialect, route, asked)
        return caller, kept

    def _made(self, dialect: Dialect, route: DialectRoute, asked: DialectRequest) -> KeptAnswer:
        context, asked.call.today = asked.context, asked.context.today
        answer = route.answer(asked)  # about past days perhaps: callers whose plans limit these were declined
        until = min(float(int(asked.call.now) + 1), context.expires_at)
        head = self._head(route, answer, context.edition(is_live=answer.earliest_day is None))
        label = dialect.usage_label
        return KeptAnswer(until, context.matrix, label, route.template, answer.cost, head, answer.content)

    def _head(self, route: DialectRoute, answer: DialectAnswer, edition: str) -> bytes:
        named = [("X-Calls-Cost", str(answer.cost)), *([(EDITION_HEADER, edition)] if edition else [])]
        own = [("Content-Type", answer.media_type), *named, *cache_headers(route, answer), *answer.headers]
        return encode_headers([*own, *self._headers])


def _read(query: bytes) -> dict[str, str]:
    """Return the parameters of a query by name. Errors: Declined for one that the general way has to read."""
    if query.translate(None, PLAIN) or len(query) > _LONGEST_QUERY:
        raise Declined
    values: dict[str, str] = {}
    for part in query.decode("ascii").split("&") if query else ():
        name, _, value = part.partition("=")
        if not value or name in values:
            raise Declined
        values[name] = value
    return values


def _pattern(template: str) -> re.Pattern[bytes]:
    """Return what matches the paths of a template, with names that have nothing to decode."""
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[A-Za-z0-9_.-]{1,64})", template.replace(".", r"\.")).encode())
