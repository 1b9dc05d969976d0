"""A rate book on its way to another machine: the head of a file with one buffer, which can be checked alone."""

from __future__ import annotations

import zlib

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
