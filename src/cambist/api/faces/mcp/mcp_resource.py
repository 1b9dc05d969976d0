"""`POST /mcp`: the protocol over HTTP. Authenticates and charges a call of a tool like one of its endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import falcon
from msgspec import Struct

from cambist.accounts.account import DatetimeFormat
from cambist.accounts.reservation import Reservation
from cambist.api import errors
from cambist.api.answer.request_context import context_of
from cambist.api.call.admission import Admission, check_history, check_tag
from cambist.api.call.call import Call, call_in_thread
from cambist.api.call.settlement import Settlement
from cambist.api.faces.mcp import USAGE_LABEL
from cambist.api.faces.mcp.catalogue import described_tools, find_tool, refusal, run_tool
from cambist.api.faces.mcp.protocol import ToolResult, reply_to
from cambist.api.faces.mcp.revisions import McpHeaders
from cambist.api.faces.mcp.tool import Tool
from cambist.api.state.worker_state import WorkerState
from cambist.errors import RequestRefused, shorten

METHODS = ("POST", "OPTIONS")
MAX_BODY_BYTES = 64 * 1024

_FOREIGN_ORIGIN = errors.Problem(403, "foreign_origin")
_TOO_LARGE = errors.Problem(413, "too_large")
_NOT_JSON = errors.Problem(415, "not_json")
_LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(slots=True)
class _Calls:
    """The calls of tools in one request: how many there were, and what is reserved for them."""

    call: Call
    reservation: Reservation
    number: int = 0


class McpResource:
    """Answers POST alone. `origin` is the web page that browsers may call from, besides those of their own machine.

    `environment` is empty for live prices.
    """

    def __init__(
        self, worker_state: WorkerState, admission: Admission, settlement: Settlement, origin: str, environment: str
    ) -> None:
        self._worker_state = worker_state
        self._admission = admission
        self._settlement = settlement
        self._origin = origin
        self._environment = environment

    def on_post(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer, or raise one of the errors that `api.errors` turns into a response."""
        problem = self._problem(request)
        if problem is not None:
            errors.write_error(response, *problem)
            return
        content = request.bounded_stream.read(MAX_BODY_BYTES + 1)
        call = call_in_thread(request.env, self._worker_state.clock)
        self._admission.admit(call, ())
        with self._settlement.reserved(call, USAGE_LABEL) as reservation:
            calls = _Calls(call, reservation)
            reply = reply_to(content, _headers(request), described_tools(), lambda *asked: self._call(calls, *asked))
        response.status = reply.status
        response.set_header("Cache-Control", "no-store")
        response.set_header("X-Calls-Cost", str(reservation.cost))
        response.data = reply.content or None

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
        calls.number += 1
        try:
            if calls.number > 1:  # the first was counted with its request
                self._admission.count_again(calls.call)
            if len(tool.tags) == 1:
                check_tag(calls.call, tool.tags[0])
            return self._answer(calls, tool, tool.read(arguments))
        except RequestRefused as error:
            return refusal(error)

    def _answer(self, calls: _Calls, tool: Tool[Any, Any], params: Struct) -> ToolResult:
        """Return what a tool answers, and reserve its calls. Errors: RequestRefused."""
        endpoint, asked = tool.question(params)
        check_tag(calls.call, endpoint.tag)
        context = context_of(calls.call, self._worker_state, form=DatetimeFormat.ISO)
        if endpoint.earliest_day is not None:
            check_history(calls.call, endpoint.earliest_day(context, asked))
        result = run_tool(tool, context, params, self._environment)
        calls.reservation.add(1 if endpoint.cost is None else endpoint.cost(context, asked), "the call")
        return result


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
