"""Bounded reading: what a client has sent of a frame that has not ended is kept up to a limit, and then dropped.

The library has one limit for all connections, and grows its buffer up to that. Here the limit depends on the client.
"""

from __future__ import annotations

import asyncio
from typing import Protocol, cast

_FRAME_HEADER_BYTES = 14
_DROPPED = bytearray(64 * 1024)
"""Where the bytes go that are dropped, for all connections."""


class Reader(Protocol):
    """A connection that says how many bytes it has not parsed, and how many it may keep."""

    unparsed_bytes: int

    @property
    def max_message_bytes(self) -> int:
        """Return the longest message that the client may send now."""

    def refuse_unparsed(self) -> None:
        """Refuse a frame that is too long before it has ended, and close."""


class BoundedReading(asyncio.BufferedProtocol):
    """A protocol between a socket and the library's, which gets nothing more once a frame is too long."""

    def __init__(self, library: asyncio.BufferedProtocol, reader: Reader) -> None:
        self._library = library
        self._reader: Reader | None = reader
        self._is_dropping = False

    def get_buffer(self, sizehint: int) -> bytearray:
        """Return where the next bytes go."""
        return _DROPPED if self._is_dropping else cast("bytearray", self._library.get_buffer(sizehint))

    def buffer_updated(self, nbytes: int) -> None:
        """Let the library parse what came, unless it is dropped."""
        reader = self._reader
        if self._is_dropping or reader is None:
            return
        reader.unparsed_bytes += nbytes
        self._library.buffer_updated(nbytes)
        if reader.unparsed_bytes > reader.max_message_bytes + _FRAME_HEADER_BYTES:
            self._is_dropping = True
            reader.refuse_unparsed()

    def connection_lost(self, exc: Exception | None) -> None:
        """Pass it on. After that nothing refers to the connection from here."""
        self._library.connection_lost(exc)
        self._reader = None

    def eof_received(self) -> bool | None:
        """Pass it on."""
        return self._library.eof_received()

    def pause_writing(self) -> None:
        """Pass it on."""
        self._library.pause_writing()

    def resume_writing(self) -> None:
        """Pass it on."""
        self._library.resume_writing()
