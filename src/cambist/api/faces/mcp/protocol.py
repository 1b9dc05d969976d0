"""The protocol: what each message is answered with, given a function that calls tools. No I/O, no state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cambist import __version__
from cambist.api.faces.mcp.messages import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    McpRequest,
    ProtocolError,
    decode,
    encode,
    error_message,
    identifier_of,
    is_response,
    read_request,
    result_message,
)
from cambist.api.faces.mcp.revisions import (
    REVISIONS,
    SERVER_KEY,
    STATELESS,
    WITH_BATCHES,
    McpHeaders,
    agreed_revision,
    check_header_alone,
    check_revision,
    is_stateless,
    unknown_method,
)

MAX_BATCH = 20
"""How many messages may be sent as one list."""

_LIST_MILLISECONDS = 3_600_000
"""How long clients may keep the list of tools: it changes with the version of the service alone."""

_SERVER = {"name": "cambist", "title": "Cambist", "version": __version__}
_INSTRUCTIONS = (
    "Exchange rates of currencies and coins, and prices of metals, now and on past days. Codes are those of ISO 4217, "
    "the usual ones of coins, and XAU, XAG and so on for metals; list_codes finds them by name. Rates are midpoints, "
    "written as texts with all their digits: repeat them as they are, with their date, age and source."
)
_OK, _ACCEPTED, _BAD_REQUEST, _NOT_FOUND, _FAILED = 200, 202, 400, 404, 500


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answers: a sentence, and the same as data. An error has a sentence alone."""

    text: str
    structured: Any = None
    is_error: bool = False


CallTool = Callable[[str, Mapping[str, Any]], ToolResult]
"""Calls the tool of a name with arguments. Errors: ProtocolError if there is no such tool."""


@dataclass(frozen=True, slots=True)
class McpReply:
    """The answer to what a client sent: its status over HTTP, and its content, empty if there is nothing to say."""

    status: int
    content: bytes = b""


def reply_to(
    content: bytes, headers: McpHeaders | None, listed: Sequence[Mapping[str, Any]], call: CallTool
) -> McpReply:
    """Answer a message, or a list of them. Without `headers` it came over a pipe, where there are none.

    `listed` describes the tools.
    """
    try:
        message = decode(content)
        if isinstance(message, list):
            return _reply_to_batch(message, headers, listed, call)
    except ProtocolError as error:
        return McpReply(_BAD_REQUEST, encode(error_message(None, error)))
    status, answer = _answer(message, headers, listed, call)
    return McpReply(status, b"" if answer is None else encode(answer))


def _reply_to_batch(
    messages: list[Any], headers: McpHeaders | None, listed: Sequence[Mapping[str, Any]], call: CallTool
) -> McpReply:
    if headers is not None and headers.revision not in (None, WITH_BATCHES):
        raise ProtocolError(INVALID_REQUEST, f"Invalid request: a list of messages is allowed in {WITH_BATCHES} alone")
    if not 0 < len(messages) <= MAX_BATCH:
        raise ProtocolError(INVALID_REQUEST, f"Invalid request: a list has from 1 to {MAX_BATCH} messages")
    answers = [answer for message in messages if (answer := _answer(message, headers, listed, call)[1]) is not None]
    return McpReply(_OK, encode(answers)) if answers else McpReply(_ACCEPTED)


def _answer(
    message: Any, headers: McpHeaders | None, listed: Sequence[Mapping[str, Any]], call: CallTool
) -> tuple[int, dict[str, Any] | None]:
    """Return the status and the answer to one message, None if it gets none."""
    stateless = headers is not None and headers.revision == STATELESS
    try:
        if is_response(message) and not stateless:
            return _ACCEPTED, None
        request = read_request(message)
        if request.is_notification:
            check_header_alone(headers)
            return _ACCEPTED, None
        stateless = is_stateless(request, headers)
        check_revision(request, headers)
        result = _result(request, listed, call, stateless=stateless)
    except ProtocolError as error:
        return _status(error, stateless=stateless), error_message(identifier_of(message), error)
    return _OK, result_message(request.identifier, result)


def _result(
    request: McpRequest, listed: Sequence[Mapping[str, Any]], call: CallTool, *, stateless: bool
) -> dict[str, Any]:
    """Return the result of a request. Errors: ProtocolError."""
    if request.method == "tools/call":
        return _called(request, call) | (_complete() if stateless else {})
    if request.method == "tools/list":
        if request.params.get("cursor") is not None:
            raise ProtocolError(INVALID_PARAMS, "Invalid params: there is no [cursor], all tools are on one page")
        return {"tools": listed} | (_cacheable() if stateless else {})
    if stateless and request.method == "server/discover":
        return {"supportedVersions": list(REVISIONS), **_description()} | _cacheable()
    if not stateless and request.method == "initialize":
        agreed = agreed_revision(request.params.get("protocolVersion"))
        return {"protocolVersion": agreed, "serverInfo": _SERVER, **_description()}
    if not stateless and request.method == "ping":
        return {}
    raise unknown_method(request.method)


def _called(request: McpRequest, call: CallTool) -> dict[str, Any]:
    name, arguments = request.params.get("name"), request.params.get("arguments")
    if not isinstance(name, str):
        raise ProtocolError(INVALID_PARAMS, "Invalid params: [name] is missing, or no text")
    if not isinstance(arguments, dict | None):
        raise ProtocolError(INVALID_PARAMS, "Invalid params: [arguments] must be an object")
    found = call(name, arguments or {})
    result: dict[str, Any] = {"content": [{"type": "text", "text": found.text}], "isError": found.is_error}
    return result if found.structured is None else {**result, "structuredContent": found.structured}


def _description() -> dict[str, Any]:
    return {"capabilities": {"tools": {}}, "instructions": _INSTRUCTIONS}


def _complete() -> dict[str, Any]:
    return {"resultType": "complete", "_meta": {SERVER_KEY: _SERVER}}


def _cacheable() -> dict[str, Any]:
    return {**_complete(), "ttlMs": _LIST_MILLISECONDS, "cacheScope": "public"}


def _status(error: ProtocolError, *, stateless: bool) -> int:
    """Return the HTTP status of an error. Clients with a handshake read errors of requests from answers with 200."""
    if stateless:
        return {METHOD_NOT_FOUND: _NOT_FOUND, INTERNAL_ERROR: _FAILED}.get(error.code, _BAD_REQUEST)
    return _OK if error.code in (METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR) else _BAD_REQUEST
