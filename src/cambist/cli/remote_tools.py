"""Calling a tool of a running service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx2
import msgspec

from cambist.api.faces.mcp import PATH
from cambist.api.faces.mcp.protocol import ToolResult
from cambist.client.errors import ConnectionFailed, printable
from cambist.client.protocol import USER_AGENT, Configuration, unreachable
from cambist.client.transport import client_options
from cambist.errors import KeyRefused, RequestRefused

_OK, _UNAUTHORIZED, _NOT_FOUND = 200, 401, 404


class _Content(msgspec.Struct):
    text: str


class _Result(msgspec.Struct):
    content: list[_Content]
    is_error: bool = msgspec.field(default=False, name="isError")
    structured: Any = msgspec.field(default=None, name="structuredContent")


class _Broken(msgspec.Struct):
    message: str


class _Answer(msgspec.Struct):
    result: _Result | None = None
    error: _Broken | None = None


class _Refusal(msgspec.Struct):
    error: str


def call_remote_tool(configuration: Configuration, name: str, arguments: Mapping[str, Any]) -> ToolResult:
    """Return what a tool of a service answers. Errors: RequestRefused, ConnectionFailed."""
    params = {"name": name, "arguments": arguments}
    message = msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    headers = {"X-API-Key": configuration.key, "User-Agent": USER_AGENT, "Content-Type": "application/json"}
    try:
        with httpx2.Client(**client_options(configuration)) as http:
            response = http.post(f"{configuration.url}{PATH}", content=message, headers=headers)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise unreachable(configuration, error) from error
    if response.status_code != _OK:
        raise _refusal(configuration, response.status_code, response.content)
    try:
        answer = msgspec.json.decode(response.content, type=_Answer)
    except (ValueError, RecursionError) as error:
        raise ConnectionFailed(f"The answer of {configuration.url} is not understood: {error}") from error
    result = answer.result
    if result is None:
        raise RequestRefused(
            "The service refuses the call" if answer.error is None else printable(answer.error.message)
        )
    return ToolResult(" ".join(part.text for part in result.content), result.structured, result.is_error)


def _refusal(configuration: Configuration, status: int, content: bytes) -> Exception:
    if status == _NOT_FOUND:
        return RequestRefused(f"The service at {configuration.url} has no tools: it is older than this command")
    try:
        sentence = printable(msgspec.json.decode(content, type=_Refusal).error)
    except (ValueError, RecursionError):
        return ConnectionFailed(f"What answers at {configuration.url} is not Cambist (HTTP {status})")
    return KeyRefused(sentence) if status == _UNAUTHORIZED else RequestRefused(sentence)
