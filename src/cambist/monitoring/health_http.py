"""The server of the operator's port: few connections at once, each with a deadline, and only under its own names."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from contextlib import suppress
from socketserver import ThreadingMixIn
from time import monotonic
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import msgspec

MOST = 16
"""How many connections there are at once: one more ends the oldest."""

SECONDS = 5.0
"""How long a connection may last, from its beginning to the end of its answer."""

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})

Start = Callable[..., Any]
Application = Callable[[dict[str, Any], Start], Iterable[bytes]]


def listen(port: int, application: Application, names: AbstractSet[str]) -> WSGIServer:
    """Listen on 127.0.0.1, and answer who asks for one of these names. Errors: OSError."""
    return make_server("127.0.0.1", port, _Named(application, names), _Server, _Quiet)


def answer(start: Start, status: str, body: object) -> Iterable[bytes]:
    """Answer with JSON."""
    start(status, [("Content-Type", "application/json"), ("Cache-Control", "no-store")])
    return [msgspec.json.encode(body)]


class _Named:
    """Refuses other names: a page from elsewhere whose name was made to lead here could read the answers."""

    def __init__(self, application: Application, names: AbstractSet[str]) -> None:
        self._application = application
        self._names = names

    def __call__(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        host = str(environ.get("HTTP_HOST", "localhost"))
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        if name.lower() in self._names:
            return self._application(environ, start)
        known = ", ".join(sorted(self._names))
        return answer(start, "421 Misdirected Request", {"error": f"Unknown host: [{host}], there are {known}"})


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, *given: Any) -> None:
        self._lock = threading.Lock()
        self._since: dict[socket.socket, float] = {}
        self._answering = 0
        super().__init__(*given)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread. Where there are too many, the oldest goes; where none goes, the new one."""
        with self._lock:
            is_full = self._answering >= 2 * MOST
            if not is_full:
                if len(self._since) >= MOST:
                    self._end(next(iter(self._since)))
                self._since[request] = monotonic()
                self._answering += 1
        if is_full:
            self.shutdown_request(request)
        else:
            super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._lock:
                self._since.pop(request, None)
                self._answering -= 1

    def service_actions(self) -> None:
        """End what has lasted too long; called twice a second."""
        with self._lock:
            for request, since in tuple(self._since.items()):
                if monotonic() - since > SECONDS:
                    self._end(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that went away."""

    def _end(self, request: socket.socket) -> None:
        del self._since[request]
        with suppress(OSError):
            request.shutdown(socket.SHUT_RDWR)


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing: probes come every few seconds."""
