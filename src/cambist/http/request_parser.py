"""Reading requests from the bytes of a connection, with httptools (the parser of Node.js)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any
from urllib.parse import unquote_to_bytes

import httptools

Environ = dict[str, Any]

MAX_HEAD_BYTES = 32 * 1024
"""The maximum size of a request's head; a longer one is answered with 431."""

MAX_BODY_BYTES = 1024 * 1024
"""The maximum size of a request's body; a longer one is answered with 413."""

_MALFORMED = 400, "Malformed request: it is not HTTP/1.1"
_NO_HOST = 400, "Malformed request: the header [Host] is missing"
_HEAD_TOO_LONG = 431, f"Malformed request: its line and headers are longer than {MAX_HEAD_BYTES} bytes"
_BODY_TOO_LONG = 413, f"Malformed request: its body is longer than {MAX_BODY_BYTES} bytes"

_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_METHODS = {name.encode(): name for name in ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE")}


class MalformedRequest(Exception):
    """A request that cannot be read: the status to answer with, and what is wrong with it in a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class ReceivedRequest:
    """A request: its WSGI environ (without what belongs to the server), its body, and whether the connection stays."""

    __slots__ = ("body", "environ", "keep_alive", "version")

    def __init__(self, environ: Environ) -> None:
        self.environ = environ
        self.body = b""
        self.keep_alive = True
        self.version = ""


class RequestParser:
    """Reads the requests of one connection from `peer`, an address.

    `is_between` says whether the last request was read to its end and no other has begun.
    """

    def __init__(self, peer: str) -> None:
        self._peer = peer
        self._parser = httptools.HttpRequestParser(self)
        self._complete: list[ReceivedRequest] = []
        self._request: ReceivedRequest | None = None
        self._url = b""
        self._size = self._fed = 0
        self._in_head = False
        self._expects = False

    @property
    def is_between(self) -> bool:
        """Whether no request has begun."""
        return self._request is None

    def expects_continue(self) -> bool:
        """Return once whether the client waits for `100 Continue` before it sends its body."""
        expects, self._expects = self._expects, False
        return expects and self._request is not None

    def read(self, data: bytes) -> list[ReceivedRequest]:
        """Return the requests that are complete with `data`. Errors: MalformedRequest, after which nothing is read."""
        if self._request is None and not data.isascii():
            data = _encoded_line(data)
        self._fed = self._fed + len(data) if self._in_head else 0
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            if self._complete:  # another protocol is not spoken here: the request is answered, and the connection ends
                self._complete[-1].keep_alive = False
        except httptools.HttpParserError as error:
            cause = error.__context__
            raise (cause if isinstance(cause, MalformedRequest) else MalformedRequest(*_MALFORMED)) from error
        if self._in_head:
            self._check_size()
        return self.take_complete()

    def take_complete(self) -> list[ReceivedRequest]:
        """Return the requests that are complete and were not returned before, also after MalformedRequest."""
        complete, self._complete = self._complete, []
        return complete

    # What the parser calls.

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._request = ReceivedRequest({"REMOTE_ADDR": self._peer})
        self._url = b""
        self._size = 0
        self._in_head = True

    def on_url(self, url: bytes) -> None:
        """Receive the target, or a part of it."""
        self._url += url
        self._size += len(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Receive a header. Several lines of one name are joined by commas."""
        request, key = self._request, _environ_name(name)
        if request is None or not key:
            return
        self._size += len(name) + len(value)
        text = value.decode("latin-1")
        environ = request.environ
        environ[key] = f"{environ[key]},{text}" if key in environ else text

    def on_headers_complete(self) -> None:
        """Finish the head: method, path and query."""
        request, parser = self._request, self._parser
        if request is None:
            return
        self._check_size()
        environ, self._in_head = request.environ, False
        method = parser.get_method()
        environ["REQUEST_METHOD"] = _METHODS.get(method) or method.decode("latin-1")
        path, _, query = _origin_form(self._url).partition(b"?")
        environ["PATH_INFO"] = (unquote_to_bytes(path) if b"%" in path else path).decode("latin-1")
        environ["QUERY_STRING"] = query.decode("latin-1")
        request.version = parser.get_http_version()
        if "HTTP_HOST" not in environ and request.version == "1.1":
            raise MalformedRequest(*_NO_HOST)
        self._expects = "HTTP_EXPECT" in environ

    def on_body(self, body: bytes) -> None:
        """Receive a part of the body."""
        request = self._request
        if request is None:
            return
        if len(request.body) + len(body) > MAX_BODY_BYTES:
            raise MalformedRequest(*_BODY_TOO_LONG)
        request.body += body

    def on_message_complete(self) -> None:
        """Finish a request."""
        request = self._request
        if request is not None:
            request.keep_alive = self._parser.should_keep_alive()
            self._complete.append(request)
        self._request = None

    def _check_size(self) -> None:
        if max(self._size, self._fed) > MAX_HEAD_BYTES:
            raise MalformedRequest(*_HEAD_TOO_LONG)


@lru_cache(maxsize=512)
def _environ_name(name: bytes) -> str:
    """Return the name of a header in a WSGI environ; empty if it could be mistaken for that of another header."""
    if b"_" in name:
        return ""
    cgi = name.decode("latin-1").upper().replace("-", "_")
    return cgi if cgi in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{cgi}"


def _encoded_line(data: bytes) -> bytes:
    """Return data whose first line has no bytes beyond ASCII: some clients send the letters of a query as they are."""
    line, end, rest = data.partition(b"\r\n")
    return _BEYOND_ASCII.sub(lambda found: b"%%%02X" % ord(found[0]), line) + end + rest


def _origin_form(url: bytes) -> bytes:
    """Return path and query of a target, which proxies may send with scheme and host."""
    if url.startswith(b"/"):
        return url.partition(b"#")[0] if b"#" in url else url
    try:
        parsed = httptools.parse_url(url)
    except httptools.HttpParserInvalidURLError:
        return url
    path = parsed.path or b"/"
    return path if not parsed.query else path + b"?" + parsed.query
