"""The HTTP server of the operator's port: few connections, each with a deadline, and only for its own host names."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from contextlib import suppress
from http.client import LineTooLong
from io import BytesIO
from secrets import compare_digest
from socketserver import TCPServer, ThreadingMixIn
from time import monotonic
from typing import Any, BinaryIO, cast
from wsgiref.headers import Headers
from wsgiref.simple_server import ServerHandler, WSGIRequestHandler, WSGIServer

import msgspec

from cambist.http.request_parser import MAX_HEAD_BYTES

MAX_CONNECTIONS = 16
"""The most connections whose request is being read: one more closes the oldest. So many are answered at once."""

MAX_SECONDS = 5.0
"""How long a request may take to arrive, and how long a client may leave a part of its answer unread."""

ANSWER_SECONDS = 60.0
"""How long an answer may take once its request has arrived: a busy machine is slow, and a client should know why."""

MAX_BODY = 1 << 20
"""The longest body of a request that is read, in bytes."""

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})

_SECURITY_HEADERS = (("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"))

Start = Callable[..., Any]
Application = Callable[[dict[str, Any], Start], Iterable[bytes]]


def listen(
    address: str,
    port: int,
    application: Application,
    names: AbstractSet[str] | None,
    certificate: ssl.SSLContext | None = None,
) -> WSGIServer:
    """Listen on an address, and answer requests for one of these host names; None: for any. Errors: OSError."""
    server = _Server(address, port, certificate)
    server.set_app(application if names is None else _HostCheck(application, names))
    return server


def answer(start: Start, status: str, body: object, *headers: tuple[str, str]) -> Iterable[bytes]:
    """Answer with JSON."""
    start(status, [("Content-Type", "application/json"), ("Cache-Control", "no-store"), *headers])
    return [msgspec.json.encode(body)]


def answer_wrong_method(start: Start, allowed: str) -> Iterable[bytes]:
    """Answer that a path takes only the methods of a list."""
    error = {"error": f"Method not allowed: use {allowed}"}
    return answer(start, "405 Method Not Allowed", error, ("Allow", allowed))


class TokenCheck:
    """Refuses requests for the metrics and the admin API that do not have the operator's token.

    Without a token the metrics are open, and there is no admin API.
    """

    def __init__(self, application: Application, token: str) -> None:
        self._application = application
        self._token = token.encode()

    def __call__(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        """Answer a request."""
        path = str(environ.get("PATH_INFO", ""))
        is_admin = path == "/admin" or path.startswith("/admin/")
        if is_admin and not self._token:
            error = {"error": "The admin API needs the setting [operator_token]", "code": "no_token_set"}
            return answer(start, "403 Forbidden", error)
        if not (is_admin or path == "/metrics") or not self._token or self._has_token(environ):
            return self._application(environ, start)
        error = {"error": "Send the operator's token as [Authorization: Bearer …]", "code": "wrong_token"}
        return answer(start, "401 Unauthorized", error, ("WWW-Authenticate", "Bearer"))

    def _has_token(self, environ: dict[str, Any]) -> bool:
        scheme, _, sent = str(environ.get("HTTP_AUTHORIZATION", "")).partition(" ")
        return scheme.lower() == "bearer" and compare_digest(sent.strip().encode(), self._token)


class _HostCheck:
    """Refuses other host names, so that no web page can read the answers by DNS rebinding."""

    def __init__(self, application: Application, names: AbstractSet[str]) -> None:
        self._application = application
        self._names = names

    def __call__(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        host = str(environ.get("HTTP_HOST", "localhost"))
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        if name.lower() in self._names:
            return self._application(environ, start)
        allowed = ", ".join(sorted(self._names))
        return answer(start, "421 Misdirected Request", {"error": f"Unknown host: [{host}], there are {allowed}"})


def _answer_busy(_environ: dict[str, Any], start: Start) -> Iterable[bytes]:
    error = {"error": f"The operator's port answers {MAX_CONNECTIONS} requests at once: try again"}
    return answer(start, "503 Service Unavailable", error, ("Retry-After", "1"))


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: str, port: int, certificate: ssl.SSLContext | None) -> None:
        self._certificate = certificate
        self._lock = threading.Lock()
        self._reading: dict[socket.socket, float] = {}
        self._answering: dict[socket.socket, float] = {}
        self._running = 0
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, port), _QuietHandler)

    def server_bind(self) -> None:
        """Bind the socket, without a question to DNS for the name of its address."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]  # type: ignore[assignment]
        self.setup_environ()

    def get_request(self) -> tuple[Any, Any]:
        """Accept a connection. The handshake of TLS is part of reading the request, in its thread."""
        request, address = super().get_request()
        if self._certificate:
            request = self._certificate.wrap_socket(request, server_side=True, do_handshake_on_connect=False)
        return request, address

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread. If there are too many, close the oldest that is being read, or else the new one."""
        with self._lock:
            is_full = self._running >= 2 * MAX_CONNECTIONS
            if not is_full:
                if len(self._reading) >= MAX_CONNECTIONS:
                    self._close(self._reading, next(iter(self._reading)))
                self._reading[request] = monotonic()
                self._running += 1
        if is_full:
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # the system gives no more threads
            self._count_ended()
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and count the thread as ended."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._count_ended()

    def shutdown_request(self, request: Any) -> None:
        """Close a connection. Its place is free before the client sees that, and may ask again."""
        with self._lock:
            self._reading.pop(request, None)
            self._answering.pop(request, None)
        super().shutdown_request(request)

    def application_for(self, request: socket.socket) -> Application:
        """Return what answers a request that has been read: it has the time for an answer, or is told to try again."""
        with self._lock:
            if len(self._answering) >= MAX_CONNECTIONS:
                return _answer_busy
            if self._reading.pop(request, None) is not None:
                self._answering[request] = monotonic()
        return cast("Application", self.get_app())

    def service_actions(self) -> None:
        """Close connections that have lasted too long; called twice a second."""
        with self._lock:
            for connections, longest in ((self._reading, MAX_SECONDS), (self._answering, ANSWER_SECONDS)):
                for request, started in tuple(connections.items()):
                    if monotonic() - started > longest:
                        self._close(connections, request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log nothing about clients that went away."""

    def _count_ended(self) -> None:
        with self._lock:
            self._running -= 1

    def _close(self, connections: dict[socket.socket, float], request: socket.socket) -> None:
        del connections[request]
        with suppress(OSError):
            socket.socket.shutdown(request, socket.SHUT_RDWR)  # not that of TLS, which another thread may be using


class _Head:
    """The head of a request, read line by line. Errors: LineTooLong above 32 KB in all."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._left = MAX_HEAD_BYTES

    def readline(self, limit: int) -> bytes:
        """Return the next line, or the beginning of it."""
        line = self._stream.readline(min(limit, self._left + 1))
        self._left -= len(line)
        if self._left < 0:
            raise LineTooLong("head")
        return line


class _Answer(ServerHandler):
    server_software = ""  # answers do not name it
    headers: Headers
    request_handler: WSGIRequestHandler

    def cleanup_headers(self) -> None:
        """Add what every answer has, unless the application has chosen it."""
        super().cleanup_headers()
        for name, value in _SECURITY_HEADERS:
            self.headers.setdefault(name, value)

    def log_exception(self, exc_info: Any) -> None:
        """Log what failed, but for a client that does not read its answer."""
        if not isinstance(exc_info[1], OSError):
            super().log_exception(exc_info)


class _QuietHandler(WSGIRequestHandler):
    timeout = MAX_SECONDS
    server: _Server

    def handle(self) -> None:
        """Answer one request, whose head is bounded as that of the API is."""
        stream = cast("BinaryIO", self.rfile)
        self.rfile = cast("Any", _Head(stream))
        if not (self._read_request_line() and self.parse_request()):
            return  # the error was answered
        body = self._read_body(stream)
        if body is None:
            return  # it did not arrive
        output = cast("BinaryIO", self.wfile)
        handler = _Answer(BytesIO(body), output, self.get_stderr(), self.get_environ(), multithread=False)
        handler.request_handler = self
        handler.run(self.server.application_for(self.request))

    def _read_body(self, stream: BinaryIO) -> bytes | None:
        """Return the body; None if it does not arrive, and nothing of one that is too long or has no length."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdecimal() and len(length) < 9 and int(length) <= MAX_BODY):
            return b""
        body = stream.read(int(length))
        return body if len(body) == int(length) else None

    def _read_request_line(self) -> bool:
        try:
            self.raw_requestline = self.rfile.readline(MAX_HEAD_BYTES + 1)
        except LineTooLong:
            self.requestline = self.request_version = self.command = ""
            self.send_error(414)
            return False
        return True

    def send_response(self, code: int, message: str | None = None) -> None:
        """Begin the answer to an error, without the name of the software."""
        self.send_response_only(code, message)

    def end_headers(self) -> None:
        """End the headers of the answer to an error with what every answer has."""
        for name, value in _SECURITY_HEADERS:
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        """Log nothing: probes come every few seconds."""
