"""One link to Redis: a connection for commands and one for messages, which are both opened, and both closed."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, Self

from redis.asyncio import Connection, Sentinel, SSLConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as LinkBroken
from redis.exceptions import RedisError, ResponseError

from cambist.cluster.redis_url import RedisAddress

_NO_CHANNEL = "cambist:none"
"""A connection receives messages from its first subscription on; nothing is published here."""


class RedisLink:
    """The two connections to a server. Their errors are RedisError and OSError; after one, the link is of no use."""

    def __init__(self, commands: Connection, messages: Connection, seconds: float) -> None:
        self._commands, self._messages, self._seconds = commands, messages, seconds
        self._turn = asyncio.Lock()
        self._is_closed = False

    @classmethod
    async def open(cls, address: RedisAddress, seconds: float) -> Self:
        """Connect, for at most so many seconds, and as many for each Sentinel; every later wait is as long at most."""
        host, port = await _server_of(address, seconds) if address.service else address.hosts[0]
        options: dict[str, Any] = {
            "host": host, "port": port, "username": address.username, "password": address.password,
            "db": address.database, **_limits(seconds), **address.encryption,
            # Deadlines are set here: in Python 3.11, those of redis-py may swallow the end of a task.
            "socket_timeout": None,
        }  # fmt: skip
        kind = SSLConnection if address.is_encrypted else Connection
        link = cls(kind(**options), kind(**options), seconds)
        try:
            await link.ask("PING")
            await link.subscribe(_NO_CHANNEL)
        except BaseException:
            await link.close()
            raise
        return link

    async def ask(self, *parts: bytes | str | float) -> Any:
        """Send a command, and return its answer. One command at a time is on the way."""
        async with asyncio.timeout(self._seconds), self._turn:
            self._check_open()
            try:
                await self._commands.send_command(*parts)
                return await self._commands.read_response()
            except ResponseError:
                raise
            except BaseException:  # also the end of the task that asks: an answer may still be on the way
                self._is_closed = True
                raise

    async def subscribe(self, *channels: str) -> None:
        """Ask for the messages of channels."""
        async with asyncio.timeout(self._seconds):
            self._check_open()
            await self._messages.send_command("SUBSCRIBE", *channels)

    async def ask_for_sign(self) -> None:
        """Ask for an answer among the messages, as a sign that they come through."""
        async with asyncio.timeout(self._seconds):
            self._check_open()
            await self._messages.send_command("PING")

    async def next_message(self, seconds: float) -> list[Any] | None:
        """Return what comes next: `[b"message", channel, content]` or another answer; None if there is none in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                self._check_open()
                answer: list[Any] = await self._messages.read_response(disconnect_on_error=False)
                return answer
        return None

    async def close(self) -> None:
        """Close both connections. A command that is on the way fails."""
        self._is_closed = True
        for connection in (self._commands, self._messages):
            with suppress(RedisError, OSError):
                await connection.disconnect(nowait=True)

    def _check_open(self) -> None:
        if self._is_closed:  # redis-py would connect again
            raise LinkBroken("the connection is closed")


def _limits(seconds: float) -> dict[str, Any]:
    return {
        "socket_timeout": seconds,
        "socket_connect_timeout": seconds,
        "socket_keepalive": True,
        "retry": Retry(NoBackoff(), 0),
        "protocol": 2,  # which also old servers and proxies speak
    }


async def _server_of(address: RedisAddress, seconds: float) -> tuple[str, int]:
    """Return host and port of the server that the Sentinels name."""
    encryption = {"ssl": True, **address.encryption} if address.is_encrypted else {}
    options = {**_limits(seconds), **encryption, **address.sentinel}
    sentinel = Sentinel(address.hosts, sentinel_kwargs=options)  # type: ignore[no-untyped-call]
    try:
        server: tuple[str, int] = await sentinel.discover_master(address.service)
    finally:
        for client in sentinel.sentinels:
            with suppress(RedisError, OSError):
                await client.aclose()
    return server
