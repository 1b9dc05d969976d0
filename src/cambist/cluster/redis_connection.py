"""The connection of a node to Redis: commands with a deadline, messages of channels, and a new link after each loss."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any

from redis.exceptions import ConnectionError as LinkBroken
from redis.exceptions import NoScriptError, ReadOnlyError, RedisError
from redis.exceptions import TimeoutError as NotInTime

from cambist.cluster.redis_link import RedisLink
from cambist.cluster.redis_script import RedisScript
from cambist.cluster.redis_url import parse_redis_url
from cambist.errors import RedisUnreachable

log = logging.getLogger(__name__)

Argument = bytes | str | int | float
Handler = Callable[[bytes], None]
"""What is called with the content of each message of a channel, in the event loop."""

_ANSWER_SECONDS = 1.0
"""How long connecting and each command may take."""

_CHECK_SECONDS = 0.5
"""How often an idle connection is tried."""

_SILENT_SECONDS = 3.0
"""After so long without a sign the connection of messages is lost; a rate book may take a while to come through."""

_READ_SECONDS = 0.1
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0
_LOST = (LinkBroken, NotInTime, ReadOnlyError, OSError)
"""After these errors nothing more is said over a connection; a server that has become a replica is another one's."""


class RedisConnection:
    """Commands and messages of the Redis that a URL names. `run` makes the link, and makes it anew when it is lost.

    Without a link, every command fails at once. Errors when made: SettingRefused.
    """

    def __init__(self, url: str) -> None:
        self._address = parse_redis_url(url)
        self._link: RedisLink | None = None
        self._handlers: dict[str, list[Handler]] = {}
        self._lost: asyncio.Future[Any] | None = None
        self._is_logged = False
        self._failing: set[str] = set()

    @property
    def is_linked(self) -> bool:
        """Whether commands and the messages of all channels come through, as far as it is known."""
        return self._link is not None

    def channel(self, name: str) -> str:
        """Return the name of a channel in Redis, where the databases have their keys apart, but not their channels."""
        return f"{name}@{self._address.database}" if self._address.database else name

    def subscribe(self, channel: str, handler: Handler) -> None:
        """Call `handler` with each message of a channel. Messages that are sent while there is no link are lost."""
        self._handlers.setdefault(self.channel(channel), []).append(handler)

    async def publish(self, channel: str, content: bytes) -> None:
        """Send a message to all subscribers of a channel. Errors: RedisUnreachable."""
        await self.command("PUBLISH", self.channel(channel), content)

    async def command(self, *parts: Argument) -> Any:
        """Return the answer to a command as the server has it, texts as bytes. Errors: RedisUnreachable."""
        return await self._ask(lambda link: link.ask(*parts))

    async def run_script(self, script: RedisScript, keys: Iterable[str], arguments: Iterable[Argument]) -> Any:
        """Return the answer of a Lua script, which the server keeps. Errors: RedisUnreachable."""
        names = list(keys)
        rest = (len(names), *names, *arguments)

        async def ask(link: RedisLink) -> Any:
            try:
                return await link.ask("EVALSHA", script.digest, *rest)
            except NoScriptError:
                return await link.ask("EVAL", script.source, *rest)

        return await self._ask(ask)

    async def run(self) -> None:
        """Keep the link, for ever."""
        pause = _SHORTEST_PAUSE
        while True:
            try:
                await self._keep_link()
            except (RedisError, OSError) as error:
                pause = min(2 * pause, _LONGEST_PAUSE) if self._is_logged else _SHORTEST_PAUSE
                self._log_loss(error)
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311  so that nodes do not come all at once

    async def _ask(self, ask: Callable[[RedisLink], Awaitable[Any]]) -> Any:
        link, lost = self._link, self._lost
        if link is None or lost is None:
            raise RedisUnreachable(f"Redis at {self._address} cannot be reached")
        try:
            return await ask(link)
        except _LOST as error:
            if not lost.done():
                lost.set_exception(error)
            raise RedisUnreachable(f"Redis at {self._address} does not answer: {_reason(error)}") from error
        except RedisError as error:
            raise RedisUnreachable(f"Redis at {self._address} refuses: {_reason(error)}") from error

    async def _keep_link(self) -> None:
        """Connect, and then hold the link until it is lost. Errors: RedisError, OSError."""
        link = await RedisLink.open(self._address, _ANSWER_SECONDS)
        self._link, self._lost = link, asyncio.get_running_loop().create_future()
        self._log_link()
        tasks = [self._lost, asyncio.ensure_future(self._receive(link)), asyncio.ensure_future(self._check())]
        try:
            ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in ended:
                task.result()
        finally:
            self._link = None
            for task in tasks:
                task.cancel()
            try:
                await asyncio.gather(*tasks, return_exceptions=True)
            finally:  # `run` may be cancelled while it waits for them
                await link.close()

    async def _receive(self, link: RedisLink) -> None:
        """Pass messages to their handlers. Errors: RedisError, OSError; NotInTime if the server falls silent."""
        loop = asyncio.get_running_loop()
        heard = asked = loop.time()
        subscribed: set[str] = set()
        while True:
            if missing := self._handlers.keys() - subscribed:
                subscribed |= missing
                await link.subscribe(*missing)
            message, now = await link.next_message(_READ_SECONDS), loop.time()
            if message is not None:
                heard = now
                if message[0] == b"message":
                    self._handle(message[1].decode(), message[2])
            elif asked - heard > _SILENT_SECONDS:
                raise NotInTime("no messages come through")
            if now - max(asked, heard) > _CHECK_SECONDS:
                asked = now
                await link.ask_for_sign()

    def _handle(self, channel: str, content: bytes) -> None:
        for handler in self._handlers.get(channel, ()):
            try:
                handler(content)
            except Exception:
                if channel not in self._failing:  # another release may send what this one cannot read, many a second
                    log.exception("Cluster link: messages of %s cannot be handled; this is logged once", channel)
                self._failing.add(channel)

    async def _check(self) -> None:
        """Try the connection of commands again and again; the link ends if it fails."""
        while True:
            await asyncio.sleep(_CHECK_SECONDS)
            with suppress(RedisUnreachable):
                await self.command("PING")

    def _log_link(self) -> None:
        log.info("Cluster link: Redis at %s is %s", self._address, "reached again" if self._is_logged else "reached")
        self._is_logged = False

    def _log_loss(self, error: Exception) -> None:
        """Log the first of the errors in a row."""
        if not self._is_logged:
            log.warning("Cluster link: Redis at %s cannot be reached: %s", self._address, _reason(error))
        self._is_logged = True


def _reason(error: Exception) -> str:
    return str(error) or ("no answer in time" if isinstance(error, TimeoutError) else type(error).__name__)
