"""The layout of the file of a rate book, always little-endian.

A head says which of the buffers is the newest. Each buffer is a whole rate book: its own head, the columns, and two
texts: the origins of quotes and the names of slots. Heads, columns and texts have a CRC-32 each, so that a buffer can
be checked and understood alone, also on another machine.
"""

from __future__ import annotations

import struct
import sys
import zlib
from dataclasses import astuple, dataclass

from cambist.errors import RateBookDamaged
from cambist.pricing.book_columns import block_size

MAGIC = b"CMBBOOK\n"
FORMAT = 2
"""The format that is written; format 1, whose buffers have no epoch of a leader, is still read."""

BUFFERS = 4
"""A reader has the time of three books to copy one."""

FILE_HEAD_BYTES = 4096
BUFFER_HEAD_BYTES = 128
_BYTE_ORDER = 0x01020304
_OTHER_BYTE_ORDER = 0x04030201
_PAGE = 4096
_START = struct.Struct("<8sII")
_FILE_HEAD = struct.Struct("<8sIIIIIIQ")
_BUFFER_HEAD = struct.Struct("<QQQQQqqIIIIIIQ")
_BUFFER_HEAD_1 = struct.Struct("<QQQQQqqIIIIII")
_READABLE = (1, FORMAT)
_CRC = struct.Struct("<I")
_MOST_SLOTS = 1 << 24
_LARGEST_TEXT = 1 << 28


class TornBook(Exception):
    """A part of the file does not match its checksum: it is damaged, or it was being written while it was read."""


@dataclass(frozen=True, slots=True)
class FileHead:
    """The head of the file: the sizes of its buffers, and which is the newest, with its sequence number.

    `format` is the format that the file was read in; heads are always written in the current one.
    """

    capacity: int
    origins_space: int
    names_space: int
    current: int
    sequence: int
    format: int = FORMAT

    @property
    def buffer_size(self) -> int:
        """The size of a buffer, in whole pages."""
        size = BUFFER_HEAD_BYTES + block_size(self.capacity) + self.origins_space + self.names_space
        return -(-size // _PAGE) * _PAGE

    @property
    def start(self) -> int:
        """Where the newest buffer begins."""
        return FILE_HEAD_BYTES + self.current * self.buffer_size

    @property
    def origins_start(self) -> int:
        """Where the text of the origins begins in the newest buffer."""
        return self.start + BUFFER_HEAD_BYTES + block_size(self.capacity)

    @property
    def names_start(self) -> int:
        """Where the text of the names begins in the newest buffer."""
        return self.origins_start + self.origins_space

    def packed(self) -> bytes:
        """Return the head as bytes."""
        return with_crc(
            _FILE_HEAD.pack(
                MAGIC, FORMAT, _BYTE_ORDER, self.capacity, self.origins_space, self.names_space, self.current,
                self.sequence,
            )
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class BufferHead:
    """The head of a buffer. Times are in microseconds since 1970.

    `version` is that of the rate book, `sequence` counts what was published. `epoch` is a random number that changes
    whenever slots get other instruments; within an epoch, the versions of the tables only grow. `leader_epoch` is the
    number of the leader that built the book, which grows with every new leader; 0 for a service on one machine.
    """

    sequence: int
    epoch: int
    version: int
    names_version: int
    origins_version: int
    as_of: int
    published_at: int
    slots: int
    columns_crc: int
    origins_length: int
    origins_crc: int
    names_length: int
    names_crc: int
    leader_epoch: int = 0

    def packed(self) -> bytes:
        """Return the head as bytes."""
        return with_crc(_BUFFER_HEAD.pack(*astuple(self))).ljust(BUFFER_HEAD_BYTES, b"\0")


FILE_HEAD_PACKED = _FILE_HEAD.size + _CRC.size


def with_crc(content: bytes) -> bytes:
    """Return the content and its checksum."""
    return content + _CRC.pack(zlib.crc32(content))


def parse_file_head(content: bytes) -> FileHead:
    """Parse the head of a file.

    Errors: RateBookDamaged for a file that this version cannot read; TornBook if the checksum is wrong.
    """
    if len(content) < FILE_HEAD_PACKED:
        raise RateBookDamaged(f"it is cut off after {len(content)} bytes")
    magic, number, byte_order = _START.unpack_from(content)
    if magic != MAGIC:
        raise RateBookDamaged("it is not a rate book of Cambist")
    if byte_order == _OTHER_BYTE_ORDER or sys.byteorder != "little":
        raise RateBookDamaged("it has another byte order")
    if number not in _READABLE and _is_checked(content, FILE_HEAD_PACKED):
        raise RateBookDamaged(f"it has format {number}, and this version of Cambist reads up to format {FORMAT}")
    if not _is_checked(content, FILE_HEAD_PACKED) or byte_order != _BYTE_ORDER:
        raise TornBook("wrong checksum of its head")
    _, _, _, capacity, origins_space, names_space, current, sequence = _FILE_HEAD.unpack_from(content)
    head = FileHead(capacity, origins_space, names_space, current, sequence, number)
    if head.current >= BUFFERS or head.capacity > _MOST_SLOTS or head.capacity % 8 or _has_large_texts(head):
        raise RateBookDamaged("its head has impossible sizes")
    return head


def _has_large_texts(head: FileHead) -> bool:
    return max(head.origins_space, head.names_space) > _LARGEST_TEXT


def parse_buffer_head(content: bytes, file_head: FileHead) -> BufferHead:
    """Parse the head of the newest buffer of a file. Errors: TornBook."""
    fields = _BUFFER_HEAD if file_head.format == FORMAT else _BUFFER_HEAD_1
    head = BufferHead(*fields.unpack_from(content))
    if not _is_checked(content, fields.size + _CRC.size) or head.sequence != file_head.sequence:
        raise TornBook("wrong checksum of its newest book")
    return head


def _is_checked(content: bytes, size: int) -> bool:
    return (
        len(content) >= size and _CRC.pack(zlib.crc32(content[: size - _CRC.size])) == content[size - _CRC.size : size]
    )
