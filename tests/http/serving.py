"""A server that runs in a thread of the tests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from cambist.http.server import FINISH_SECONDS, HttpServer

PATIENCE = 10


@contextmanager
def running(server: HttpServer) -> Iterator[HttpServer]:
    """Run a server until the end of the block; all its requests must be finished then."""
    stop, ready = threading.Event(), threading.Event()
    served: Any = server
    served._on_stop = lambda call: _poll(served, stop, call)  # signals only come to the main thread
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(server.run, ready.set)
        assert ready.wait(PATIENCE)
        try:
            yield server
        finally:
            stop.set()
        assert done.result(PATIENCE + FINISH_SECONDS) is True


def _poll(server: Any, stop: threading.Event, call: Callable[[], None]) -> None:
    if stop.is_set():
        call()
    else:
        server.later(0.05, lambda: _poll(server, stop, call))
