"""`POST /mcp`: the protocol over HTTP. Authenticates and charges a call of a tool like one of its endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import falcon

from cambist.accounts.account import DatetimeFormat
from cambist.accounts.meter import Meter
from cambist.accounts.principal import Principal
from cambist.accounts.reservation import Reservation
from cambist.api import errors
from cambist.api.authentication import QUERY_NAME, Authenticator, check_history, check_tag, first_day_of
from cambist.api.mcp import USAGE_LABEL
from cambist.api.mcp.catalogue import described_tools, find_tool, refusal, run_tool
from cambist.api.mcp.protocol import ToolResult, reply_to
from cambist.api.mcp.revisions import McpHeaders
from cambist.api.parameters import parse_query
from cambist.api.request_context import RequestContext
from cambist.api.resource import PRINCIPAL
from cambist.api.worker_state import WorkerState
from cambist.errors import RequestRefused, shorten
from cambist.http.delivery import on_delivery

METHODS = ("POST", "OPTIONS")
MAX_BODY_BYTES = 64 * 1024

_FOREIGN_ORIGIN = errors.Problem(403, "foreign_origin")
_TOO_LARGE = errors.Problem(413, "too_large")
_NOT_JSON = errors.Problem(415, "not_json")
_LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(slots=True)
class _Calls:
    """The calls of tools in one request: who pays, when, how many there were, and what is reserved for them."""

    principal: Principal
    now: float
    reservation: Reservation
    number: int = 0


class McpResource:
    """Answers POST alone. `origin` is the web page that browsers may call from, besides those of their own machine.

    `environment` is empty for live prices.
    """

    def __init__(
        self, worker_state: WorkerState, authenticator: Authenticator, meter: Meter, origin: str, environment: str
    ) -> None:
        self._worker_state = worker_state
        self._authenticator = authenticator
        self._meter = meter
        self._origin = origin
        self._environment = environment

    def on_post(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer, or raise one of the errors that `api.errors` turns into a response."""
        problem = self._problem(request)
        if problem is not None:
            errors.write_error(response, *problem)
            return
        content = request.bounded_stream.read(MAX_BODY_BYTES + 1)
        now = self._worker_state.clock()
        query_key = parse_query(request.env["QUERY_STRING"]).get(QUERY_NAME, "").strip()
        principal = self._authenticator.authenticate(request.env, query_key, now)
        request.env[PRINCIPAL] = principal
        self._meter.check_rate(principal, now)
        with Reservation(self._meter, principal, now) as reservation:
            calls = _Calls(principal, now, reservation)
            reply = reply_to(content, _headers(request), described_tools(), lambda *call: self._call(calls, *call))
            response.status = reply.status
            response.set_header("Cache-Control", "no-store")
            response.set_header("X-Calls-Cost", str(reservation.cost))
            response.data = reply.content or None
            if reservation.cost:
                on_delivery(request.env, reservation.hand_over(USAGE_LABEL))

    def on_get(self, _request: falcon.Request, response: falcon.Response) -> None:
        """Refuse another method: there are no sessions to end, and no streams to open."""
        response.set_header("Allow", ", ".join(METHODS))
        errors.write_error(response, errors.WRONG_METHOD, "Method not allowed: use POST")

    on_head = on_put = on_patch = on_delete = on_get

    def _problem(self, request: falcon.Request) -> tuple[errors.Problem, str] | None:
        """Return why a request is not read at all."""
        origin = request.get_header("Origin") or ""
        if not _is_allowed(origin, self._origin):
            return _FOREIGN_ORIGIN, f"Pages of [{shorten(origin)}] may not call tools; see the setting [cors_origin]"
        media_type = (request.content_type or "").partition(";")[0].strip().lower()
        if media_type != "application/json":
            return _NOT_JSON, f"The body must be JSON: [Content-Type] is [{shorten(media_type)}], use application/json"
        if (request.content_length or 0) > MAX_BODY_BYTES:
            return _TOO_LARGE, f"The body has {request.content_length} bytes, at most {MAX_BODY_BYTES} are read"
        return None

    def _call(self, calls: _Calls, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call a tool. What a model can put right or must know is its answer, as an error. Errors: ProtocolError."""
        tool = find_tool(name)
        principal, now, meter = calls.principal, calls.now, self._meter
        calls.number += 1
        try:
            if calls.number > 1:  # the first was counted with its request
                meter.check_rate(principal, now)
            params = tool.read(arguments)
            endpoint, asked = tool.question(params)
            check_tag(principal, endpoint.tag)
            context = self._context(principal, now)
            cost = 1 if endpoint.cost is None else endpoint.cost(context, asked)
            if endpoint.earliest_day is not None:
                day = endpoint.earliest_day(context, asked)
                if day is not None:
                    check_history(principal, day, context.today)
            calls.reservation.add(cost, "the call")
            try:
                return run_tool(tool, context, params, self._environment)
            except RequestRefused:
                calls.reservation.remove(cost)
                raise
        except RequestRefused as error:
            return refusal(error)

    def _context(self, principal: Principal, now: float) -> RequestContext:
        state = self._worker_state
        book = state.caches.for_view(principal.book_view).state[0]
        reach = first_day_of(principal, self._meter.today(now))
        return RequestContext(state, book, now, DatetimeFormat.ISO, reach)


def _is_allowed(origin: str, own: str) -> bool:
    """Return whether a request may come from a page of this origin: an own one, or one of the user's machine.

    The name that the browser asked proves nothing: a page of strangers may lead its own name to this address.
    """
    if not origin or (origin == own and own != "*"):
        return True
    try:
        return urlsplit(origin).hostname in _LOCAL_NAMES
    except ValueError:
        return False


def _headers(request: falcon.Request) -> McpHeaders:
    return McpHeaders(
        request.get_header("MCP-Protocol-Version"), request.get_header("Mcp-Method"), request.get_header("Mcp-Name")
    )
