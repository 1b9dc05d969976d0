"""A Redis in memory for simulated nodes: what `BookRelay` asks of it, with cut links and a server that is emptied."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from cambist.cluster.book_relay import BOOK
from cambist.cluster.redis_connection import RedisConnection
from cambist.cluster.redis_script import RedisScript
from cambist.errors import RedisUnreachable

Handler = Callable[[bytes], None]


class RedisServer:
    """What all nodes share: the newest book, as the script of `BookRelay` stores it, and the links of the nodes."""

    def __init__(self) -> None:
        self.book: dict[str, Any] = {}
        self.links: list[RedisLinkInMemory] = []

    def store(self, epoch: int, version: int, content: bytes, channel: str, change: bytes) -> tuple[int, int]:
        """Store a book unless there is a newer one, and publish it or its change; return the order of the newest."""
        if self.book and (epoch, version) <= (self.book["leader_epoch"], self.book["version"]):
            return self.book["leader_epoch"], self.book["version"]
        self.book = {"leader_epoch": epoch, "version": version, "content": content}
        for link in self.links:
            link.receive(channel, change or content)
        return epoch, version


class RedisLinkInMemory(RedisConnection):
    """The connection of one node; while `is_cut` says so, the server cannot be reached."""

    def __init__(self, server: RedisServer, is_cut: Callable[[], bool]) -> None:
        self._server = server
        self._is_cut = is_cut
        self._subscribed: list[tuple[str, Handler]] = []
        server.links.append(self)

    def channel(self, name: str) -> str:
        """Return the name of a channel."""
        return name

    def subscribe(self, channel: str, handler: Handler) -> None:
        """Call a handler with what is published on a channel."""
        self._subscribed.append((channel, handler))

    def receive(self, channel: str, content: bytes) -> None:
        """Pass on what is published, unless the link is cut."""
        if not self._is_cut():
            for subscribed, handler in self._subscribed:
                if subscribed == channel:
                    handler(content)

    async def command(self, *parts: Any) -> Any:
        """Read fields of the book. Errors: RedisUnreachable."""
        self._check_link()
        name, key, *fields = parts
        if key != BOOK or name not in {"HGET", "HMGET"}:
            raise NotImplementedError(f"{name} {key}")
        found = [self._server.book.get(field) for field in fields]
        return found if name == "HMGET" else found[0]

    async def run_script(self, script: RedisScript, keys: Iterable[str], arguments: Iterable[Any]) -> Any:
        """Store a book. Errors: RedisUnreachable."""
        del script, keys
        self._check_link()
        epoch, version, content, channel, change = arguments
        return self._server.store(int(epoch), int(version), content, channel, change)

    def _check_link(self) -> None:
        if self._is_cut():
            raise RedisUnreachable("the link is cut")
