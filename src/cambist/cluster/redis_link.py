"""One link to Redis: a connection for commands and one for messages, which are both opened, and both closed."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, Self

from redis.asyncio import Connection, Sentinel, SSLConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from cambist.cluster.redis_url import RedisAddress

_NO_CHANNEL = "cambist:none"
"""A connection receives messages from its first subscription on; nothing is published here."""


class RedisLink:
    """The two connections to a server. Their errors are RedisError and OSError; after one, the link is of no use."""

    def __init__(self, commands: Connection, messages: Connection) -> None:
        self._commands, self._messages = commands, messages
        self._turn = asyncio.Lock()

    @classmethod
    async def open(cls, address: RedisAddress, seconds: float) -> Self:
        """Connect; everything that is waited for later may also take so many seconds."""
        limits: dict[str, Any] = {
            "socket_timeout": seconds,
            "socket_connect_timeout": seconds,
            "socket_keepalive": True,
            "retry": Retry(NoBackoff(), 0),
            "protocol": 2,  # which also old servers and proxies speak
        }
        encryption = dict(address.encryption) if address.is_encrypted else {}
        host, port = address.hosts[0]
        if address.service:
            secured = {"ssl": True, **encryption} if address.is_encrypted else {}
            host, port = await _server_of(address, limits | secured)
        login = {"username": address.username, "password": address.password, "db": address.database}
        kind = SSLConnection if address.is_encrypted else Connection
        options: dict[str, Any] = {"host": host, "port": port, **login, **encryption, **limits}
        link = cls(kind(**options), kind(**options))
        try:
            await link.ask("PING")
            await link.subscribe(_NO_CHANNEL)
        except BaseException:
            await link.close()
            raise
        return link

    async def ask(self, *parts: bytes | str | float) -> Any:
        """Send a command, and return its answer. One command at a time is on the way."""
        async with self._turn:
            await self._commands.send_command(*parts)
            return await self._commands.read_response()

    async def subscribe(self, *channels: str) -> None:
        """Ask for the messages of channels."""
        await self._messages.send_command("SUBSCRIBE", *channels)

    async def ask_for_sign(self) -> None:
        """Ask for an answer among the messages, as a sign that they come through."""
        await self._messages.send_command("PING")

    async def next_message(self, seconds: float) -> list[Any] | None:
        """Return what comes next: `[b"message", channel, content]` or another answer; None if there is none in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                answer: list[Any] = await self._messages.read_response(disconnect_on_error=False)
                return answer
        return None

    async def close(self) -> None:
        """Close both connections."""
        for connection in (self._commands, self._messages):
            with suppress(RedisError, OSError):
                await connection.disconnect(nowait=True)


async def _server_of(address: RedisAddress, options: dict[str, Any]) -> tuple[str, int]:
    """Return host and port of the server that the Sentinels name."""
    sentinel = Sentinel(address.hosts, sentinel_kwargs={**options, **address.sentinel})  # type: ignore[no-untyped-call]
    try:
        server: tuple[str, int] = await sentinel.discover_master(address.service)
    finally:
        for client in sentinel.sentinels:
            with suppress(RedisError, OSError):
                await client.aclose()
    return server
