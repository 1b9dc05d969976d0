"""The HTTP server of the operator's port: few connections, each with a deadline, and only for its own host names."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from contextlib import suppress
from http.client import LineTooLong
from socketserver import ThreadingMixIn
from time import monotonic
from typing import Any, BinaryIO, cast
from wsgiref.headers import Headers
from wsgiref.simple_server import ServerHandler, WSGIRequestHandler, WSGIServer, make_server

import msgspec

from cambist.http.request_parser import MAX_HEAD_BYTES

MAX_CONNECTIONS = 16
"""The most connections at once: one more closes the oldest."""

MAX_SECONDS = 5.0
"""How long a connection may last, up to the end of its answer."""

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})

_SECURITY_HEADERS = (("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"))

Start = Callable[..., Any]
Application = Callable[[dict[str, Any], Start], Iterable[bytes]]


def listen(port: int, application: Application, names: AbstractSet[str]) -> WSGIServer:
    """Listen on 127.0.0.1, and answer requests for one of these host names. Errors: OSError."""
    return make_server("127.0.0.1", port, _HostCheck(application, names), _Server, _QuietHandler)


def answer(start: Start, status: str, body: object) -> Iterable[bytes]:
    """Answer with JSON."""
    start(status, [("Content-Type", "application/json"), ("Cache-Control", "no-store")])
    return [msgspec.json.encode(body)]


def answer_wrong_method(start: Start, allowed: str) -> Iterable[bytes]:
    """Answer that a path takes only the methods of a list."""
    headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store"), ("Allow", allowed)]
    start("405 Method Not Allowed", headers)
    return [msgspec.json.encode({"error": f"Method not allowed: use {allowed}"})]


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


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, *args: Any) -> None:
        self._lock = threading.Lock()
        self._started: dict[socket.socket, float] = {}
        self._answering = 0
        super().__init__(*args)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread. If there are too many, close the oldest connection, or else the new one."""
        with self._lock:
            is_full = self._answering >= 2 * MAX_CONNECTIONS
            if not is_full:
                if len(self._started) >= MAX_CONNECTIONS:
                    self._close(next(iter(self._started)))
                self._started[request] = monotonic()
                self._answering += 1
        if is_full:
            self.shutdown_request(request)
        else:
            super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and count the thread as ended."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._lock:
                self._started.pop(request, None)
                self._answering -= 1

    def service_actions(self) -> None:
        """Close connections that have lasted too long; called twice a second."""
        with self._lock:
            for request, started in tuple(self._started.items()):
                if monotonic() - started > MAX_SECONDS:
                    self._close(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log nothing about clients that went away."""

    def _close(self, request: socket.socket) -> None:
        del self._started[request]
        with suppress(OSError):
            request.shutdown(socket.SHUT_RDWR)


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


class _QuietHandler(WSGIRequestHandler):
    def handle(self) -> None:
        """Answer one request, whose head is bounded as that of the API is."""
        stream = cast("BinaryIO", self.rfile)
        self.rfile = cast("Any", _Head(stream))
        if not (self._read_request_line() and self.parse_request()):
            return  # the error was answered
        handler = _Answer(
            stream, cast("BinaryIO", self.wfile), self.get_stderr(), self.get_environ(), multithread=False
        )
        handler.request_handler = self
        handler.run(cast("Application", cast("WSGIServer", self.server).get_app()))

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
