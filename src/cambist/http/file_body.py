"""A response body in a file, which is sent piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from tempfile import SpooledTemporaryFile
from typing import IO, cast

PIECE_BYTES = 64 * 1024

_MEMORY_BYTES = 1024 * 1024
"""How much of a body is kept in memory until it is sent; a longer one goes to a temporary file."""


class FileBody:
    """The content of a file from its current position, as the body of a WSGI response; closing it closes the file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def next_piece(self) -> bytes:
        """Return the next piece, at most `PIECE_BYTES` long; empty at the end."""
        return self._file.read(PIECE_BYTES)

    def content(self) -> bytes:
        """Return all of it from the current position, which stays where it is."""
        position = self._file.tell()
        content = self._file.read()
        self._file.seek(position)
        return content

    def __iter__(self) -> Iterator[bytes]:
        while piece := self.next_piece():
            yield piece

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def spooled_body(write: Callable[[IO[bytes]], None]) -> tuple[FileBody, int]:
    """Return what a function writes as a body, and its size. Errors: those of the function."""
    file = cast(IO[bytes], SpooledTemporaryFile(_MEMORY_BYTES))  # noqa: SIM115  it is closed when it was sent
    try:
        write(file)
        size = file.tell()
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return FileBody(file), size
