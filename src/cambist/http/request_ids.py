"""Identifiers of requests: that of the client if it sends one, else a new one."""

from __future__ import annotations

import os
import re
import secrets
from itertools import count

from cambist.http.request_parser import Environ

REQUEST_ID = "cambist.request_id"
"""The key in the environ of the identifier of a request."""

_PLAUSIBLE = re.compile(r"[!-~]{1,128}")

_process = secrets.token_hex(4)
_header = f"x-request-id: {_process}-%x\r\n".encode()
_numbers = count(1)


def _renew() -> None:
    global _header, _process  # noqa: PLW0603  one for each process
    _process = secrets.token_hex(4)
    _header = f"x-request-id: {_process}-%x\r\n".encode()


os.register_at_fork(after_in_child=_renew)


def new_request_id() -> str:
    """Return an identifier that no other request of any process has."""
    return f"{_process}-{next(_numbers):x}"


def request_id_header() -> bytes:
    """Return the header `X-Request-Id` with a new identifier."""
    return _header % next(_numbers)


def request_id_of(environ: Environ) -> str:
    """Return the identifier of a request: printable ASCII without spaces, of at most 128 characters."""
    sent: str = environ.get("HTTP_X_REQUEST_ID", "")
    return sent if sent and _PLAUSIBLE.fullmatch(sent) else new_request_id()


def is_sent(environ: Environ) -> bool:
    """Return whether the client has sent an identifier, so that the same bytes have the same one."""
    return "HTTP_X_REQUEST_ID" in environ


def with_request_id(response: bytes, request_id: str) -> bytes:
    """Return a response with the header `X-Request-Id`."""
    end = response.index(b"\r\n") + 2
    return b"%bx-request-id: %b\r\n%b" % (response[:end], request_id.encode(), response[end:])
