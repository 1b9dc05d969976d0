"""The HTTP server: Granian with the WSGI application, in several processes and threads."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from multiprocessing import set_start_method
from types import SimpleNamespace
from typing import Any

from granian import wsgi
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.net import SocketHolder  # type: ignore[attr-defined]
from granian.server.mp import MPServer

from cambist.api.connections import IDLE_SECONDS, ConnectionLimit, raise_file_limit
from cambist.api.fast_path import Wsgi
from cambist.api.listening_socket import bind_socket
from cambist.logs import log_config
from cambist.settings import Settings

FINISH_SECONDS = 10
"""How long a worker may take to finish its requests when the service stops."""

_ACCESS_LINE = '%(addr)s "%(method)s %(path)s" %(status)d %(dt_ms).3f ms'
"""A line of the access log; never with the query, which may contain an API key."""

_BUFFER_BYTES = 32 * 1024
"""The maximum size of a request's head; the server answers a longer one with 431."""

_BACKLOG = 1024

Action = Callable[[], None]


class ApiServer(MPServer):
    """Granian's server; `finished` is whether all workers ended by themselves."""

    finished = True
    spawned: Callable[[], None] | None = None
    """Called when the first workers have been started."""

    def _spawn_workers(self, spawn_target: Any, target_loader: Any) -> None:
        super()._spawn_workers(spawn_target, target_loader)  # type: ignore[no-untyped-call]
        set_start_method("spawn", force=True)  # from now on this process has threads, and cannot be forked safely
        if self.spawned:
            self.spawned()

    def _stop_workers(self) -> None:
        processes = [worker.inner for worker in self.wrks]
        super()._stop_workers()  # type: ignore[no-untyped-call]
        # A worker that SIGTERM ended by itself had not begun to answer.
        self.finished = all(process.exitcode in (0, -signal.SIGTERM) for process in processes)


def run(
    settings: Settings, address: str, load: Callable[[], Wsgi], reload: Action, spawned: Action, method: str
) -> bool:
    """Serve on `address` until SIGTERM or SIGINT, and call `reload` on SIGHUP; a worker that dies is replaced.

    The first workers are started by multiprocessing's `method`; then `spawned` is called. Return whether every request
    was finished at the end.
    """
    set_start_method(method, force=True)
    most = raise_file_limit()
    server = ApiServer(
        target="cambist",
        address=address,
        port=settings.port,
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        workers=settings.workers,
        blocking_threads=settings.threads,
        backlog=_BACKLOG,
        backpressure=2 * most,
        respawn_failed_workers=True,
        respawn_interval=0.1,
        workers_kill_timeout=FINISH_SECONDS,
        http1_settings=HTTP1Settings(header_read_timeout=IDLE_SECONDS * 1000, max_buffer_size=_BUFFER_BYTES),
        log_level=LogLevels.warning,
        log_dictconfig=log_config(settings.log_level),
        log_access=settings.access_log,
        log_access_format=_ACCESS_LINE,
        websockets=False,
        ssl_cert=settings.tls_cert,
        ssl_key=settings.tls_key,
    )
    server.spawned = spawned
    # The HTTP server would replace its workers on SIGHUP; ours reload their state instead.
    server.on_startup(lambda: signal.signal(signal.SIGHUP, lambda *_: reload()))
    server.serve(partial(_run_worker, settings, address, most), load, wrap_loader=False)
    return server.finished


def _run_worker(
    settings: Settings, address: str, most: int, number: int, name: str | None, load: Callable[[], Wsgi], *rest: Any
) -> None:
    """Run one worker: listen with deadlines, limit connections, serve, and exit without finalising the interpreter.

    During finalisation the server's threads, which still release Python objects, would abort the process.
    """
    # A forked worker has the handlers of the supervisor, until the server sets those of a worker.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number_of_signal in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number_of_signal, signal.SIG_DFL)
    # Granian copies all environment variables into every request, where one named HTTP_… would pass for a header.
    vars(wsgi)["os"] = SimpleNamespace(environ={})
    listening = SocketHolder(bind_socket(address, settings.port).detach(), False, _BACKLOG)  # type: ignore[call-arg]
    ConnectionLimit(settings.port, most, settings.connections_per_address, settings.proxy_networks).start()
    MPServer._spawn_wsgi_worker(number, name, load, ((None, listening), None), *rest[1:])  # noqa: SLF001
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
