"""One connection of a client: it reads requests and sends responses in their order."""

from __future__ import annotations

import asyncio
from collections import deque
from functools import partial
from typing import cast

from cambist.http.connection_owner import ConnectionOwner
from cambist.http.file_body import PIECE_BYTES, FileBody
from cambist.http.request_parser import MalformedRequest, ReceivedRequest, RequestParser, is_plain
from cambist.http.responses import (
    REQUEST_ID,
    encode_malformed,
    finished,
    new_request_id,
    with_request_id,
)

RECEIVED = "cambist.received"
"""The key in the environ of the bytes of a plain request that came alone and whole."""

_HIGH_WATER_BYTES = 64 * 1024
READ_AHEAD_BYTES = 16 * 1024
"""How much is parsed at a time: while a request waits, no more of what was sent behind it becomes requests."""

_LINGER_SECONDS = 1.0
_NOTHING = memoryview(b"")
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class HttpConnection(asyncio.Protocol):
    """Reads requests from a transport. What can be answered from memory is answered at once, the rest in a thread."""

    def __init__(self, server: ConnectionOwner) -> None:
        self._server = server
        self._direct = server.direct
        self._requests: deque[ReceivedRequest] = deque()
        self._waiting_for: ReceivedRequest | None = None
        self._sending: tuple[FileBody, ReceivedRequest] | None = None
        self._is_full = self._is_paused = self._is_ending = self._has_all = False
        self._last_answer = self._unread = self._due = b""
        self._unsent = _NOTHING
        self.silent_since = server.now

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin; too much unsent data stops the reading of further requests."""
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(_HIGH_WATER_BYTES, 0)
        peer = transport.get_extra_info("peername")
        self._peer: str = peer[0] if peer else ""
        self._parser = RequestParser(self._peer, self._server.body_limit)
        self._server.connections.add(self)

    def connection_lost(self, _error: Exception | None) -> None:
        """Forget the connection; the answer to a request that is in a thread is dropped."""
        self._is_ending = True
        self._requests.clear()
        self._parser.close()
        self._unread, self._due, self._unsent = b"", b"", _NOTHING
        if self._sending is not None:
            self._sending[0].close()
            self._sending = None
        self._server.connections.discard(self)
        self._server.departed(self)

    def data_received(self, data: bytes) -> None:
        """Answer what is complete."""
        if self._is_ending or self._last_answer:
            return
        if self._parser.is_between and self._may_answer and (answer := self._direct(data, None)) is not None:
            self._send_soon(answer)
            return
        if self._due:
            self._server.send_answered()
        self._read(data)

    def _send_soon(self, answer: bytes) -> None:
        self.silent_since = self._server.now
        is_first, self._due = not self._due, self._due + answer
        if is_first:
            self._server.send_soon(self)

    def eof_received(self) -> bool:
        """Keep the connection for the answers that are still due, if the client sends no more."""
        self._server.send_answered()
        if self._unread and not (self._is_ending or self._server.is_secure):
            self._has_all = True
            return True
        sending = self._sending[1] if self._sending else None
        last = self._requests[-1] if self._requests else self._waiting_for or sending
        if last is None or self._is_ending or self._server.is_secure:  # a closed TLS connection cannot be written to
            return False
        last.keep_alive = False
        return True

    def pause_writing(self) -> None:
        """Stop: the client does not read."""
        self._is_full = True
        self._pause()

    def resume_writing(self) -> None:
        """Go on: the client has read everything."""
        self._is_full = False
        self.silent_since = self._server.now
        self._write_more()
        if self._is_ending:
            self._close_if_secure()
        self._send_pieces()
        self._answer()

    def _read(self, data: bytes) -> None:
        """Parse a piece of data; `_answer` comes back for the rest when nothing waits."""
        is_piece = bool(self._unread) or len(data) > READ_AHEAD_BYTES
        if is_piece:
            data = self._unread + data
            data, self._unread = data[:READ_AHEAD_BYTES], data[READ_AHEAD_BYTES:]
        is_alone = self._parser.is_between and not self._requests
        try:
            requests = self._parser.read(data)
        except MalformedRequest as malformed:
            # What came before it is still answered, in its order.
            self._requests.extend(self._parser.take_complete())
            self._last_answer = with_request_id(encode_malformed(malformed.status, str(malformed)), new_request_id())
            self._answer()
            return
        if is_alone and len(requests) == 1 and self._parser.is_between and is_plain(requests[0], data):
            requests[0].environ[RECEIVED] = data
            if not is_piece and self._may_answer and (answer := self._direct(data, requests[0].environ)) is not None:
                self._send_soon(answer)
                return
        self._requests.extend(requests)
        self._answer()

    def _answer(self) -> None:
        """Answer the requests in their order, until one has to wait."""
        while self._requests and self._may_answer:
            request = self._requests.popleft()
            answer = None if request.body else self._server.answer(request)
            if answer is None:
                self._waiting_for = request
                self._server.answer_in_thread(request, self)
            elif delay := self._server.refusal_delay(answer, request, self._peer):
                self._waiting_for = request
                self._server.later(delay, partial(self._send_waiting, answer, request))
            else:
                self.send(answer, request)
        if self._may_answer and self._last_answer:
            self._refuse_malformed()
        elif self._may_answer and self._unread:
            self._read(b"")
        elif self._may_answer and self._has_all:
            self._end_with(b"")
        elif self._may_answer:
            if self._parser.expects_continue():  # after all earlier answers
                self._transport.write(_CONTINUE)
            self._resume()
        elif not self._is_ending:
            self._pause()

    @property
    def _may_answer(self) -> bool:
        return not (self._waiting_for or self._sending or self._unsent or self._is_full or self._is_ending)

    def _pause(self) -> None:
        if not self._is_paused:
            self._is_paused = True
            self._transport.pause_reading()

    def _resume(self) -> None:
        if self._is_paused:
            self._is_paused = False
            self._transport.resume_reading()

    def _write(self, data: bytes) -> None:
        """Send data; over TLS piece by piece, because whatever is written there is encrypted at once, and kept."""
        if self._server.is_secure and len(data) > PIECE_BYTES:
            self._unsent = memoryview(data)
            self._write_more()
        else:
            self._transport.write(data)

    def _write_more(self) -> None:
        while self._unsent and not (self._is_full or self._transport.is_closing()):
            piece, self._unsent = self._unsent[:PIECE_BYTES], self._unsent[PIECE_BYTES:]
            self._transport.write(piece)

    def finish(self, answer: bytes, request: ReceivedRequest, body: FileBody | None = None) -> None:
        """Send an answer that was computed in a thread, and go on; it has a body in a file, or is whole."""
        if delay := self._server.refusal_delay(answer, request, self._peer):
            self._server.later(delay, partial(self._send_waiting, answer, request, body))
        else:
            self._send_waiting(answer, request, body)

    def _send_waiting(self, answer: bytes, request: ReceivedRequest, body: FileBody | None = None) -> None:
        self._waiting_for = None
        if self._transport.is_closing():
            if body is not None:
                body.close()
            return
        if body is None:
            self.send(answer, request)
        else:
            self._begin_file(answer, request, body)
        self._answer()

    def _begin_file(self, head: bytes, request: ReceivedRequest, body: FileBody) -> None:
        self.silent_since = self._server.now
        self._sending = body, request
        self._transport.write(self._finished(head, request))
        self._send_pieces()

    def _send_pieces(self) -> None:
        """Send the file of an answer for as long as the client reads; the rest follows when it has read that."""
        while self._sending is not None and not (self._is_full or self._transport.is_closing()):
            body, request = self._sending
            piece = body.next_piece()
            if piece:
                self._transport.write(piece)
                continue
            self._sending = None
            body.close()
            if not request.keep_alive:
                self._end_with(b"")

    def send(self, answer: bytes, request: ReceivedRequest) -> None:
        """Send an answer; end the connection if the client or the end of the service wants it."""
        self.silent_since = self._server.now
        answer = self._finished(answer, request)
        if request.keep_alive:
            self._write(answer)
        else:
            self._end_with(answer)

    def _finished(self, answer: bytes, request: ReceivedRequest) -> bytes:
        request.keep_alive = request.keep_alive and not self._server.is_ending
        return finished(answer, request.environ[REQUEST_ID], request.version, keep_alive=request.keep_alive)

    def _refuse_malformed(self) -> None:
        if delay := self._server.refusal_delay(self._last_answer, None, self._peer):
            self._is_ending = True
            self._pause()
            self._server.later(delay, partial(self._end_with, self._last_answer))
        else:
            self._end_with(self._last_answer)

    def _end_with(self, answer: bytes) -> None:
        """Send the last answer. What the client still sends is read for a moment: a reset could cost it the answer."""
        self._is_ending = True
        if self._transport.is_closing():
            return
        self._write(answer)
        if self._transport.can_write_eof():
            self._transport.write_eof()
            self._resume()
            self._server.later(_LINGER_SECONDS, self._transport.close)
        else:
            self._close_if_secure()

    def _close_if_secure(self) -> None:
        """Close a connection over TLS if all was written; it cannot end its side alone."""
        if self._server.is_secure and not self._unsent:
            self._transport.close()

    @property
    def is_idle(self) -> bool:
        """Whether no answer is due and all was sent."""
        is_answering = self._waiting_for or self._sending or self._requests or self._due
        return not (is_answering or self._unsent or self._transport.get_write_buffer_size())

    @property
    def descriptor(self) -> int:
        """The descriptor of the socket; -1 if it is closed."""
        opened = self._transport.get_extra_info("socket")
        return -1 if opened is None or self._transport.is_closing() else int(opened.fileno())

    def send_due(self) -> None:
        """Send the direct answers that were made since the last call, and counted."""
        due, self._due = self._due, b""
        if due and not self._transport.is_closing():
            self._write(due)

    def send_continue(self) -> bool:
        """Send `100 Continue` before the answer that is due; return whether this client can have it."""
        waiting = self._waiting_for
        if waiting is None or waiting.version != "1.1" or self._is_full or self._server.is_secure:
            return False
        self._transport.write(_CONTINUE)
        return True

    def abandon(self) -> None:
        """Close the connection at once: its client is gone."""
        self._is_ending = True
        self._transport.abort()

    def close(self) -> None:
        """Close the connection when all was sent."""
        self._is_ending = True
        self._transport.close()
