"""Publish rate books: write the next buffer of the file, and then move its head there."""

from __future__ import annotations

import errno
import os
import secrets
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from cambist.pricing.book_columns import BookColumns
from cambist.pricing.book_tables import BookNames, BookOrigins
from cambist.pricing.column_builder import ColumnBuilder
from cambist.pricing.rate_book import RateBook
from cambist.pricing.unix_time import unix_us
from cambist.storage.atomic_file import Unwritable, unwritable, write_atomically
from cambist.storage.shared.rate_book.layout import BUFFERS, FILE_HEAD_BYTES, FILE_HEAD_PACKED, BufferHead, FileHead
from cambist.storage.shared.rate_book.texts import encode_names, encode_origins

T = TypeVar("T", BookNames, BookOrigins)

_EPOCH_BITS = 64
_TEXT_STEP = 1 << 16
_MICROSECONDS = 1e6


class _Text(Generic[T]):
    """A table as it is written: its JSON, the version, and which buffers have it."""

    def __init__(self, encode: Callable[[T, T | None, bytes], bytes]) -> None:
        self._encode: Callable[[T, T | None, bytes], bytes] = encode
        self.table: T | None = None
        self.content = b""
        self.crc = 0
        self.version = 0
        self.buffers: set[int] = set()

    def update(self, table: T) -> None:
        """Use another table, if it is one."""
        if table is self.table:
            return
        self.content = self._encode(table, self.table, self.content)
        self.table, self.version, self.crc = table, self.version + 1, zlib.crc32(self.content)
        self.buffers.clear()

    @property
    def space(self) -> int:
        """How many bytes to keep for this text and later, longer ones."""
        return (len(self.content) // _TEXT_STEP + 1) * _TEXT_STEP


class RateBookPublisher:
    """Writes the file of a rate book.

    The first book, and one for which the buffers are too small, replaces the file. The others are written into it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._builder = ColumnBuilder()
        self._epoch = 0
        self._leader_epoch = 0
        self._names: _Text[BookNames] = _Text(lambda names, _before, _text: encode_names(names))
        self._origins: _Text[BookOrigins] = _Text(encode_origins)
        self._head: FileHead | None = None
        self._written = b""

    def publish(self, book: RateBook, leader_epoch: int = 0) -> None:
        """Replace the current book; `leader_epoch` is the number of the leader that built it. Errors: Unwritable."""
        self._leader_epoch = leader_epoch
        columns = book.columns or self._builder.write(book)
        self._update_texts(columns)
        if self._head is None or not self._fits(columns, self._head) or not self._write_next(book, columns, self._head):
            self._replace(book, columns)

    def _update_texts(self, columns: BookColumns) -> None:
        last = self._names.table
        is_continued = last is not None and (columns.names is last or columns.names.keeps_slots_of(last))
        if not is_continued:
            self._epoch = secrets.randbits(_EPOCH_BITS)
        self._names.update(columns.names)
        self._origins.update(columns.origins)

    def _fits(self, columns: BookColumns, head: FileHead) -> bool:
        return (
            columns.capacity == head.capacity
            and len(self._names.content) <= head.names_space
            and len(self._origins.content) <= head.origins_space
        )

    def _replace(self, book: RateBook, columns: BookColumns) -> None:
        """Write a new file, whose first buffer is the book."""
        sequence = self._head.sequence + 1 if self._head else 1
        head = FileHead(columns.capacity, self._origins.space, self._names.space, 0, sequence)
        self._head = None
        buffer = b"".join((
            self._buffer_head(book, columns, sequence).packed(), columns.block,
            self._origins.content.ljust(head.origins_space, b"\0"), self._names.content,
        )).ljust(head.buffer_size, b"\0")  # fmt: skip
        packed = head.packed()
        content = packed.ljust(FILE_HEAD_BYTES, b"\0") + buffer + bytes(head.buffer_size * (BUFFERS - 1))
        write_atomically(self._path, content, durable=False)
        self._head, self._written = head, packed
        self._names.buffers, self._origins.buffers = {0}, {0}

    def _write_next(self, book: RateBook, columns: BookColumns, last: FileHead) -> bool:
        """Write the book into the next buffer; return False if the file is not the one that was written last."""
        current, sequence = (last.current + 1) % BUFFERS, last.sequence + 1
        head = FileHead(last.capacity, last.origins_space, last.names_space, current, sequence)
        try:
            file = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise Unwritable(error.errno, unwritable("file", self._path, error)) from error
        try:
            if os.pread(file, FILE_HEAD_PACKED, 0) != self._written:
                return False
            _write(file, [self._buffer_head(book, columns, sequence).packed(), columns.block], head.start)
            self._write_text(file, self._origins, head.origins_start, current)
            self._write_text(file, self._names, head.names_start, current)
            _write(file, [packed := head.packed()], 0)
        except OSError as error:
            self._head = None
            raise Unwritable(error.errno, unwritable("file", self._path, error)) from error
        finally:
            os.close(file)
        self._head, self._written = head, packed
        return True

    def _write_text(self, file: int, text: _Text[Any], start: int, buffer: int) -> None:
        if buffer not in text.buffers:
            _write(file, [text.content], start)
            text.buffers.add(buffer)

    def _buffer_head(self, book: RateBook, columns: BookColumns, sequence: int) -> BufferHead:
        names, origins = self._names, self._origins
        return BufferHead(
            sequence=sequence,
            epoch=self._epoch,
            version=book.version,
            names_version=names.version,
            origins_version=origins.version,
            as_of=unix_us(book.as_of),
            published_at=int(time.time() * _MICROSECONDS),
            slots=len(columns.names.instruments),
            columns_crc=zlib.crc32(columns.block),
            origins_length=len(origins.content),
            origins_crc=origins.crc,
            names_length=len(names.content),
            names_crc=names.crc,
            leader_epoch=self._leader_epoch,
        )


def _write(file: int, parts: list[bytes | bytearray | memoryview], start: int) -> None:
    if os.pwritev(file, parts, start) < sum(map(len, parts)):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
