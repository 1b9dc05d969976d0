"""The WebSocket server of the stream: it accepts connections, and checks and closes those that are open."""

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
_CHECKS_PER_TURN = 500
"""How many connections are checked before the event loop may run something else."""

_MAX_FRAME_BYTES = 1 << 20
"""A longer frame is not read to its end; the sender of one up to this length is told what is wrong."""

_READ_BYTES = 1024
_BACKLOG = 1024
_UNSENT_BYTES = 16 * 1024
"""How many unsent bytes the kernel may hold for a client: the rest waits as pairs, not as bytes."""


class StreamServer:
    """The server and its open connections."""

    def __init__(self, context: StreamContext) -> None:
        self._context = context
        self.connections: set[ClientConnection] = set()
        self.is_listening = False

    async def listen(self, host: str, port: int, tls: ssl.SSLContext | None) -> asyncio.Server:
        """Listen on a port. Errors: OSError if it cannot be had."""
        server = await ws_create_server(
            self._accept,
            host,
            port,
            ssl=tls,
            backlog=_BACKLOG,
            websocket_handshake_timeout=_HANDSHAKE_SECONDS,
            max_frame_size=_MAX_FRAME_BYTES,
            read_buffer_init_size=_READ_BYTES,
            enable_auto_pong=False,
            ssl_handshake_timeout=_HANDSHAKE_SECONDS if tls else None,
        )
        for listening in server.sockets:
            _limit_unsent(listening)
        asyncio.get_running_loop().set_exception_handler(_on_failure)
        self.is_listening = True
        return server

    def check(self) -> Iterator[None]:
        """Close the connections that may not continue; between two steps the event loop may run something else."""
        now, moment = time.time(), time.monotonic()
        for count, connection in enumerate(tuple(self.connections), 1):
            connection.check(now, moment)
            if count % _CHECKS_PER_TURN == 0:
                yield

    def shut_down(self) -> None:
        """Tell all clients that the service stops, and close their connections."""
        now = time.time()
        for connection in tuple(self.connections):
            connection.shut_down(now)

    def _accept(self, request: WSUpgradeRequest) -> WSUpgradeResponseWithListener:
        response = answer_handshake(request)
        is_accepted = response.status == HTTPStatus.SWITCHING_PROTOCOLS
        connection = ClientConnection(self._context, self.connections) if is_accepted else None
        return WSUpgradeResponseWithListener(response, connection)


def _limit_unsent(listening: socket.socket) -> None:
    """Limit what the kernel holds unsent; accepted sockets inherit it from the one that listens."""
    lowat: Callable[..., int] | int | None = getattr(socket, "TCP_NOTSENT_LOWAT", None)
    if isinstance(lowat, int):
        listening.setsockopt(socket.IPPROTO_TCP, lowat, _UNSENT_BYTES)


def _on_failure(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what failed outside of any task; a client that aborts TLS is no failure of the service."""
    if str(context.get("message")).startswith("SSL "):
        log.debug("Stream: a client broke off TLS: %s", context["message"])
    else:
        loop.default_exception_handler(context)
