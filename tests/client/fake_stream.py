"""A fake price stream on loopback, for the tests of its clients."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from aiohttp import WSMsgType, web

KEY = "a-valid-key"
NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
TSP = 1_795_176_000_000

Frames = list[dict[str, Any]]


def price(symbol: str, bid: str, ask: str, tsp: int = TSP) -> dict[str, Any]:
    return {"op": "price", "sym": symbol, "bid": bid, "ask": ask, "tsp": tsp}


@dataclass
class FakeStream:
    """A fake stream. Its n-th connection gets the n-th frames of `rounds` and is then closed, except the last."""

    rounds: list[Frames] = field(default_factory=list)
    known_pairs: set[str] = field(default_factory=lambda: {"EURUSD", "XAUUSD", "BTCUSD"})
    most: int = 10
    requests: Frames = field(default_factory=list)
    connections: int = 0
    keys: dict[str, int] = field(default_factory=lambda: {KEY: 10**6})
    """Each key, and how many connections it can open."""
    then: Callable[[], object] = lambda: None
    """Called when all frames have been sent."""
    port: int = 0

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}"

    async def answer(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.connections += 1
        await say(socket, "connect", 200, "Connected")
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                break
            asked = json.loads(message.data)
            self.requests.append(asked)
            if asked["op"] == "auth":
                await self._authenticate(socket, asked)
            else:
                await self._subscribe(socket, asked)
        return socket

    async def _authenticate(self, socket: web.WebSocketResponse, asked: dict[str, Any]) -> None:
        if self.connections <= self.keys.get(asked["key"], 0):
            await say(socket, "auth", 200, "Authenticated OK")
            return
        await say(socket, "auth", 401, "The API key is unknown here")
        await socket.close()

    async def _subscribe(self, socket: web.WebSocketResponse, asked: dict[str, Any]) -> None:
        pairs = asked["pairs"]
        ignored = [name for name in pairs if name.upper().replace("/", "") not in self.known_pairs]
        if ignored == pairs:
            await say(socket, "subscribe", 400, f"No valid pairs in {ignored}")
        elif len(pairs) > self.most:
            await say(socket, "subscribe", 429, f"Too many pairs: [{len(pairs)}]")
        else:
            await say(socket, "subscribe", 200, "Subscribed to 1 stream", ignored=ignored)
            for frame in self.rounds[self.connections - 1]:
                await socket.send_json(frame)
            if self.connections < len(self.rounds):
                await socket.close()
            else:
                self.then()


async def say(socket: web.WebSocketResponse, op: str, status: int, msg: str, **more: object) -> None:
    await socket.send_json({"op": op, "status": status, "tsp": TSP, "msg": msg, **more})


@contextmanager
def running_stream() -> Iterator[FakeStream]:
    """Run a fake stream in a thread of its own."""
    made, loop, is_open = FakeStream(), asyncio.new_event_loop(), threading.Event()

    async def serve() -> None:
        application = web.Application()
        application.router.add_get("/", made.answer)
        runner = web.AppRunner(application, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        made.port = runner.addresses[0][1]
        is_open.set()
        await stop.wait()
        await runner.cleanup()

    stop = asyncio.Event()
    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    assert is_open.wait(10)
    yield made
    loop.call_soon_threadsafe(stop.set)
    thread.join(10)
    loop.close()
