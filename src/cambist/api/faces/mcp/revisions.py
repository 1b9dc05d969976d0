"""The revisions of the protocol, and which one a request follows.

Since the revision 2026-07-28 each request names its revision, and over HTTP repeats its method and the name of its tool
in headers. Earlier revisions begin with a handshake, `initialize`, which is answered here from the request alone.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

from cambist.api.faces.mcp.messages import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    UNSUPPORTED_REVISION,
    McpRequest,
    ProtocolError,
)
from cambist.errors import shorten

STATELESS = "2026-07-28"
WITH_HANDSHAKE = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
REVISIONS = (STATELESS, *WITH_HANDSHAKE)
WITH_BATCHES = "2025-03-26"
"""The revision in which several messages may be sent as a list; it has no header that names it."""

REVISION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"

_ENCODED = "=?base64?"


@dataclass(frozen=True, slots=True)
class McpHeaders:
    """The headers of a request over HTTP that repeat what is in its body; None if one is missing."""

    revision: str | None = None
    method: str | None = None
    name: str | None = None


def is_stateless(request: McpRequest, headers: McpHeaders | None) -> bool:
    """Return whether a request claims to follow the newest revision; without `headers` it came over a pipe."""
    return REVISION_KEY in request.meta or (headers is not None and headers.revision == STATELESS)


def check_revision(request: McpRequest, headers: McpHeaders | None) -> None:
    """Refuse a request of a revision that is not supported, or whose headers and body differ. Errors: ProtocolError."""
    if not is_stateless(request, headers):
        check_header_alone(headers)
        return
    _check_meta(request)
    if headers is not None:
        _check_headers(request, headers)
    revision = request.meta[REVISION_KEY]
    if not isinstance(revision, str):
        raise ProtocolError(INVALID_PARAMS, f"Invalid params: [{REVISION_KEY}] must be a text")
    if revision != STATELESS:
        raise unsupported(revision)


def check_header_alone(headers: McpHeaders | None) -> None:
    """Refuse a message of a revision that is not supported, by its header. Errors: ProtocolError."""
    if headers is not None and headers.revision is not None and headers.revision not in REVISIONS:
        raise unsupported(headers.revision)


def agreed_revision(requested: object) -> str:
    """Return the revision that a handshake agrees on: the requested one, or the newest that has a handshake."""
    return requested if isinstance(requested, str) and requested in WITH_HANDSHAKE else WITH_HANDSHAKE[0]


def unsupported(revision: str) -> ProtocolError:
    """Return the error for a revision that is not supported; it names those that are."""
    data = {"supported": list(REVISIONS), "requested": shorten(revision)}
    return ProtocolError(UNSUPPORTED_REVISION, "Unsupported protocol version", data)


def unknown_method(method: str) -> ProtocolError:
    """Return the error for a method that there is not in the revision of the request."""
    return ProtocolError(METHOD_NOT_FOUND, f"Method not found: [{shorten(method)}]")


def _check_meta(request: McpRequest) -> None:
    missing = [key for key in (REVISION_KEY, CAPABILITIES_KEY) if key not in request.meta]
    if missing:
        raise ProtocolError(INVALID_PARAMS, f"Invalid params: [_meta] has no {', '.join(missing)}")


def _check_headers(request: McpRequest, headers: McpHeaders) -> None:
    """Refuse a request whose headers say something else than its body: a proxy may have decided by them."""
    _check_header("MCP-Protocol-Version", headers.revision, request.meta[REVISION_KEY])
    _check_header("Mcp-Method", headers.method, request.method)
    name = request.params.get("name")
    if request.method == "tools/call" and name is not None:
        _check_header("Mcp-Name", _decoded(headers.name), name)


def _check_header(header: str, sent: str | None, in_body: object) -> None:
    if sent is None:
        raise ProtocolError(HEADER_MISMATCH, f"Header mismatch: [{header}] is missing or malformed")
    if sent != in_body:
        raise ProtocolError(
            HEADER_MISMATCH, f"Header mismatch: [{header}] is [{shorten(sent)}], the body has another value"
        )


def _decoded(value: str | None) -> str | None:
    """Return the value of a header that may be encoded, because it is not plain ASCII; None if it is malformed."""
    if value is None or not (value.startswith(_ENCODED) and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[len(_ENCODED) : -2], validate=True).decode()
    except (binascii.Error, ValueError):
        return None
