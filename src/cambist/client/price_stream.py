"""The price stream, which connects again when its connection is lost."""

from __future__ import annotations

import asyncio
import random
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from errno import ECONNREFUSED
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI, WebSocketException

from cambist.client.errors import ConnectionFailed, ServiceError, printable
from cambist.client.protocol import LOCAL_HOSTS, USER_AGENT, reason_of
from cambist.client.stream_messages import (
    Disconnected,
    Event,
    Frame,
    Price,
    Stream,
    Subscribed,
    auth_message,
    parse_frame,
    stream_error,
    subscribe_message,
)

_MAX_FRAME_BYTES = 4 * 1024 * 1024
_HEARTBEAT_SECONDS = 20.0
_CLOSE_SECONDS = 1.0
_REASONS: Mapping[type[Exception], str] = {
    ConnectionClosed: "the connection was closed",
    InvalidURI: "this is not a valid address",
    InvalidHandshake: "the server there does not send a price stream",
    TimeoutError: "the server does not reply in time",
}


@dataclass(frozen=True, slots=True)
class StreamAddress:
    """The URL of a stream and the API key to use. Without `tls`, the system's certificate authorities are trusted."""

    url: str
    key: str = field(repr=False)
    tls: ssl.SSLContext | None = None


@dataclass(frozen=True, slots=True)
class Reconnecting:
    """How long to wait, in seconds: for a reply, and between two attempts to connect.

    The pause doubles after each attempt, up to `max_pause`. It starts again at `min_pause` after a connection that
    lasted `stable_after`.
    """

    reply_timeout: float = 5.0
    min_pause: float = 0.5
    max_pause: float = 30.0
    stable_after: float = 10.0


class _Connect(connect):
    """A connection that follows no redirect: the key is for one address alone."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        """Return the error, in place of the address to go on to."""
        return exc


class PriceStream:
    """Prices of pairs as they change: `async for price in stream`, without end.

    `events()` also says when the connection is lost and found again. Errors of both: ServiceError if the service
    refuses the key or the pairs, ConnectionFailed if the first attempt finds no stream.
    """

    def __init__(
        self,
        address: StreamAddress,
        pairs: str | Iterable[str],
        stream: Stream | str = Stream.FX,
        reconnecting: Reconnecting | None = None,
    ) -> None:
        self.address = address
        self.stream = Stream(stream)
        self.reconnecting = reconnecting or Reconnecting()
        self.pairs = _listed(pairs)
        self._connection: ClientConnection | None = None
        self._was_subscribed = False

    async def subscribe(self, pairs: str | Iterable[str]) -> None:
        """Watch these pairs in place of those before, at once and after each reconnection."""
        self.pairs = _listed(pairs)
        if self._connection is not None:
            with suppress(ConnectionClosed):  # then the next connection subscribes to them
                await self._connection.send(subscribe_message(self.stream, self.pairs))

    def __aiter__(self) -> AsyncIterator[Price]:
        return self._prices()

    async def _prices(self) -> AsyncGenerator[Price, None]:
        async with aclosing(self.events()) as events:
            async for event in events:
                if isinstance(event, Price):
                    yield event

    async def events(self) -> AsyncGenerator[Event, None]:
        """Yield prices, and when the stream is connected and disconnected."""
        policy, loop = self.reconnecting, asyncio.get_running_loop()
        pause = policy.min_pause
        while True:
            started = loop.time()
            try:
                async with aclosing(self._events_of_one_connection()) as events:
                    async for event in events:
                        yield event
            except ServiceError as error:
                if not self._was_subscribed or error.status in (401, 403):
                    raise
                yield Disconnected(str(error))
            except (OSError, ValueError, WebSocketException) as error:
                reason = _reason(error)
                if not self._was_subscribed:
                    place = printable(self.address.url)
                    raise ConnectionFailed(f"There is no stream at [{place}]: {reason}") from error
                yield Disconnected(reason)
            pause = policy.min_pause if loop.time() - started > policy.stable_after else pause
            # Random, so that not all clients of a restarted service return at the same moment.
            await asyncio.sleep(random.uniform(pause / 2, pause))  # noqa: S311  nothing secret
            pause = min(pause * 2, policy.max_pause)

    async def _events_of_one_connection(self) -> AsyncGenerator[Event, None]:
        """Connect, subscribe, and yield what comes until the connection ends."""
        async with self._connect() as connection:
            try:
                async with asyncio.timeout(self.reconnecting.reply_timeout):
                    await _request(connection, "auth", auth_message(self.address.key))
                    reply = await _request(connection, "subscribe", subscribe_message(self.stream, self.pairs))
                self._connection, self._was_subscribed = connection, True
                yield Subscribed(reply.ignored)
                while True:
                    event = _event(await _receive(connection))
                    if event is not None:
                        yield event
            finally:
                self._connection = None

    def _connect(self) -> _Connect:
        url = self.address.url
        return _Connect(
            url,
            ssl=self.address.tls,
            proxy=None if urlsplit(url).hostname in LOCAL_HOSTS else True,
            user_agent_header=USER_AGENT,
            compression=None,
            open_timeout=self.reconnecting.reply_timeout,
            ping_interval=_HEARTBEAT_SECONDS,
            ping_timeout=_HEARTBEAT_SECONDS,
            close_timeout=_CLOSE_SECONDS,
            max_size=_MAX_FRAME_BYTES,
        )


def _listed(pairs: str | Iterable[str]) -> list[str]:
    return pairs.split(",") if isinstance(pairs, str) else list(pairs)


def _event(frame: Frame) -> Event | None:
    """Return what a frame says; None if it says nothing new. Errors: ServiceError, ValueError if the stream ends."""
    if frame.op == "error":
        raise stream_error(frame)
    if frame.op == "shutdown":
        raise ValueError(printable(frame.msg))
    if frame.op == "subscribe":
        if frame.status >= 300:
            raise stream_error(frame, frame.op)
        return Subscribed(frame.ignored)
    return frame.price


async def _request(connection: ClientConnection, op: str, message: str) -> Frame:
    """Send a request and return the reply to it. Errors: ServiceError if it is refused."""
    await connection.send(message)
    frame = await _receive(connection)
    while frame.op not in (op, "error", "shutdown"):
        frame = await _receive(connection)
    if frame.op != op or frame.status >= 300:
        raise stream_error(frame, op)
    return frame


async def _receive(connection: ClientConnection) -> Frame:
    return parse_frame(await connection.recv())


def _reason(error: Exception) -> str:
    for kind, reason in _REASONS.items():
        if isinstance(error, kind):
            return f"{reason} (HTTP {error.response.status_code})" if isinstance(error, InvalidStatus) else reason
    if isinstance(error, OSError) and (error.errno == ECONNREFUSED or f"[Errno {ECONNREFUSED}]" in str(error)):
        return "nothing listens there"
    return reason_of(error) or printable(" ".join(str(error).split())) or type(error).__name__
