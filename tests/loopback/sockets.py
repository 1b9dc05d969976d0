"""The venues' WebSockets: connections, subscriptions, and the ticks that are sent to them."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web
from faults import Fault, damage_frame
from prices import Prices
from venues import Venue

_WAITING = 20_000
"""Frames that may be pending for one client; slower clients are disconnected, as venues do."""

_EVERY = 0.02
_HEARTBEAT = json.dumps({"channel": "heartbeat"})


@dataclass(eq=False)
class Session:
    """One connection."""

    venue: Venue
    request: web.Request
    socket: web.WebSocketResponse
    fault: Callable[[], Fault]
    names: list[str] = field(default_factory=list)
    waiting: asyncio.Queue[str | bytes] = field(default_factory=lambda: asyncio.Queue(_WAITING))
    is_slow: bool = False

    def say(self, frame: str) -> None:
        spoilt = damage_frame(frame, self.fault())
        if spoilt is None:
            return
        try:
            self.waiting.put_nowait(spoilt)
        except asyncio.QueueFull:
            self.is_slow = True

    def tell(self, name: str) -> None:
        self.say(self.venue.frame(name, self.fault()))

    async def write(self) -> None:
        """Send what waits, for ever."""
        while not self.is_slow:
            frame = await self.waiting.get()
            await (self.socket.send_str(frame) if isinstance(frame, str) else self.socket.send_bytes(frame))
        await self.socket.close(code=1008)

    def take(self, message: str) -> None:
        replies, names = self.venue.heard(message)
        for reply in replies:
            self.say(reply)
        self.names += [name for name in names if name not in self.names]
        for name in names if self.venue.tells_at_once else ():
            self.tell(name)


@dataclass
class Sockets:
    """All connections; `rate` ticks a second are spread over them."""

    prices: Prices
    rate: float
    sessions: list[Session] = field(default_factory=list)
    ticks: Counter[str] = field(default_factory=Counter)

    def open(self) -> Counter[str]:
        return Counter(session.venue.key for session in self.sessions)

    async def serve(self, request: web.Request, venue: Venue, fault: Callable[[], Fault]) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        session = Session(venue, request, socket, fault)
        self.sessions.append(session)
        writer = asyncio.create_task(session.write())
        try:
            for frame in venue.greeting():
                session.say(frame)
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    session.take(message.data)
        finally:
            self.sessions.remove(session)
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
        return socket

    async def drop(self, key: str) -> int:
        """Close all connections of a venue; say how many there were."""
        dropped = [session for session in self.sessions if session.venue.key == key]
        await asyncio.gather(*(session.socket.close(code=1001) for session in dropped))
        return len(dropped)

    def cut(self, key: str) -> None:
        """Cut all connections of a venue without a word."""
        for session in self.sessions:
            if key in (session.venue.key, "*") and session.request.transport is not None:
                session.request.transport.abort()

    async def tick_for_ever(self) -> None:
        """Send ticks at the rate, of pairs and to connections that are drawn."""
        loop = asyncio.get_running_loop()
        began, sent, beaten = loop.time(), 0.0, loop.time()
        while True:
            await asyncio.sleep(_EVERY)
            due = (loop.time() - began) * self.rate
            listening = [session for session in self.sessions if session.names]
            while sent < due and listening:
                self._tick(self.prices.chance.choice(listening))
                sent += 1
            sent = due  # what nobody was there for is not made up for
            if loop.time() - beaten > 1:
                beaten = loop.time()
                for session in listening:
                    if session.venue.key == "kraken":
                        session.say(_HEARTBEAT)

    def _tick(self, session: Session) -> None:
        name = self.prices.chance.choice(session.names)
        self.prices.step(session.venue.pairs[name][0])
        session.tell(name)
        self.ticks[session.venue.key] += 1
