"""A client of the price stream, which connects again when its connection is lost."""

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
from cambist.cli.watch_list import WatchList
from cambist.errors import BadParameter, KeyRefused, NotInPlan, RequestRefused
from cambist.settings import Settings
from cambist.storage.data_directory import DataDirectory
from cambist.stream.messages import Op, StreamName

_MAX_TIMESTAMP_MS = 253_402_300_799_999
"""The last millisecond of the year 9999, the last that a datetime can hold."""

_MAX_MESSAGE_LENGTH = 300
_MAX_FRAME_BYTES = 4 * 1024 * 1024
_HEARTBEAT_SECONDS = 20.0
_CLOSE_SECONDS = 1.0


class Frame(msgspec.Struct, frozen=True):
    """A frame of the server, with the fields that this client uses."""

    op: str
    status: int = 200
    msg: str = ""
    ignored: list[str] = []
    sym: str = ""
    bid: Decimal = Decimal("NaN")
    ask: Decimal = Decimal("NaN")
    tsp: Annotated[int, msgspec.Meta(ge=0, le=_MAX_TIMESTAMP_MS)] = 0


_DECODER = msgspec.json.Decoder(Frame)
_ERRORS_BY_STATUS: dict[int, type[RequestRefused]] = {400: BadParameter, 401: KeyRefused, 403: NotInPlan}
_REJECTED_PARTS = {Op.AUTH: "the key", Op.SUBSCRIBE: "the pairs"}


class _ErrorFrame(Exception):
    """The server has rejected a request, or has ended the stream with an error."""

    def __init__(self, frame: Frame, request: Op | None = None) -> None:
        verb = f"refuses {_REJECTED_PARTS[request]}" if request in _REJECTED_PARTS else "ends"
        super().__init__(f"The stream {verb}: {_printable(frame.msg)}")
        self.status = frame.status


class _ConnectionLost(Exception):
    """The connection has ended, or the server does not send a price stream."""


@dataclass(frozen=True, slots=True)
class StreamAddress:
    """The URL of a stream and the API key to use. Without `tls`, the system's certificate authorities are trusted."""

    url: str
    key: str = field(repr=False)
    tls: ssl.SSLContext | None = None


def owner_key_file(settings: Settings) -> Path:
    """Return the file to which the first start of the service wrote the owner's key."""
    return DataDirectory(settings.data).owner_key


@dataclass(frozen=True, slots=True)
class ReconnectPolicy:
    """How long to wait, in seconds: for a reply, and between two attempts to connect.

    The pause doubles after each attempt, up to `max_pause`. It starts again at `min_pause` after a connection that
    lasted `stable_after`.
    """

    reply_timeout: float = 5.0
    min_pause: float = 0.5
    max_pause: float = 30.0
    stable_after: float = 10.0


@dataclass(slots=True)
class StreamClient:
    """Keeps a watch list up to date. `warn` is called with a sentence if pairs are unknown or the stream is lost."""

    address: StreamAddress
    watch_list: WatchList
    stream: StreamName
    clock: Callable[[], datetime]
    warn: Callable[[str], None]
    policy: ReconnectPolicy = ReconnectPolicy()
    _was_subscribed: bool = False

    async def changes(self) -> AsyncGenerator[str, None]:
        """Yield the symbol of each price that changes, without end, and connect again when the connection is lost.

        Errors: RequestRefused if the server rejects the request and would do so again; ConnectionError if the first
        attempt finds no stream.
        """
        policy, loop = self.policy, asyncio.get_running_loop()
        pause = policy.min_pause
        async with aiohttp.ClientSession() as http:
            while True:
                started = loop.time()
                try:
                    async with aclosing(self._changes_of_one_connection(http)) as symbols:
                        async for symbol in symbols:
                            yield symbol
                except _ErrorFrame as error:
                    if not self._was_subscribed or error.status in (401, 403):
                        raise _ERRORS_BY_STATUS.get(error.status, RequestRefused)(str(error)) from None
                    self._report_loss(str(error))
                except (_ConnectionLost, aiohttp.ClientError, OSError, ValueError) as error:
                    self._report_loss(_reason(error))
                pause = policy.min_pause if loop.time() - started > policy.stable_after else pause
                # Random, so that not all clients of a restarted service return at the same moment.
                await asyncio.sleep(random.uniform(pause / 2, pause))  # noqa: S311  nothing secret
                pause = min(pause * 2, policy.max_pause)

    async def _changes_of_one_connection(self, http: aiohttp.ClientSession) -> AsyncGenerator[str, None]:
        """Connect, subscribe, and yield the symbols that change until the connection ends."""
        async with AsyncExitStack() as stack:
            async with asyncio.timeout(self.policy.reply_timeout):
                opening = http.ws_connect(
                    self.address.url,
                    ssl=self.address.tls or True,
                    heartbeat=_HEARTBEAT_SECONDS,
                    max_msg_size=_MAX_FRAME_BYTES,
                    timeout=aiohttp.ClientWSTimeout(ws_close=_CLOSE_SECONDS),
                )
                websocket = await stack.enter_async_context(opening)
                await self._subscribe(websocket)
            while True:
                symbol = self._apply(await _receive(websocket))
                if symbol:
                    yield symbol

    async def _subscribe(self, websocket: aiohttp.ClientWebSocketResponse) -> None:
        await _request(websocket, Op.AUTH, {"key": self.address.key})
        pairs = list(self.watch_list.names.values())
        reply = await _request(websocket, Op.SUBSCRIBE, {"stream": self.stream, "pairs": pairs})
        self._was_subscribed = True
        self.watch_list.mark_connected()
        unknown = self.watch_list.mark_unknown(reply.ignored)
        if unknown:
            self.warn(f"The stream knows no pair {', '.join(f'[{echo(name)}]' for name in unknown)}")

    def _apply(self, frame: Frame) -> str:
        """Apply a frame to the watch list; return the symbol whose price has changed, or an empty string."""
        if frame.op == Op.ERROR:
            raise _ErrorFrame(frame)
        if frame.op == Op.SHUTDOWN:
            raise _ConnectionLost(_printable(frame.msg))
        if frame.op != Op.PRICE or not (frame.bid.is_finite() and frame.ask.is_finite()):
            return ""
        symbol, as_of = echo(frame.sym), datetime.fromtimestamp(frame.tsp / 1000, UTC)
        return symbol if self.watch_list.update(symbol, frame.bid, frame.ask, as_of) else ""

    def _report_loss(self, reason: str) -> None:
        """Record that the stream is lost, and warn once. Errors: ConnectionError if it has never been connected."""
        if not self._was_subscribed:
            raise ConnectionError(f"There is no stream at [{echo(self.address.url)}]: {reason}") from None
        now = self.clock()
        if self.watch_list.mark_lost(now, reason):
            self.warn(f"The stream is lost since {now:%H:%M:%S} UTC: {reason}; connecting again")


async def _request(websocket: aiohttp.ClientWebSocketResponse, op: Op, fields: dict[str, object]) -> Frame:
    """Send a request and return the reply to it. Errors: _ErrorFrame if it is rejected."""
    await websocket.send_str(msgspec.json.encode({"op": op, **fields}).decode())
    frame = await _receive(websocket)
    while frame.op not in (op, Op.ERROR, Op.SHUTDOWN):
        frame = await _receive(websocket)
    if frame.op != op or frame.status >= 300:
        raise _ErrorFrame(frame, op)
    return frame


async def _receive(websocket: aiohttp.ClientWebSocketResponse) -> Frame:
    message = await websocket.receive()
    if message.type is not aiohttp.WSMsgType.TEXT:
        raise _ConnectionLost("the connection was closed")
    try:
        return _DECODER.decode(message.data)
    except msgspec.MsgspecError:
        raise _ConnectionLost("the server there does not send a price stream") from None


def _printable(text: str) -> str:
    """Return a server's text without control characters, and cut off if it is long."""
    return (text if text.isprintable() else repr(text)[1:-1])[:_MAX_MESSAGE_LENGTH]


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "the server does not reply in time"
    if isinstance(error, aiohttp.WSServerHandshakeError):
        return f"the server there does not send a price stream (HTTP {error.status})"
    if isinstance(error, aiohttp.InvalidURL):
        return "this is not a valid address"
    if isinstance(error, aiohttp.ClientConnectorError):
        refused = error.os_error.errno == ECONNREFUSED
        return "nothing listens there" if refused else _printable(error.os_error.strerror or str(error))
    return _printable(" ".join(str(error).split())) or type(error).__name__
