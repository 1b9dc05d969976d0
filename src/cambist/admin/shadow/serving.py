"""Run the proxy on loopback until a signal ends it."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

from aiohttp import web

from cambist.admin.shadow.proxy import ShadowProxy
from cambist.admin.shadow.shadow_log import ShadowLog
from cambist.admin.shadow.shadowed_request import ShadowOptions
from cambist.admin.shadow.upstream import OUR_TIMEOUT, THEIR_TIMEOUT, Upstream, new_session
from cambist.errors import BadParameter, CannotStart
from cambist.settings.addresses import authority
from cambist.settings.outgoing import OutgoingProxies

_HOST = "127.0.0.1"
_DRAIN_SECONDS = 5.0
_LONGEST_LINE = 64 * 1024
_LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True, slots=True)
class ShadowServer:
    """What the proxy is made of: the addresses of both services, the port to listen on, and the file to write."""

    theirs: str
    ours: str
    port: int
    log: Path
    options: ShadowOptions
    proxies: OutgoingProxies
    clock: Callable[[], datetime]

    def run(self, on_start: Callable[[str], None]) -> None:
        """Answer requests until SIGTERM or Ctrl-C; `on_start` is called with the address.

        Errors: CannotStart if the port is in use or the log cannot be written, BadParameter if one of the two
        addresses is that of the proxy.
        """
        for option, address in (("--theirs", self.theirs), ("--ours", self.ours)):
            parts = urlsplit(address)
            if parts.hostname in _LOCAL_HOSTS and parts.port == self.port:
                raise BadParameter(f"Invalid {option}: [{address}] is where the proxy listens: choose another --port")
        asyncio.run(self._run(on_start))

    async def _run(self, on_start: Callable[[str], None]) -> None:
        stopped = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
        async with AsyncExitStack() as stack:
            listening = stack.enter_context(_listening_socket(self.port))
            written = ShadowLog(self.log)
            stack.callback(written.close)
            sessions = [await stack.enter_async_context(new_session()) for _ in range(2)]
            proxy = ShadowProxy(
                Upstream(sessions[0], self.theirs, self.proxies, THEIR_TIMEOUT),
                Upstream(sessions[1], self.ours, self.proxies, OUR_TIMEOUT),
                self.options,
                written.write,
                self.clock,
            )
            stack.push_async_callback(proxy.drain, _DRAIN_SECONDS)
            runner = _runner(proxy)
            stack.push_async_callback(runner.cleanup)
            await runner.setup()
            await web.SockSite(runner, listening).start()
            on_start(f"http://{authority(*listening.getsockname())}")
            await stopped.wait()


def _listening_socket(port: int) -> socket.socket:
    """Return a socket that listens on loopback. Errors: CannotStart."""
    try:
        return socket.create_server((_HOST, port))
    except OSError as error:
        reason = os.strerror(error.errno or 0)
        raise CannotStart(f"Cannot listen on {_HOST} port {port}: {reason}; choose another --port") from None


def _runner(proxy: ShadowProxy) -> web.AppRunner:
    return web.AppRunner(
        proxy.application(),
        access_log=None,
        logger=_quiet_logger(),
        auto_decompress=False,
        max_line_size=_LONGEST_LINE,
        max_field_size=_LONGEST_LINE,
        shutdown_timeout=_DRAIN_SECONDS,
    )


def _quiet_logger() -> logging.Logger:
    """Return a logger that says nothing: what the server would log has targets, and so keys, in it."""
    logger = logging.getLogger("cambist.shadow.http")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return logger
