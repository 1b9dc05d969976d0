"""The price stream, which connects again when its connection is lost."""

from __future__ import annotations

import asyncio
import random
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from errno import ECONNREFUSED
from typing import TypeVar
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
from cambist.client.transport import system_authorities

E = TypeVar("E", bound=Event)

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
        return self._messages(Price)

    def events(self) -> AsyncGenerator[Event, None]:
        """Yield prices, and when the stream is connected and disconnected."""
        return self._messages(Price, Subscribed, Disconnected)

    async def _messages(self, *kinds: type[E]) -> AsyncGenerator[E, None]:
        """Yield messages of some kinds. All is in one generator: nested ones are not closed in their order."""
        policy, loop = self.reconnecting, asyncio.get_running_loop()
        pause, message = policy.min_pause, None
        while True:
            started = loop.time()
            try:
                async with self._connect() as connection:
                    message = await self._subscribed(connection)
                    while True:
                        if isinstance(message, kinds):
                            yield message
                        message = _event(await _receive(connection))
            except (ServiceError, OSError, ValueError, WebSocketException) as error:
                message = self._disconnected(error)
            finally:
                self._connection = None
            if isinstance(message, kinds):
                yield message
            pause = policy.min_pause if loop.time() - started > policy.stable_after else pause
            # Random, so that not all clients of a restarted service return at the same moment.
            await asyncio.sleep(random.uniform(pause / 2, pause))  # noqa: S311  nothing secret
            pause = min(pause * 2, policy.max_pause)

    async def _subscribed(self, connection: ClientConnection) -> Event:
        """Open the session and subscribe. Errors: ServiceError, OSError, ValueError, WebSocketException."""
        async with asyncio.timeout(self.reconnecting.reply_timeout):
            await _request(connection, "auth", auth_message(self.address.key))
            reply = await _request(connection, "subscribe", subscribe_message(self.stream, self.pairs))
        self._connection, self._was_subscribed = connection, True
        return Subscribed(reply.ignored)

    def _disconnected(self, error: Exception) -> Event:
        """Return the event of a lost connection. Errors: ServiceError, ConnectionFailed if another would not help."""
        if isinstance(error, ServiceError):
            if not self._was_subscribed or error.status in (401, 403):
                raise error
            return Disconnected(str(error))
        reason = _reason(error)
        if not self._was_subscribed:
            raise ConnectionFailed(f"There is no stream at [{printable(self.address.url)}]: {reason}") from error
        return Disconnected(reason)

    def _connect(self) -> _Connect:
        url = self.address.url
        return _Connect(
            url,
            ssl=(self.address.tls or system_authorities()) if url.startswith("wss:") else None,
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
