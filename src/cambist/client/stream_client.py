"""Watching the stream as any client does: the socket that brings the prices, made anew when it is lost."""

from __future__ import annotations

import asyncio
import random
import ssl
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from errno import ECONNREFUSED
from pathlib import Path
from typing import Annotated

import aiohttp
import msgspec

from cambist.accounts.names import echo
from cambist.client.watch_list import WatchList
from cambist.errors import BadParameter, KeyRefused, NotInPlan, RequestRefused
from cambist.settings import Settings
from cambist.storage.data_directory import DataDirectory
from cambist.stream.messages import Op, StreamName

_LAST_MILLISECOND = 253_402_300_799_999
_LONGEST_SENTENCE = 300
_LONGEST_FRAME = 4 * 1024 * 1024
_HEARTBEAT = 20.0
_CLOSE_SECONDS = 1.0


class Frame(msgspec.Struct, frozen=True):
    """What the server says, as far as it matters here."""

    op: str
    status: int = 200
    msg: str = ""
    ignored: list[str] = []
    sym: str = ""
    bid: Decimal = Decimal("NaN")
    ask: Decimal = Decimal("NaN")
    tsp: Annotated[int, msgspec.Meta(ge=0, le=_LAST_MILLISECOND)] = 0


_FRAMES = msgspec.json.Decoder(Frame)
_REFUSALS: dict[int, type[RequestRefused]] = {400: BadParameter, 401: KeyRefused, 403: NotInPlan}
_WHAT = {Op.AUTH: "the key", Op.SUBSCRIBE: "the pairs"}


class _Refused(Exception):
    """The server said no."""

    def __init__(self, frame: Frame, asked: Op | None = None) -> None:
        what = f" refuses {_WHAT[asked]}" if asked in _WHAT else " ends"
        super().__init__(f"The stream{what}: {_said(frame.msg)}")
        self.status = frame.status


class _Broken(Exception):
    """The connection has ended, or what comes is no stream of prices."""


@dataclass(frozen=True, slots=True)
class Access:
    """Where the stream is and what opens it; without a context of its own TLS is held to the machine's authorities."""

    url: str
    key: str = field(repr=False)
    tls: ssl.SSLContext | None = None


def owner_key_file(settings: Settings) -> Path:
    """Give the file in which the first start left the owner's key."""
    return DataDirectory(settings.data).owner_key


@dataclass(frozen=True, slots=True)
class Patience:
    """How long things may take, in seconds: an answer, the pauses between attempts, until a connection is steady."""

    answer: float = 5.0
    shortest: float = 0.5
    longest: float = 30.0
    steady: float = 10.0


@dataclass(slots=True)
class StreamClient:
    """Keeps what is watched up to date; `warn` is told, a sentence each, what was ignored and that it was lost."""

    access: Access
    watched: WatchList
    stream: StreamName
    clock: Callable[[], datetime]
    warn: Callable[[str], None]
    patience: Patience = Patience()
    _was_heard: bool = False

    async def changes(self) -> AsyncGenerator[str, None]:
        """Give the symbol of each price that has changed, for ever; a stream that is lost is connected to again.

        Errors: RequestRefused, where the server says no and would say it again; ConnectionError, where the first
        attempt finds no stream.
        """
        patience, loop = self.patience, asyncio.get_running_loop()
        wait = patience.shortest
        async with aiohttp.ClientSession() as session:
            while True:
                began = loop.time()
                try:
                    async with aclosing(self._prices(session)) as prices:
                        async for symbol in prices:
                            yield symbol
                except _Refused as refused:
                    if not self._was_heard or refused.status in (401, 403):
                        raise _REFUSALS.get(refused.status, RequestRefused)(str(refused)) from None
                    self._lose(str(refused))
                except (_Broken, aiohttp.ClientError, OSError, ValueError) as error:
                    self._lose(_plainly(error))
                wait = patience.shortest if loop.time() - began > patience.steady else wait
                await asyncio.sleep(random.uniform(wait / 2, wait))  # noqa: S311  nobody guesses it
                wait = min(wait * 2, patience.longest)

    async def _prices(self, session: aiohttp.ClientSession) -> AsyncGenerator[str, None]:
        """Connect once, and give what changes until the connection ends."""
        async with AsyncExitStack() as stack:
            async with asyncio.timeout(self.patience.answer):
                opening = session.ws_connect(
                    self.access.url,
                    ssl=self.access.tls or True,
                    heartbeat=_HEARTBEAT,
                    max_msg_size=_LONGEST_FRAME,
                    timeout=aiohttp.ClientWSTimeout(ws_close=_CLOSE_SECONDS),
                )
                connection = await stack.enter_async_context(opening)
                await self._subscribe(connection)
            while True:
                symbol = self._take(await _next(connection))
                if symbol:
                    yield symbol

    async def _subscribe(self, connection: aiohttp.ClientWebSocketResponse) -> None:
        await _answered(connection, Op.AUTH, {"key": self.access.key})
        pairs = list(self.watched.names.values())
        answer = await _answered(connection, Op.SUBSCRIBE, {"stream": self.stream, "pairs": pairs})
        self._was_heard = True
        self.watched.find()
        ignored = self.watched.ignore(answer.ignored)
        if ignored:
            self.warn(f"The stream knows no pair {', '.join(f'[{echo(name)}]' for name in ignored)}")

    def _take(self, frame: Frame) -> str:
        """Take up a frame; give the symbol whose price has changed, if one has."""
        if frame.op == Op.ERROR:
            raise _Refused(frame)
        if frame.op == Op.SHUTDOWN:
            raise _Broken(_said(frame.msg))
        if frame.op != Op.PRICE or not (frame.bid.is_finite() and frame.ask.is_finite()):
            return ""
        symbol, as_of = echo(frame.sym), datetime.fromtimestamp(frame.tsp / 1000, UTC)
        return symbol if self.watched.take(symbol, frame.bid, frame.ask, as_of) else ""

    def _lose(self, why: str) -> None:
        """Note a loss, and say the first of several in a row. Errors: ConnectionError, before there ever was one."""
        if not self._was_heard:
            raise ConnectionError(f"There is no stream at [{echo(self.access.url)}]: {why}") from None
        now = self.clock()
        if self.watched.lose(now, why):
            self.warn(f"The stream is lost since {now:%H:%M:%S} UTC: {why}; connecting again")


async def _answered(connection: aiohttp.ClientWebSocketResponse, op: Op, asked: dict[str, object]) -> Frame:
    """Say something, and wait for its answer."""
    await connection.send_str(msgspec.json.encode({"op": op, **asked}).decode())
    frame = await _next(connection)
    while frame.op not in (op, Op.ERROR, Op.SHUTDOWN):
        frame = await _next(connection)
    if frame.op != op or frame.status >= 300:
        raise _Refused(frame, op)
    return frame


async def _next(connection: aiohttp.ClientWebSocketResponse) -> Frame:
    message = await connection.receive()
    if message.type is not aiohttp.WSMsgType.TEXT:
        raise _Broken("the connection was closed")
    try:
        return _FRAMES.decode(message.data)
    except msgspec.MsgspecError:
        raise _Broken("what answers there is no stream of prices") from None


def _said(text: str) -> str:
    """Give a server's sentence as a terminal may show it."""
    return (text if text.isprintable() else repr(text)[1:-1])[:_LONGEST_SENTENCE]


def _plainly(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "nothing answers in time"
    if isinstance(error, aiohttp.WSServerHandshakeError):
        return f"what answers there is no stream of prices (HTTP {error.status})"
    if isinstance(error, aiohttp.InvalidURL):
        return "that is no address"
    if isinstance(error, aiohttp.ClientConnectorError):
        refused = error.os_error.errno == ECONNREFUSED
        return "nothing listens there" if refused else _said(error.os_error.strerror or str(error))
    return _said(" ".join(str(error).split())) or type(error).__name__
