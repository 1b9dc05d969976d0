"""The HTTP server: Granian's processes and threads around the WSGI application."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from functools import partial
from multiprocessing import set_start_method

from granian.constants import Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import Server

from cambist.errors import CannotStart
from cambist.server.front import Wsgi
from cambist.server.logs import log_config
from cambist.settings import Settings

_FINISH_SECONDS = 10
"""How long answers in flight may take to finish when the service stops."""

_ACCESS_LINE = '%(addr)s "%(method)s %(path)s" %(status)d %(dt_ms).3f ms'
"""What the access log says of an answer: never the query, where a key may be."""

_BUFFER_BYTES = 32 * 1024
"""What a request's head may take before the server refuses it with a bare 431."""


_HEAD_MILLISECONDS = 10_000
"""How long a client may take to send a request's head; one that drips holds a socket for so long, and no thread."""


def free_address(host: str, port: int) -> str:
    """Resolve `host` and make sure that nobody listens there. Errors: CannotStart."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise CannotStart(
            f"Cannot listen on {host} port {port}: {error.strerror}; stop what is there or choose another --port"
        ) from error
    return str(address[0])


def run(settings: Settings, address: str, load: Callable[[], Wsgi], reload: Callable[[], None]) -> None:
    """Answer on `address` until SIGTERM or SIGINT, and call `reload` on SIGHUP; a worker that dies is replaced."""
    set_start_method("spawn", force=True)  # a forked worker would carry the import's memory for ever
    server = Server(
        target="cambist",
        address=address,
        port=settings.port,
        interface=Interfaces.WSGI,
        workers=settings.workers,
        blocking_threads=settings.threads,
        respawn_failed_workers=True,
        respawn_interval=0.1,
        workers_kill_timeout=_FINISH_SECONDS,
        http1_settings=HTTP1Settings(header_read_timeout=_HEAD_MILLISECONDS, max_buffer_size=_BUFFER_BYTES),
        log_level=LogLevels.warning,
        log_dictconfig=log_config(settings.log_level),
        log_access=settings.access_log,
        log_access_format=_ACCESS_LINE,
        websockets=False,
        ssl_cert=settings.tls_cert,
        ssl_key=settings.tls_key,
    )
    # The HTTP server would answer SIGHUP by replacing its workers: ours read anew what they are told of.
    server.on_startup(lambda: signal.signal(signal.SIGHUP, lambda *_: reload()))
    server.serve(target_loader=partial(_without_environment, load), wrap_loader=False)


def _without_environment(load: Callable[[], Wsgi]) -> Wsgi:
    """Load a worker and drop its environment variables: the server would copy them into every request's environ."""
    application = load()
    os.environ.clear()
    return application
