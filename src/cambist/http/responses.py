"""Writing responses as bytes, each with an identifier: that of the client if it sends one, else a new one."""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Sequence
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from itertools import count
from time import time

from cambist.http.request_parser import Environ

REQUEST_ID = "cambist.request_id"
"""The key in the environ of the identifier of a request."""

_BODYLESS = (204, 304)

_PLAUSIBLE = re.compile(r"[!-~]{1,128}")

_process = secrets.token_hex(4)
_numbers = count(1)
_OK = "HTTP/1.1 200 OK\r\nx-request-id: {}-%x\r\n"
_ok = _OK.format(_process).encode()


def _renew() -> None:
    global _ok, _process  # noqa: PLW0603  one for each process
    _process = secrets.token_hex(4)
    _ok = _OK.format(_process).encode()


os.register_at_fork(after_in_child=_renew)

_date: tuple[float, bytes] = (-1.0, b"")


def date_header(now: float) -> bytes:
    """Return the header `Date` at a time in seconds since 1970, made once a second."""
    global _date  # noqa: PLW0603  one for all connections
    until, line = _date
    if not until - 1 <= now < until:
        line = f"date: {formatdate(now, usegmt=True)}\r\n".encode()
        _date = now // 1 + 1, line
    return line


def encode_headers(headers: Sequence[tuple[str, str]]) -> bytes:
    """Return headers as they are sent, their names in lower case. Errors: ValueError for a value with a line break."""
    text = "".join([f"{name.lower()}: {value}\r\n" for name, value in headers])
    if not text.count("\n") == text.count("\r") == len(headers):
        raise ValueError("A header contains a line break")
    return text.encode("latin-1")


def encode_response(status: str, headers: list[tuple[str, str]], body: bytes, *, is_head: bool = False) -> bytes:
    """Return a response with `Date` and, unless its status has no body, `Content-Length`."""
    has_length = any(name.lower() == "content-length" for name, _ in headers)
    length = b"" if has_length or int(status[:3]) in _BODYLESS else b"content-length: %d\r\n" % len(body)
    head = b"HTTP/1.1 %b\r\n%b%b%b\r\n" % (
        status.encode("latin-1"),
        encode_headers(headers),
        date_header(time()),
        length,
    )
    return head if is_head else head + body


@lru_cache(maxsize=64)
def status_line(status: int) -> str:
    """Return a status with its phrase, such as `404 Not Found`."""
    return f"{status} {HTTPStatus(status).phrase}"


def encode_malformed(status: int, sentence: str) -> bytes:
    """Return the response to a request that cannot be read; the connection ends after it."""
    body = json.dumps({"error": sentence, "code": "malformed_request"}, separators=(",", ":")).encode()
    headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store"), ("Server", "cambist")]
    return encode_response(status_line(status), [*headers, ("Connection", "close")], body)


def finished(response: bytes, request_id: str, version: str, *, keep_alive: bool) -> bytes:
    """Return a response with the identifier of its request, and a header `Connection` if its HTTP version needs one."""
    if keep_alive and version != "1.0":
        return with_request_id(response, request_id)
    line, _, rest = with_request_id(response, request_id).partition(b"\r\n")
    return b"%b\r\nconnection: %b\r\n%b" % (line, b"keep-alive" if keep_alive else b"close", rest)


def new_request_id() -> str:
    """Return an identifier that no other request of any process has."""
    return f"{_process}-{next(_numbers):x}"


def encode_ok(head: bytes, more: bytes, now: float, body: bytes) -> bytes:
    """Return a response with status 200, a new identifier, encoded headers, the date and a body: in half a microsecond.

    `head` and `more` are encoded headers; `now` is in seconds since 1970.
    """
    length = b"content-length: %d\r\n\r\n" % len(body)
    return b"".join((_ok % next(_numbers), head, more, date_header(now), length, body))


def request_id_of(environ: Environ) -> str:
    """Return the identifier of a request: printable ASCII without spaces, of at most 128 characters."""
    sent: str = environ.get("HTTP_X_REQUEST_ID", "")
    return sent if sent and _PLAUSIBLE.fullmatch(sent) else new_request_id()


def without_request_id(response: bytes) -> bytes:
    """Return a response of `encode_ok` without the header `X-Request-Id`, for a request that has an identifier."""
    line, _, rest = response.partition(b"\r\n")
    return line + rest[rest.index(b"\r\n") :]


def with_request_id(response: bytes, request_id: str) -> bytes:
    """Return a response with the header `X-Request-Id`."""
    end = response.index(b"\r\n") + 2
    return b"%bx-request-id: %b\r\n%b" % (response[:end], request_id.encode(), response[end:])
