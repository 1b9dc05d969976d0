"""The file of a rate book as it is written: the next of its buffers, and then its head."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, replace
from pathlib import Path

from cambist.storage.atomic_file import Unwritable, unwritable, write_atomically
from cambist.storage.shared.rate_book.layout import BUFFERS, FILE_HEAD_BYTES, FILE_HEAD_PACKED, BufferHead, FileHead

_TEXT_STEP = 1 << 16

_TextVersion = tuple[int, int]


@dataclass(frozen=True, slots=True)
class EncodedBook:
    """A rate book as bytes. The sequence number in its head is that of the file from which it comes."""

    head: BufferHead
    capacity: int
    block: bytes | bytearray | memoryview
    origins: bytes
    names: bytes

    @property
    def order(self) -> tuple[int, int]:
        """The leader's epoch and the version: of two books, the lower one is the older."""
        return self.head.leader_epoch, self.head.version


class BookBuffers:
    """Writes the file of a rate book.

    The first book, and one for which the buffers are too small, replaces the file. The others are written into it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._head: FileHead | None = None
        self._written = b""
        self._names: dict[int, _TextVersion] = {}
        self._origins: dict[int, _TextVersion] = {}

    def write(self, book: EncodedBook) -> None:
        """Replace the current book. Errors: Unwritable."""
        if self._head is None or not _fits(book, self._head) or not self._write_next(book, self._head):
            self._replace(book)

    def _replace(self, book: EncodedBook) -> None:
        """Write a new file, whose first buffer is the book."""
        sequence = self._head.sequence + 1 if self._head else 1
        head = FileHead(book.capacity, _space(book.origins), _space(book.names), 0, sequence)
        self._head = None
        buffer = b"".join((
            replace(book.head, sequence=sequence).packed(), book.block,
            book.origins.ljust(head.origins_space, b"\0"), book.names,
        )).ljust(head.buffer_size, b"\0")  # fmt: skip
        packed = head.packed()
        content = packed.ljust(FILE_HEAD_BYTES, b"\0") + buffer + bytes(head.buffer_size * (BUFFERS - 1))
        write_atomically(self._path, content, durable=False)
        self._head, self._written = head, packed
        self._names, self._origins = {0: _names_version(book)}, {0: _origins_version(book)}

    def _write_next(self, book: EncodedBook, last: FileHead) -> bool:
        """Write the book into the next buffer; return False if the file is not the one that was written last."""
        current, sequence = (last.current + 1) % BUFFERS, last.sequence + 1
        head = replace(last, current=current, sequence=sequence)
        try:
            file = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise Unwritable(error.errno, unwritable("file", self._path, error)) from error
        try:
            if os.pread(file, FILE_HEAD_PACKED, 0) != self._written:
                return False
            _write(file, [replace(book.head, sequence=sequence).packed(), book.block], head.start)
            if self._origins.get(current) != (version := _origins_version(book)):
                _write(file, [book.origins], head.origins_start)
                self._origins[current] = version
            if self._names.get(current) != (version := _names_version(book)):
                _write(file, [book.names], head.names_start)
                self._names[current] = version
            _write(file, [packed := head.packed()], 0)
        except OSError as error:
            self._head = None
            raise Unwritable(error.errno, unwritable("file", self._path, error)) from error
        finally:
            os.close(file)
        self._head, self._written = head, packed
        return True


def _fits(book: EncodedBook, head: FileHead) -> bool:
    return (
        book.capacity == head.capacity
        and len(book.names) <= head.names_space
        and len(book.origins) <= head.origins_space
    )


def _space(text: bytes) -> int:
    """Return how many bytes to keep for a text and later, longer ones."""
    return (len(text) // _TEXT_STEP + 1) * _TEXT_STEP


def _names_version(book: EncodedBook) -> _TextVersion:
    return book.head.epoch, book.head.names_version


def _origins_version(book: EncodedBook) -> _TextVersion:
    return book.head.epoch, book.head.origins_version


def _write(file: int, parts: list[bytes | bytearray | memoryview], start: int) -> None:
    if os.pwritev(file, parts, start) < sum(map(len, parts)):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
