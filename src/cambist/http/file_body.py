"""A response body in a file, which is sent piece by piece."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

PIECE_BYTES = 64 * 1024


class FileBody:
    """The content of a file from its current position, as the body of a WSGI response; closing it closes the file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def next_piece(self) -> bytes:
        """Return the next piece, at most `PIECE_BYTES` long; empty at the end."""
        return self._file.read(PIECE_BYTES)

    def __iter__(self) -> Iterator[bytes]:
        while piece := self.next_piece():
            yield piece

    def close(self) -> None:
        """Close the file."""
        self._file.close()
