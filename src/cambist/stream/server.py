"""The WebSocket server of the stream: it accepts connections, checks them regularly and closes them."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any

from picows import WSUpgradeRequest, WSUpgradeResponseWithListener, ws_create_server

from cambist.stream.client_connection import ClientConnection
from cambist.stream.context import StreamContext
from cambist.stream.handshake import answer_handshake

log = logging.getLogger(__name__)

_HANDSHAKE_SECONDS = 10
_SHUTDOWN_SECONDS = 1
"""How long a client over TLS may take to confirm that its connection ends."""

_CHECKS_PER_TURN = 500
"""How many connections are checked before the event loop may run something else."""

_MAX_FRAME_BYTES = 1 << 20
"""The library drops the connection on a longer frame. Up to this size, the client gets a reply with the error."""

_READ_BYTES = 1024
_BACKLOG = 1024
_UNSENT_BYTES = 16 * 1024
"""How many unsent bytes the kernel may hold for a client. The rest waits in the broadcaster, as pairs."""


class StreamServer:
    """The server and its open connections."""

    def __init__(self, context: StreamContext) -> None:
        self._context = context
        self.connections: set[ClientConnection] = set()
        self.is_listening = False

    async def listen(self, host: str, port: int, tls: ssl.SSLContext | None, *, shared: bool = False) -> asyncio.Server:
        """Listen on a port, which other processes may listen on too if it is `shared`. Errors: OSError."""
        server = await ws_create_server(
            self._accept,
            host,
            port,
            ssl=tls,
            backlog=_BACKLOG,
            reuse_port=shared or None,
            websocket_handshake_timeout=_HANDSHAKE_SECONDS,
            max_frame_size=_MAX_FRAME_BYTES,
            read_buffer_init_size=_READ_BYTES,
            enable_auto_pong=False,
            ssl_handshake_timeout=_HANDSHAKE_SECONDS if tls else None,
            ssl_shutdown_timeout=_SHUTDOWN_SECONDS if tls else None,
        )
        for listening in server.sockets:
            _limit_unsent(listening)
        asyncio.get_running_loop().set_exception_handler(_on_failure)
        self.is_listening = True
        return server

    async def wait_for_connections(self) -> None:
        """Wait until there is a connection."""
        while not self.connections:
            self._context.opened.clear()
            await self._context.opened.wait()

    def check(self) -> Iterator[None]:
        """Close the connections that may not stay open. After each step the event loop may run something else."""
        now, monotonic_now = time.time(), time.monotonic()
        for count, connection in enumerate(tuple(self.connections), 1):
            connection.check(now, monotonic_now)
            if count % _CHECKS_PER_TURN == 0:
                yield

    def descriptors_with_key(self) -> frozenset[int]:
        """Return the descriptors of the connections that have authenticated. May be called by any thread."""
        return frozenset(each.descriptor for each in tuple(self.connections) if each.has_key)

    def shut_down(self) -> None:
        """Announce to all clients that the service stops, and close their connections."""
        now = time.time()
        for connection in tuple(self.connections):
            connection.shut_down(now)

    def _accept(self, request: WSUpgradeRequest) -> WSUpgradeResponseWithListener:
        response = answer_handshake(request)
        is_accepted = response.status == HTTPStatus.SWITCHING_PROTOCOLS
        connection = ClientConnection(self._context, self.connections) if is_accepted else None
        return WSUpgradeResponseWithListener(response, connection)


def _limit_unsent(listening: socket.socket) -> None:
    """Limit how many unsent bytes the kernel holds; accepted sockets inherit the option from the listening one."""
    option: Callable[..., int] | int | None = getattr(socket, "TCP_NOTSENT_LOWAT", None)
    if isinstance(option, int):
        listening.setsockopt(socket.IPPROTO_TCP, option, _UNSENT_BYTES)


def _on_failure(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an error outside of any task. A client that aborts the TLS handshake is not an error of the service."""
    if str(context.get("message")).startswith("SSL "):
        log.debug("Stream: a client aborted TLS: %s", context["message"])
    else:
        loop.default_exception_handler(context)
