"""Calling a WSGI application for a request that was read completely."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any

from cambist.http.file_body import FileBody
from cambist.http.request_parser import Environ, ReceivedRequest
from cambist.http.responses import encode_response

Start = Callable[..., Any]
Wsgi = Callable[[Environ, Start], Iterable[bytes]]


def call_wsgi(
    application: Wsgi, request: ReceivedRequest, server: tuple[str, int], scheme: str
) -> tuple[bytes, FileBody | None]:
    """Return the response of an application: all of it, or its head and the file with its body.

    Errors: those that the application raises.
    """
    environ = _complete(request, server, scheme)
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start(status: str, headers: list[tuple[str, str]], *_more: object) -> Callable[[bytes], None]:
        started[:] = [(status, headers)]
        return _refuse_write

    body = application(environ, start)
    if isinstance(body, FileBody):
        return encode_response(*started[0], b"", is_head=True), body
    try:
        content = b"".join(body)
    finally:
        close = getattr(body, "close", None)
        if close is not None:
            close()
    status, headers = started[0]
    return encode_response(status, headers, content, is_head=environ["REQUEST_METHOD"] == "HEAD"), None


def _complete(request: ReceivedRequest, server: tuple[str, int], scheme: str) -> Environ:
    environ = request.environ
    environ.update(
        {
            "SCRIPT_NAME": "",
            "SERVER_NAME": server[0],
            "SERVER_PORT": str(server[1]),
            "SERVER_PROTOCOL": f"HTTP/{request.version}",
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": scheme,
            "wsgi.input": BytesIO(request.body),
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": True,
            "wsgi.run_once": False,
            "CONTENT_LENGTH": str(len(request.body)),
        }
    )
    return environ


def _refuse_write(_data: bytes) -> None:
    raise NotImplementedError("The write function of WSGI is not supported: return the body")
