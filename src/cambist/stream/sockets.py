"""Sockets: the WebSocket server, and between one socket and its session and place in the hub."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import Any

from picows import (
    WSCloseCode,
    WSFrame,
    WSListener,
    WSMsgType,
    WSTransport,
    WSUpgradeRequest,
    WSUpgradeResponseWithListener,
    ws_create_server,
)

from cambist.accounts.api_key import Digest
from cambist.accounts.bearer import Bearer
from cambist.market.pair import Pair
from cambist.stream.door import Refused
from cambist.stream.handshake import answer_handshake
from cambist.stream.lanes import Reader
from cambist.stream.messages import LONGEST, Op, StreamName, answer
from cambist.stream.rooms import Rooms
from cambist.stream.session import GOING_AWAY, POLICY, Said, Session, State

log = logging.getLogger(__name__)

_HANDSHAKE_SECONDS = 10
_KEY_SECONDS = 10.0
_CLOSE_SECONDS = 2.0
_TURN = 500
"""How many visits are checked before the loop may see to something else."""

_LONGEST_READ = 1 << 20
"""What one frame may take before it is not even read to its end: up to there its sender is told what is wrong."""

_READ_BYTES = 1024
_BACKLOG = 1024
_UNSENT_BYTES = 16 * 1024
"""How many bytes the machine may hold for a client that it has not sent yet: the rest waits as pairs, not as bytes."""

_UNREAD_ANSWERS = 256 * 1024


class Visit(WSListener):
    """One connection: reads what its client says, and is written to by the hub."""

    def __init__(self, rooms: Rooms, visits: set[Visit]) -> None:
        self._rooms = rooms
        self._visits = visits
        self._session = Session(self)
        self._begun = b""
        self._address: str | None = None
        self._closing = False
        self.reader = Reader(self, rooms.moment())
        self.came_at = rooms.moment()

    # What the socket calls

    def on_ws_connected(self, transport: WSTransport) -> None:
        """Greet, unless too many of that address are still strangers."""
        self._transport = transport
        self._below = transport.underlying_transport
        self._below.set_write_buffer_limits(high=0)
        forwarded = transport.request.headers.get("X-Forwarded-For", "")
        peer = self._below.get_extra_info("peername") or ("",)
        self._address = self._rooms.address(str(peer[0]), forwarded)
        self._visits.add(self)
        now = self._rooms.now()
        if self._rooms.door.knock(self._address):
            self.write(answer(Op.CONNECT, 200, now, "Connected to Cambist"))
        else:
            sentence = "Too many connections from this address have brought no key yet"
            self._say(Said(answer(Op.ERROR, 429, now, sentence), POLICY))

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        """Take up a frame; a fault of ours ends this connection and no other."""
        try:
            self._take(transport, frame)
        except Exception:
            log.exception("Stream: a frame could not be answered")
            self.close(1011, "")

    def on_ws_disconnected(self, _transport: WSTransport) -> None:
        """Forget the connection."""
        self._closing = True
        self._visits.discard(self)
        self._rooms.hub.leave(self.reader)
        if self._session.bearer is not None:
            self._rooms.door.leave(self._session.bearer)
        elif self._address is not None:
            self._rooms.door.gone(self._address)

    def pause_writing(self) -> None:
        """Tell the hub that nothing more can be taken."""
        self._rooms.hub.paused(self.reader)

    def resume_writing(self) -> None:
        """Tell the hub that something can be taken again."""
        self._rooms.hub.resumed(self.reader, self._rooms.moment())

    # What the hub calls

    def write(self, frames: bytes) -> None:
        """Write whole frames."""
        if not self._closing:
            self._below.write(frames)

    def lost(self) -> None:
        """End a connection whose other end is gone."""
        self._closing = True
        self._below.abort()

    # What the session calls

    def admit(self, digest: Digest, now: float) -> Bearer | Refused:
        """Let in by a key, and charge the first minute."""
        address = self._address or ""
        found = self._rooms.door.admit(digest, address, now)
        if isinstance(found, Bearer):
            self._rooms.door.gone(address)
            self._rooms.hub.join(self.reader)
        return found

    def charge(self, bearer: Bearer, now: float) -> Refused | None:
        """Charge another minute, or say why it cannot be."""
        return self._rooms.door.charge(bearer, now)

    def pairs(self, names: list[str]) -> tuple[dict[str, Pair], list[str]]:
        """Give the pairs that names stand for."""
        return self._rooms.pairs(names)

    def select(self, stream: StreamName, pairs: Mapping[str, Pair]) -> None:
        """Listen to these pairs in that stream from now on."""
        self._rooms.hub.select(self.reader, stream, pairs, self._messages_a_second())

    def reduce(self, stream: StreamName, pairs: Mapping[str, Pair]) -> None:
        """Listen to only these of its pairs in that stream from now on."""
        self._rooms.hub.reduce(self.reader, stream, pairs, self._messages_a_second())

    def _messages_a_second(self) -> int:
        bearer = self._session.bearer
        return bearer.plan.stream_messages if bearer else 0

    def state(self) -> State:
        """Say whether prices flow."""
        return self._rooms.state()

    # What the process calls

    def check(self, now: float, moment: float) -> None:
        """End what may no longer be: who brings no key, or one that opens nothing any more, or has no calls left."""
        bearer = self._session.bearer
        if self._closing:
            return
        if bearer is None:
            if moment - self.came_at > _KEY_SECONDS:
                self._say(Said(answer(Op.ERROR, 401, now, f"No API key came in {_KEY_SECONDS:.0f} s"), POLICY))
            return
        found = self._rooms.door.look(self._session.digest, now)
        said = self._session.go_on(found, now)
        if said:
            self._say(said)
        elif isinstance(found, Bearer) and found.plan is not bearer.plan:
            self.reader.measure(found.plan.stream_messages)

    def dismiss(self, now: float) -> None:
        """Say that the service stops, and close."""
        self._say(Said(answer(Op.SHUTDOWN, 503, now, "The service stops; connect again"), GOING_AWAY))

    def close(self, code: int, reason: str) -> None:
        """Close in order, and in any case soon."""
        if self._closing:
            return
        self._closing = True
        self._rooms.hub.leave(self.reader)
        self._transport.send_close(WSCloseCode(code), reason)
        asyncio.get_running_loop().call_later(_CLOSE_SECONDS, self._below.abort)

    def _take(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type == WSMsgType.CLOSE:
            self._leave(transport, frame)
            return
        if self._closing:
            return
        self._rooms.hub.heard(self.reader)
        now = self._rooms.now()
        flood = self._session.count(now)
        if flood:
            self._say(flood)
            self._below.pause_reading()  # or it would be read on until it is cut off
        elif frame.msg_type == WSMsgType.PING:
            if not self._below.get_write_buffer_size():  # who reads no answer gets no other
                transport.send_pong(frame.get_payload_as_bytes())
        elif frame.msg_type == WSMsgType.BINARY:
            self._say(self._session.binary(now))
        elif frame.msg_type in (WSMsgType.TEXT, WSMsgType.CONTINUATION):
            self._read(frame, now)

    def _read(self, frame: WSFrame, now: float) -> None:
        """Put together what came in parts, and have it answered."""
        if len(self._begun) + frame.payload_size > LONGEST:
            self._say(self._session.too_big(now, LONGEST))
            return
        text, self._begun = self._begun + frame.get_payload_as_bytes(), b""
        if not frame.fin:
            self._begun = text
            return
        self._say(self._session.hear(text, now))
        if not self._closing:
            self._rooms.hub.pay(self.reader, self._rooms.moment())

    def _say(self, said: Said) -> None:
        if not (self._below.is_closing() or self._transport.is_close_frame_sent):
            self.write(said.frame)
        if said.close is not None:
            self.close(said.close, "")
        elif self._below.get_write_buffer_size() > _UNREAD_ANSWERS:
            self.lost()  # it asks and asks, and reads no answer

    def _leave(self, transport: WSTransport, frame: WSFrame) -> None:
        """Close as the client does."""
        if not self._closing:
            self._closing = True
            self._rooms.hub.leave(self.reader)
            code = frame.get_close_code()
            transport.send_close(WSCloseCode.OK if code == WSCloseCode.NO_INFO else code)
        transport.disconnect()


class Sockets:
    """The server: all visits, from its opening to its end."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self.visits: set[Visit] = set()
        self.is_open = False

    async def open(self, host: str, port: int, tls: ssl.SSLContext | None) -> asyncio.Server:
        """Listen. Errors: OSError where the address cannot be had."""
        server = await ws_create_server(
            self._receive,
            host,
            port,
            ssl=tls,
            backlog=_BACKLOG,
            websocket_handshake_timeout=_HANDSHAKE_SECONDS,
            max_frame_size=_LONGEST_READ,
            read_buffer_init_size=_READ_BYTES,
            enable_auto_pong=False,
            ssl_handshake_timeout=_HANDSHAKE_SECONDS if tls else None,
        )
        for listening in server.sockets:
            _keep_little(listening)
        asyncio.get_running_loop().set_exception_handler(_on_failure)
        self.is_open = True
        return server

    def check(self) -> Iterator[None]:
        """End the visits that may no longer be; between two steps the loop may see to something else."""
        now, moment = self._rooms.now(), self._rooms.moment()
        for count, visit in enumerate(tuple(self.visits), 1):
            visit.check(now, moment)
            if count % _TURN == 0:
                yield

    def dismiss(self) -> None:
        """Say to all that the service stops, and close."""
        now = self._rooms.now()
        for visit in tuple(self.visits):
            visit.dismiss(now)

    def _receive(self, request: WSUpgradeRequest) -> WSUpgradeResponseWithListener:
        response = answer_handshake(request)
        visit = Visit(self._rooms, self.visits) if response.status == HTTPStatus.SWITCHING_PROTOCOLS else None
        return WSUpgradeResponseWithListener(response, visit)


def _keep_little(listening: socket.socket) -> None:
    """Let the machine hold little that is not sent yet; sockets inherit it from the one that listens."""
    lowat: Callable[..., int] | int | None = getattr(socket, "TCP_NOTSENT_LOWAT", None)
    if isinstance(lowat, int):
        listening.setsockopt(socket.IPPROTO_TCP, lowat, _UNSENT_BYTES)


def _on_failure(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what failed outside of any task; a client that breaks off TLS is no failure of ours."""
    if str(context.get("message")).startswith("SSL "):
        log.debug("Stream: a client broke off TLS: %s", context["message"])
    else:
        loop.default_exception_handler(context)
