"""Run the proxy on loopback until a signal ends it."""

from __future__ import annotations

import asyncio
import logging
import signal
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
        written = ShadowLog(self.log)
        async with AsyncExitStack() as stack:
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
            on_start(await self._listen(proxy, stack))
            await stopped.wait()

    async def _listen(self, proxy: ShadowProxy, stack: AsyncExitStack) -> str:
        """Listen, and return the address."""
        runner = web.AppRunner(
            proxy.application(),
            access_log=None,
            logger=_quiet_logger(),
            auto_decompress=False,
            max_line_size=_LONGEST_LINE,
            max_field_size=_LONGEST_LINE,
            shutdown_timeout=_DRAIN_SECONDS,
        )
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        try:
            await web.TCPSite(runner, _HOST, self.port).start()
        except OSError as error:
            raise CannotStart(
                f"Cannot listen on {_HOST} port {self.port}: {error.strerror or error}; choose another --port"
            ) from None
        return f"http://{authority(*runner.addresses[0][:2])}"


def _quiet_logger() -> logging.Logger:
    """Return a logger that says nothing: what the server would log has targets, and so keys, in it."""
    logger = logging.getLogger("cambist.shadow.http")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return logger
