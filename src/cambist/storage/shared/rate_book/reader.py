"""Read the current rate book: one copy of the newest buffer, checked, and no number in it parsed."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

from cambist.errors import RateBookDamaged
from cambist.pricing.book_columns import BookColumns, block_size
from cambist.pricing.book_tables import BookNames, BookOrigins
from cambist.pricing.rate_book import RateBook
from cambist.pricing.unix_time import EPOCH
from cambist.reference.currency_tables import reference_digest
from cambist.storage.shared.rate_book.buffers import EncodedBook
from cambist.storage.shared.rate_book.layout import (
    BUFFER_HEAD_BYTES,
    FILE_HEAD_PACKED,
    BufferHead,
    FileHead,
    TornBook,
    parse_buffer_head,
    parse_file_head,
)
from cambist.storage.shared.rate_book.texts import decode_names, decode_origins
from cambist.storage.shared.rate_book.transfer import split_book

R = TypeVar("R")

_ATTEMPTS = 5
_PAUSE_SECONDS = 0.001
_MICROSECONDS = 1e6


class RateBookReader:
    """Reads the file of a rate book. Names and origins are parsed only if they are others than those of the last book.

    The file is read, not mapped: it is copied from the same memory of the kernel, but a file that is cut off meanwhile
    is an error instead of the end of the process.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._names: tuple[tuple[int, int], BookNames] | None = None
        self._origins: tuple[tuple[int, int], bytes, BookOrigins] | None = None

    def current(self) -> RateBook | None:
        """Return the book that was published last; None before the first. Errors: RateBookDamaged, with the reason."""
        return self._read(self._read_book)

    def published_at(self) -> float | None:
        """Return when the current book was published, in seconds since 1970; None if there is none that can be read."""
        try:
            return self._read(lambda file: _read_heads(file)[1].published_at / _MICROSECONDS)
        except RateBookDamaged:
            return None

    def age_order(self) -> tuple[int, int] | None:
        """Return the leader's epoch and the version of the current book, which order books by their age.

        None if there is no book that can be read.
        """
        try:
            return self._read(_read_age_order)
        except RateBookDamaged:
            return None

    def encoded(self) -> EncodedBook | None:
        """Return the current book as bytes, to be sent to other machines; None if there is none that can be read."""
        try:
            return self._read(_read_encoded)
        except RateBookDamaged:
            return None

    def _read(self, read: Callable[[int], R]) -> R | None:
        """Open the file and read it, again if it was being written."""
        try:
            file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise RateBookDamaged(f"The rate book {self._path} cannot be read: {error.strerror}") from error
        try:
            return self._with_attempts(read, file)
        except (OSError, RateBookDamaged) as error:
            raise RateBookDamaged(f"The rate book {self._path} cannot be read: {error}") from error
        finally:
            os.close(file)

    def _with_attempts(self, read: Callable[[int], R], file: int) -> R:
        for _ in range(_ATTEMPTS - 1):
            try:
                return read(file)
            except TornBook:
                time.sleep(_PAUSE_SECONDS)
        try:
            return read(file)
        except TornBook as torn:
            raise RateBookDamaged(f"it is damaged ({torn})") from torn

    def _read_book(self, file: int) -> RateBook:
        head = parse_file_head(os.pread(file, FILE_HEAD_PACKED, 0))
        size = BUFFER_HEAD_BYTES + block_size(head.capacity)
        content = os.pread(file, size, head.start)
        if len(content) < size:
            raise RateBookDamaged(f"it is cut off after {os.fstat(file).st_size} bytes")
        book = parse_buffer_head(content, head)
        block = memoryview(content)[BUFFER_HEAD_BYTES:]
        if zlib.crc32(block) != book.columns_crc:
            raise TornBook("wrong checksum of its columns")
        columns = BookColumns(
            block, head.capacity, self._read_names(file, head, book), self._read_origins(file, head, book)
        )
        if len(columns.names.instruments) != book.slots:
            raise RateBookDamaged(f"it has {book.slots} slots and {len(columns.names.instruments)} names")
        edition = f"book-{book.version}-{reference_digest()[:12]}-{book.columns_crc:08x}"
        return RateBook(book.version, EPOCH + timedelta(microseconds=book.as_of), columns, edition)

    def _read_names(self, file: int, head: FileHead, book: BufferHead) -> BookNames:
        version = book.epoch, book.names_version
        if self._names is None or self._names[0] != version:
            text = _read_text(file, head.names_start, book.names_length, book.names_crc)
            self._names = version, decode_names(text)
        return self._names[1]

    def _read_origins(self, file: int, head: FileHead, book: BufferHead) -> BookOrigins:
        version = book.epoch, book.origins_version
        if self._origins is None or self._origins[0] != version:
            text = _read_text(file, head.origins_start, book.origins_length, book.origins_crc)
            seen, before = self._origins[1:] if self._origins else (b"", None)
            if not text.startswith(seen):
                seen, before = b"", None
            self._origins = version, text, decode_origins(text[len(seen) :], before)
        return self._origins[2]


def _read_heads(file: int) -> tuple[FileHead, BufferHead]:
    head = parse_file_head(os.pread(file, FILE_HEAD_PACKED, 0))
    content = os.pread(file, BUFFER_HEAD_BYTES, head.start)
    if len(content) < BUFFER_HEAD_BYTES:
        raise RateBookDamaged("it is cut off")
    return head, parse_buffer_head(content, head)


def _read_encoded(file: int) -> EncodedBook:
    head = parse_file_head(os.pread(file, FILE_HEAD_PACKED, 0))
    return split_book(head, os.pread(file, head.buffer_size, head.start))


def _read_age_order(file: int) -> tuple[int, int]:
    _, head = _read_heads(file)
    return head.leader_epoch, head.version


def _read_text(file: int, start: int, length: int, crc: int) -> bytes:
    text = os.pread(file, length, start)
    if zlib.crc32(text) != crc:
        raise TornBook("wrong checksum of its names or origins")
    return text
