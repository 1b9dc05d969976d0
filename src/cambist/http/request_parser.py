"""Reading requests from the bytes of a connection, with httptools (the parser of Node.js)."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any
from urllib.parse import unquote_to_bytes

import httptools

Environ = dict[str, Any]

MAX_HEAD_BYTES = 32 * 1024
"""The maximum size of a request's head; a longer one is answered with 431."""

MAX_BODY_BYTES = 1024 * 1024
"""The maximum size of a request's body; a longer one is answered with 413."""

MAX_FRAMING_BYTES = 128 * 1024
"""How much may frame a chunked body: sizes and extensions of chunks, and trailers. A chunk costs five or more."""

_MALFORMED = 400, "Malformed request: it is not HTTP/1.1"
_NO_HOST = 400, "Malformed request: the header [Host] is missing"
_SEVERAL_HOSTS = 400, "Malformed request: the header [Host] is there more than once"
_TRANSFER_BEFORE_1_1 = 400, "Malformed request: [Transfer-Encoding] is not part of HTTP/1.0"
_OTHER_TRANSFER = 501, "Malformed request: [Transfer-Encoding] may only be [chunked]"
_OTHER_EXPECTATION = 417, "Malformed request: [Expect] may only be [100-continue]"
_OTHER_VERSION = 505, "Malformed request: only HTTP/1.1 and HTTP/1.0 are spoken here"
_HEAD_TOO_LONG = 431, f"Malformed request: its line and headers are longer than {MAX_HEAD_BYTES} bytes"
_TRAILERS_TOO_LONG = 431, f"Malformed request: its trailers are longer than {MAX_HEAD_BYTES} bytes"
_TOO_MUCH_FRAMING = 413, f"Malformed request: what frames its chunks is longer than {MAX_FRAMING_BYTES} bytes"

_LINE_BYTES = 4
"""What a header has besides its name and value: colon, space and line break."""

_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_METHODS = {name.encode(): name for name in ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE")}


def any_body(_environ: Environ) -> int:
    """Want the longest body of every request."""
    return MAX_BODY_BYTES


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


def is_plain(request: ReceivedRequest, data: bytes) -> bool:
    """Return whether the same bytes are always this request, and leave the connection as it was."""
    is_whole = request.version == "1.1" and not request.body and data.endswith(b"\r\n\r\n")
    return is_whole and request.keep_alive and "HTTP_X_REQUEST_ID" not in request.environ


class RequestParser:
    """Reads the requests of one connection from `peer`, an address.

    `body_limit` returns, for the environ of a request whose head was read, how many bytes its body may have. If it
    wants none, the request is complete without its body, it is the last one, and nothing after its head is read.
    Trailers are counted and dropped: nothing after the head changes a request.
    """

    def __init__(self, peer: str, body_limit: Callable[[Environ], int] = any_body) -> None:
        self._peer = peer
        self._body_limit = body_limit
        self._parser: httptools.HttpRequestParser | None = httptools.HttpRequestParser(self)
        self._complete: list[ReceivedRequest] = []
        self._request: ReceivedRequest | None = None
        self.is_between = True
        """Whether no request has begun, and another may."""
        self._url = b""
        self._body = bytearray()
        self._limit = 0
        self._size = self._fed = 0
        self._in_head = False
        self._expects = False
        self._fault: tuple[int, str] | None = None

    def close(self) -> None:
        """Read nothing more. The parser refers to this object: without that, both are freed at once."""
        self._parser = self._request = None
        self.is_between = False
        self._body = bytearray()
        self._complete = []

    def expects_continue(self) -> bool:
        """Return once whether the client waits for `100 Continue` before it sends its body."""
        expects, self._expects = self._expects, False
        return expects and self._request is not None

    def read(self, data: bytes) -> list[ReceivedRequest]:
        """Return the requests that are complete with `data`. Errors: MalformedRequest, after which nothing is read."""
        parser = self._parser
        if parser is None:
            return []
        if self._request is None and not data.isascii():
            data = _encoded_line(data)
        self._fed = 0 if self._request is None else self._fed + len(data)
        is_read = True
        try:
            parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            if self._complete:  # another protocol is not spoken here: the request is answered, and the connection ends
                self._complete[-1].keep_alive = False
        except httptools.HttpParserError:
            is_read = False
        if is_read and self._request is not None:
            self._check_fed()
        fault = self._fault
        if fault is None and not is_read and self._parser is not None:
            fault = _MALFORMED
        if fault is not None:
            complete = self._complete
            self.close()
            self._complete = complete
            raise MalformedRequest(*fault)
        return self.take_complete()

    def take_complete(self) -> list[ReceivedRequest]:
        """Return the requests that are complete and were not returned before, also after MalformedRequest."""
        complete, self._complete = self._complete, []
        return complete

    # What the parser calls.

    def on_message_begin(self) -> None:
        """Begin a request."""
        self.is_between = False
        self._request = ReceivedRequest({"REMOTE_ADDR": self._peer})
        self._url = b""
        self._size = self._fed = 0
        self._in_head = True

    def on_url(self, url: bytes) -> None:
        """Receive the target, or a part of it."""
        self._url += url
        self._size += len(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Receive a header. Several lines of one name are joined by commas."""
        request = self._request
        if request is None:
            return
        self._size += len(name) + len(value) + _LINE_BYTES
        if self._size > MAX_HEAD_BYTES:
            self._refuse(_HEAD_TOO_LONG if self._in_head else _TRAILERS_TOO_LONG)
        key = _environ_name(name) if self._in_head else ""
        if not key:
            return
        text = value.decode("latin-1")
        environ = request.environ
        environ[key] = f"{environ[key]},{text}" if key in environ else text

    def on_headers_complete(self) -> None:
        """Finish the head: method, path and query. A request with a body goes on only if that is wanted."""
        request, parser = self._request, self._parser
        if request is None or parser is None:
            return
        environ, self._in_head = request.environ, False
        if self._size > MAX_HEAD_BYTES:
            self._refuse(_HEAD_TOO_LONG)
        method = parser.get_method()
        environ["REQUEST_METHOD"] = _METHODS.get(method) or method.decode("latin-1")
        path, _, query = _origin_form(self._url).partition(b"?")
        environ["PATH_INFO"] = (unquote_to_bytes(path) if b"%" in path else path).decode("latin-1")
        environ["QUERY_STRING"] = query.decode("latin-1")
        request.version = version = parser.get_http_version()
        fault = head_fault(environ, version)
        if fault is not None:
            self._refuse(fault)
        self._size = 0
        self._expects = version == "1.1" and "HTTP_EXPECT" in environ
        if "HTTP_TRANSFER_ENCODING" in environ or environ.get("CONTENT_LENGTH", "0").strip("0"):
            self._begin_body(request)

    def _begin_body(self, request: ReceivedRequest) -> None:
        self._body = bytearray()
        self._limit = limit = self._body_limit(request.environ)
        if not limit:
            request.keep_alive = False
            complete = [*self._complete, request]
            self.close()
            self._complete = complete
            raise _Stopped
        if int(request.environ.get("CONTENT_LENGTH", 0)) > limit:
            self._refuse(_too_long(limit))

    def on_body(self, body: bytes) -> None:
        """Receive a part of the body."""
        if len(self._body) + len(body) > self._limit:
            self._refuse(_too_long(self._limit))
        self._body += body

    def on_message_complete(self) -> None:
        """Finish a request."""
        request, parser = self._request, self._parser
        if request is not None and parser is not None:
            if self._body:
                request.body, self._body = bytes(self._body), bytearray()
            request.keep_alive = parser.should_keep_alive()
            self._complete.append(request)
            self.is_between = True
        self._request = None

    def _refuse(self, fault: tuple[int, str]) -> None:
        self._fault = fault
        raise _Stopped

    def _check_fed(self) -> None:
        """Note a fault if a head, or what frames a body, is too long; bytes that the parser keeps count too."""
        if self._in_head and max(self._size, self._fed) > MAX_HEAD_BYTES:
            self._fault = _HEAD_TOO_LONG
        elif not self._in_head and self._fed - len(self._body) > MAX_FRAMING_BYTES:
            self._fault = _TOO_MUCH_FRAMING


class _Stopped(Exception):
    """Stops the parser; why is noted beside it, because an error that is kept keeps all that it passed."""


def head_fault(environ: Environ, version: str) -> tuple[int, str] | None:
    """Return what is wrong with a head that the parser lets pass: status and sentence."""
    if version not in ("1.1", "1.0"):
        return _MALFORMED if version == "0.9" else _OTHER_VERSION
    host = environ.get("HTTP_HOST")
    if host is None:
        if version == "1.1":
            return _NO_HOST
    elif "," in host:
        return _SEVERAL_HOSTS
    return _framing_fault(environ, version)


def _framing_fault(environ: Environ, version: str) -> tuple[int, str] | None:
    coding, expected = environ.get("HTTP_TRANSFER_ENCODING"), environ.get("HTTP_EXPECT")
    if coding is not None and version == "1.0":
        return _TRANSFER_BEFORE_1_1
    if coding is not None and coding.strip().lower() != "chunked":
        return _OTHER_TRANSFER
    if expected is not None and version == "1.1" and expected.strip().lower() != "100-continue":
        return _OTHER_EXPECTATION
    return None


def _too_long(limit: int) -> tuple[int, str]:
    return 413, f"Malformed request: its body is longer than {limit} bytes"


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
