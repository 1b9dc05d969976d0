"""Publish rate books: encode what has changed, and write it into the file of the rate book."""

from __future__ import annotations

import secrets
import time
import zlib
from collections.abc import Callable
from typing import Generic, TypeVar

from cambist.pricing.book_columns import BookColumns
from cambist.pricing.book_tables import BookNames, BookOrigins
from cambist.pricing.column_builder import ColumnBuilder
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook
from cambist.pricing.unix_time import unix_us
from cambist.storage.shared.rate_book.buffers import BookBuffers, EncodedBook
from cambist.storage.shared.rate_book.layout import BufferHead
from cambist.storage.shared.rate_book.texts import encode_names, encode_origins

T = TypeVar("T", BookNames, BookOrigins)

_EPOCH_BITS = 64
_MICROSECONDS = 1e6
_NO_SEQUENCE = 0


class _Text(Generic[T]):
    """A table as it is written: its JSON, and the version."""

    def __init__(self, encode: Callable[[T, T | None, bytes], bytes]) -> None:
        self._encode: Callable[[T, T | None, bytes], bytes] = encode
        self.table: T | None = None
        self.content = b""
        self.crc = 0
        self.version = 0

    def update(self, table: T) -> None:
        """Use another table, if it is one."""
        if table is self.table:
            return
        self.content = self._encode(table, self.table, self.content)
        self.table, self.version, self.crc = table, self.version + 1, zlib.crc32(self.content)


class RateBookPublisher:
    """Writes rate books into a file. What has not changed since the last book is not encoded again."""

    def __init__(self, buffers: BookBuffers) -> None:
        self._buffers = buffers
        self._builder = ColumnBuilder()
        self._epoch = 0
        self._names: _Text[BookNames] = _Text(lambda names, _before, _text: encode_names(names))
        self._origins: _Text[BookOrigins] = _Text(encode_origins)

    def publish(self, book: QuotedBook, leader_epoch: int = 0) -> None:
        """Replace the current book; `leader_epoch` is the number of the leader that built it. Errors: Unwritable."""
        self._write(book, self._builder.write(book), leader_epoch)

    def publish_columns(self, book: RateBook) -> None:
        """Replace the current book by one whose columns are written already. Errors: Unwritable."""
        self._write(book, book.columns, 0)

    def _write(self, book: QuotedBook | RateBook, columns: BookColumns, leader_epoch: int) -> None:
        self._update_texts(columns)
        self._buffers.write(
            EncodedBook(
                self._head(book, columns, leader_epoch),
                columns.capacity,
                columns.block,
                self._origins.content,
                self._names.content,
            )
        )

    def _update_texts(self, columns: BookColumns) -> None:
        last = self._names.table
        is_continued = last is not None and (columns.names is last or columns.names.keeps_slots_of(last))
        if not is_continued:
            self._epoch = secrets.randbits(_EPOCH_BITS)
        self._names.update(columns.names)
        self._origins.update(columns.origins)

    def _head(self, book: QuotedBook | RateBook, columns: BookColumns, leader_epoch: int) -> BufferHead:
        names, origins = self._names, self._origins
        return BufferHead(
            sequence=_NO_SEQUENCE,
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
            leader_epoch=leader_epoch,
        )
