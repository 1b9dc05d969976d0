"""The messages of the protocol, which are those of JSON-RPC 2.0: reading requests, and writing results and errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import msgspec

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020
UNSUPPORTED_REVISION = -32022

RequestId = str | int

_DECODER = msgspec.json.Decoder(float_hook=Decimal)
"""Keeps every digit of an amount."""


class ProtocolError(Exception):
    """A message that breaks the protocol: the code of the error, a sentence, and data about it."""

    def __init__(self, code: int, sentence: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.data = data


@dataclass(frozen=True, slots=True)
class McpRequest:
    """A request; one without an `identifier` is a notification, which gets no answer."""

    method: str
    identifier: RequestId | None = None
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_notification(self) -> bool:
        """Whether nobody waits for an answer."""
        return self.identifier is None

    @property
    def meta(self) -> Mapping[str, Any]:
        """What the client says about itself in each request since the revision 2026-07-28."""
        found = self.params.get("_meta")
        return found if isinstance(found, dict) else {}


def decode(content: bytes) -> Any:
    """Return the value of a message. Errors: ProtocolError."""
    try:
        return _DECODER.decode(content)
    except (ArithmeticError, ValueError, RecursionError):
        raise ProtocolError(PARSE_ERROR, "Parse error: the message is not JSON") from None


def identifier_of(message: Any) -> RequestId | None:
    """Return the id of a message if it has a valid one."""
    found = message.get("id") if isinstance(message, dict) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def is_response(message: Any) -> bool:
    """Return whether a message answers a request; the service sends none."""
    return isinstance(message, dict) and "method" not in message and ("result" in message or "error" in message)


def read_request(message: Any) -> McpRequest:
    """Read a request or a notification. Errors: ProtocolError."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, "Invalid request: a message is an object with [jsonrpc] 2.0")
    method, params = message.get("method"), message.get("params", {})
    if not isinstance(method, str):
        raise ProtocolError(INVALID_REQUEST, "Invalid request: [method] is missing, or no text")
    identifier = identifier_of(message)
    if identifier is None and "id" in message:
        raise ProtocolError(INVALID_REQUEST, "Invalid request: [id] must be a text or a whole number")
    if not isinstance(params, dict):
        raise ProtocolError(INVALID_PARAMS, "Invalid params: they must be an object")
    return McpRequest(method, identifier, params)


def result_message(identifier: RequestId | None, result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to a request."""
    return {"jsonrpc": "2.0", "id": identifier, "result": result}


def error_message(identifier: RequestId | None, error: ProtocolError) -> dict[str, Any]:
    """Return the answer to a message that breaks the protocol."""
    described: dict[str, Any] = {"code": error.code, "message": str(error)}
    if error.data is not None:
        described["data"] = error.data
    return {"jsonrpc": "2.0", "id": identifier, "error": described}


def encode(message: object) -> bytes:
    """Return the bytes of an answer, on one line."""
    return msgspec.json.encode(message)
