"""Serve WSGI applications on the loopback device, for the tests of the client."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

App = Callable[..., Iterable[bytes]]


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(app: App) -> Iterator[str]:
    """Serve an application; give its address."""

    def without_keep_alive(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *rest: object) -> object:
            return start_response(status, [pair for pair in headers if pair[0].lower() != "keep-alive"], *rest)

        return app(environ, start)  # the server of the standard library allows no Keep-Alive

    with make_server("127.0.0.1", 0, without_keep_alive, handler_class=QuietHandler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@dataclass
class FakeService:
    """Answers each request with the next of its responses: status, body, headers. The last is repeated."""

    responses: list[tuple[int, object, dict[str, str]]] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., object]) -> list[bytes]:
        number = min(len(self.requests), len(self.responses) - 1)
        self.requests.append({name: value for name, value in environ.items() if isinstance(value, str)})
        status, body, headers = self.responses[number]
        start_response(f"{status} -", [*({"Content-Type": "application/json"} | headers).items()])
        return [body if isinstance(body, bytes) else json.dumps(body).encode()]
