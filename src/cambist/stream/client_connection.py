"""A client connection: one WebSocket, which connects the library with a session and the broadcaster."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import cast

from picows import WSCloseCode, WSFrame, WSListener, WSMsgType, WSTransport

from cambist.accounts.addresses import client_address
from cambist.accounts.keyless_access import is_same_name
from cambist.stream.bounded_reading import BoundedReading
from cambist.stream.context import StreamContext
from cambist.stream.messages import MAX_MESSAGE_BYTES, MAX_MESSAGE_BYTES_BEFORE_AUTH, Op, status_frame
from cambist.stream.session import GOING_AWAY, POLICY, Reply, Session
from cambist.stream.subscription import StreamConnection

log = logging.getLogger(__name__)

_KEY_SECONDS = 10.0
_CLOSE_SECONDS = 2.0
_MAX_UNREAD_BYTES = 256 * 1024


class _Nowhere:
    """Where the frames go that a connection gets after its end."""

    def write(self, frames: bytes) -> None:
        """Drop frames."""

    def abort(self) -> None:
        """Do nothing: it has ended."""


_NOWHERE = _Nowhere()


class ClientConnection(WSListener):
    """One WebSocket: it passes the client's messages to a session, and writes replies and prices.

    `connections` is the set of all open ones. `unparsed_bytes` counts what has come of a frame that has not ended.
    """

    def __init__(self, context: StreamContext, connections: set[ClientConnection]) -> None:
        self._context = context
        self._connections = connections
        self._opened_at = time.monotonic()
        self._connection = StreamConnection(self, self._opened_at)
        self._session = Session(context, self._connection)
        self._partial = b""
        self._is_closing = False
        self.unparsed_bytes = 0

    # Called by the WebSocket library

    def on_ws_connected(self, transport: WSTransport) -> None:
        """Greet the client."""
        self._websocket = transport
        self._socket = transport.underlying_transport
        self._socket.set_write_buffer_limits(high=0)
        library = cast("asyncio.BufferedProtocol", self._socket.get_protocol())
        self._socket.set_protocol(BoundedReading(library, self))
        headers = transport.request.headers
        forwarded = headers.get("X-Forwarded-For", "")
        origin = headers.get("Origin", "")
        is_own = is_same_name(origin, headers.get("Host", ""))
        self._session.is_from_page = bool(origin) and (is_own or origin == self._context.page_origin)
        peer = self._socket.get_extra_info("peername") or ("",)
        self.descriptor = int(self._socket.get_extra_info("socket").fileno())
        self._connections.add(self)
        self._context.opened.set()
        address = client_address(str(peer[0]), forwarded, self._context.proxies)
        self._send(self._session.open(address, time.time()))

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        """Handle a frame; an unexpected error ends this connection and no other."""
        self.unparsed_bytes = frame.tail_size
        try:
            self._handle(transport, frame)
        except Exception:
            log.exception("Stream: a frame could not be answered")
            self._close(1011)

    def on_ws_disconnected(self, _transport: WSTransport) -> None:
        """Remove the connection everywhere."""
        self._is_closing = True
        self._connections.discard(self)
        self._session.close()
        # The two refer to each other: without that, both are freed at once.
        self._connection.writer = _NOWHERE
        self._partial = b""

    def pause_writing(self) -> None:
        """Pause: the write buffer is full."""
        self._context.broadcaster.pause(self._connection)

    def resume_writing(self) -> None:
        """Resume: the write buffer has room."""
        self._context.broadcaster.resume(self._connection, time.monotonic())

    # Called by the bounded reading

    @property
    def max_message_bytes(self) -> int:
        """Return the longest message that the client may send now."""
        return MAX_MESSAGE_BYTES if self.has_key else MAX_MESSAGE_BYTES_BEFORE_AUTH

    def refuse_unparsed(self) -> None:
        """Refuse a frame that is too long before it has ended, unless the library has done so."""
        if not (self._is_closing or self._websocket.is_close_frame_sent):
            self._send(self._session.reject_too_big(time.time(), self.max_message_bytes))

    # Called by the broadcaster

    def write(self, frames: bytes) -> None:
        """Write whole frames."""
        if not self._is_closing:
            self._socket.write(frames)

    def abort(self) -> None:
        """Drop the connection without a closing handshake."""
        self._is_closing = True
        self._socket.abort()

    # Called by the server

    @property
    def has_key(self) -> bool:
        """Return whether the client has authenticated."""
        return self._session.principal is not None

    def check(self, now: float, monotonic_now: float) -> None:
        """Close the connection if no key came in time, or if its key, plan or quota no longer allow it."""
        if self._is_closing:
            return
        reply = None
        if self.has_key:
            reply = self._session.renew(now)
        elif monotonic_now - self._opened_at > _KEY_SECONDS:
            text = f"No API key was sent within {_KEY_SECONDS:.0f} s"
            reply = Reply(status_frame(Op.ERROR, 401, now, text), POLICY)
        if reply:
            self._send(reply)

    def shut_down(self, now: float) -> None:
        """Announce to the client that the service stops, and close."""
        self._send(Reply(status_frame(Op.SHUTDOWN, 503, now, "The service stops; connect again"), GOING_AWAY))

    def _handle(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type == WSMsgType.CLOSE:
            self._confirm_close(transport, frame)
            return
        if self._is_closing:
            return
        self._context.broadcaster.mark_alive(self._connection)
        now = time.time()
        flood = self._session.count_frames(now)
        if flood:
            self._send(flood)
            self._socket.pause_reading()  # otherwise frames would be read until the socket is closed
        elif frame.msg_type == WSMsgType.PING:
            if not self._socket.get_write_buffer_size():  # no pong to a client that has not read the last one
                transport.send_pong(frame.get_payload_as_bytes())
        elif frame.msg_type == WSMsgType.BINARY:
            self._send(self._session.reject_binary(now))
        elif frame.msg_type in (WSMsgType.TEXT, WSMsgType.CONTINUATION):
            self._handle_text(frame, now)

    def _handle_text(self, frame: WSFrame, now: float) -> None:
        """Join the parts of a message, and reply once it is whole."""
        if len(self._partial) + frame.payload_size > self.max_message_bytes:
            self._send(self._session.reject_too_big(now, self.max_message_bytes))
            return
        text, self._partial = self._partial + frame.get_payload_as_bytes(), b""
        if not frame.fin:
            self._partial = text
            return
        self._send(self._session.handle(text, now))
        if not self._is_closing:
            self._context.broadcaster.flush(self._connection, time.monotonic())

    def _send(self, reply: Reply) -> None:
        if not (self._socket.is_closing() or self._websocket.is_close_frame_sent):
            self.write(reply.frame)
        if reply.close_code is not None:
            self._close(reply.close_code)
        elif self._socket.get_write_buffer_size() > _MAX_UNREAD_BYTES:
            self.abort()  # the client sends requests and reads no reply

    def _close(self, code: int) -> None:
        """Close with a closing handshake, and drop the connection if the client does not complete it."""
        if self._is_closing:
            return
        self._is_closing = True
        self._context.broadcaster.remove(self._connection)
        self._websocket.send_close(WSCloseCode(code), "")
        asyncio.get_running_loop().call_later(_CLOSE_SECONDS, self._socket.abort)

    def _confirm_close(self, transport: WSTransport, frame: WSFrame) -> None:
        """Complete the closing handshake that the client has begun."""
        if not self._is_closing:
            self._is_closing = True
            self._context.broadcaster.remove(self._connection)
            code = frame.get_close_code()
            transport.send_close(WSCloseCode.OK if code == WSCloseCode.NO_INFO else code)
        transport.disconnect()
