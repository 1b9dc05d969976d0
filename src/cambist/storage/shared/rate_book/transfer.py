"""A rate book on its way to another machine: the head of a file with one buffer, which can be checked alone.

Or only what differs from the book before: most columns of most books have the same bytes. The columns are sent as the
difference of the two, whose zeros need no space when it is compressed, names and origins only if they are others.
"""

from __future__ import annotations

import struct
import zlib

import numpy as np

from cambist.errors import RateBookDamaged
from cambist.pricing.book_columns import block_size
from cambist.storage.shared.rate_book.buffers import EncodedBook
from cambist.storage.shared.rate_book.layout import (
    BUFFER_HEAD_BYTES,
    FILE_HEAD_PACKED,
    FileHead,
    TornBook,
    parse_buffer_head,
    parse_file_head,
)

Bytes = bytes | bytearray | memoryview

_CHANGE = struct.Struct("<4sqqI??")
"""The head of a change: a mark, the order of the book before, the length of the columns, whether texts follow."""

_CHANGE_MARK = b"CMBC"
_FASTEST = 1


def pack_book(book: EncodedBook) -> bytes:
    """Return a book as one message."""
    head = FileHead(book.capacity, len(book.origins), len(book.names), 0, book.head.sequence)
    return b"".join((head.packed(), book.head.packed(), book.block, book.origins, book.names))


def unpack_book(message: bytes) -> EncodedBook:
    """Return the book of a message, of which every part was checked. Errors: RateBookDamaged."""
    try:
        book = split_book(parse_file_head(message[:FILE_HEAD_PACKED]), message[FILE_HEAD_PACKED:])
    except (TornBook, RateBookDamaged) as error:
        raise RateBookDamaged(f"A rate book from another node cannot be read: {error}") from error
    return book


def pack_change(book: EncodedBook, before: EncodedBook) -> bytes | None:
    """Return a message with what differs from an earlier book; None if the two have different places."""
    if book.capacity != before.capacity or len(book.block) != len(before.block):
        return None
    columns = zlib.compress(_difference(book.block, before.block), _FASTEST)
    has_origins, has_names = book.origins != before.origins, book.names != before.names
    head = _CHANGE.pack(_CHANGE_MARK, *before.order, len(columns), has_origins, has_names)
    file = FileHead(book.capacity, len(book.origins), len(book.names), 0, book.head.sequence)
    texts = (book.origins if has_origins else b"", book.names if has_names else b"")
    return b"".join((head, file.packed(), book.head.packed(), columns, *texts))


def unpack_change(message: bytes, before: EncodedBook) -> EncodedBook | None:
    """Return the book that a change makes of an earlier one; None if it was made for another one.

    Errors: RateBookDamaged.
    """
    try:
        return _changed(message, before)
    except (struct.error, zlib.error, TornBook, RateBookDamaged) as error:
        raise RateBookDamaged(f"A change of a rate book from another node cannot be read: {error}") from error


def _changed(message: bytes, before: EncodedBook) -> EncodedBook | None:
    mark, epoch, version, length, has_origins, has_names = _CHANGE.unpack_from(message)
    if mark != _CHANGE_MARK:
        raise RateBookDamaged("it is something else")
    if (epoch, version) != before.order:
        return None
    head_at, size = _CHANGE.size + FILE_HEAD_PACKED, len(before.block)
    columns_at = head_at + BUFFER_HEAD_BYTES
    origins_at = columns_at + length
    file = parse_file_head(message[_CHANGE.size : head_at])
    columns = zlib.decompressobj().decompress(message[columns_at:origins_at], size + 1)
    if len(columns) != size or size != block_size(file.capacity):
        raise RateBookDamaged("its columns have another size than those before")
    names_at = origins_at + (file.origins_space if has_origins else 0)
    origins = message[origins_at:names_at] if has_origins else before.origins
    names = message[names_at:] if has_names else before.names
    parts = (message[head_at:columns_at], _difference(columns, before.block), origins, names)
    return split_book(file, b"".join(parts))


def _difference(one: Bytes, other: Bytes) -> bytes:
    """Return the bits in which two columns of the same size differ; applied to one of them, it gives the other."""
    return np.bitwise_xor(np.frombuffer(one, np.uint8), np.frombuffer(other, np.uint8)).tobytes()


def split_book(file: FileHead, buffer: bytes) -> EncodedBook:
    """Return the book of a buffer. Errors: TornBook, RateBookDamaged."""
    origins = BUFFER_HEAD_BYTES + block_size(file.capacity)
    names = origins + file.origins_space
    if len(buffer) < origins:
        raise RateBookDamaged(f"it is cut off after {len(buffer)} bytes")
    head = parse_buffer_head(buffer[:BUFFER_HEAD_BYTES], file)
    parts = (
        (memoryview(buffer)[BUFFER_HEAD_BYTES:origins], head.columns_crc),
        (buffer[origins : origins + head.origins_length], head.origins_crc),
        (buffer[names : names + head.names_length], head.names_crc),
    )
    if any(zlib.crc32(part) != crc for part, crc in parts):
        raise TornBook("wrong checksum of its columns, names or origins")
    (block, _), (origins_text, _), (names_text, _) = parts
    return EncodedBook(head, file.capacity, block, bytes(origins_text), bytes(names_text))
