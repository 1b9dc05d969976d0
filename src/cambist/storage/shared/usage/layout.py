"""How a page lies in its file: a header of whole 4,096-byte blocks, then the cells.

Header: magic, length and CRC-32 of the JSON, the JSON, padding; in its last eight bytes a cell with the number of
accounts for which the file has room, which grows. Cells: by account, within it by row (row 0 is the account's total,
then one row for each endpoint), within it by column, so that a row of all columns is one slice.
"""

from __future__ import annotations

import re
import struct
import sys
import zlib
from dataclasses import dataclass
from datetime import date

import msgspec

from cambist.storage.shared.usage.counter import BYTES, sealed

MAGIC = b"CMBLDG01"
BLOCK = 4096
_START = struct.Struct(f"={len(MAGIC)}sII")
LONGEST_HEADER = 1 << 20
_NAME = re.compile(r"(?P<stem>\d{4}-\d\d-\d\d|[a-z]+)\.(?P<generation>\d{1,9})\.page(?P<damaged>\.damaged)?")
_MOST_ACCOUNTS_AT_ONCE = 1024
_MOST_BYTES_AT_ONCE = 1 << 26


@dataclass(frozen=True, slots=True, order=True)
class CounterFileName:
    """What a page's file is called: its stem is a day (ISO) or what else it counts."""

    stem: str
    generation: int
    damaged: bool = False

    def __str__(self) -> str:
        return f"{self.stem}.{self.generation}.page{'.damaged' if self.damaged else ''}"

    @classmethod
    def read(cls, name: str) -> CounterFileName | None:
        """Read a file's name; None when it is not a page's."""
        match = _NAME.fullmatch(name)
        if match is None or (match["stem"][0].isdigit() and not _is_day(match["stem"])):
            return None
        return cls(match["stem"], int(match["generation"]), match["damaged"] is not None)

    @property
    def day(self) -> date | None:
        """The day whose calls the page counts; None when it counts something else."""
        return date.fromisoformat(self.stem) if self.stem[0].isdigit() else None


class CounterFileLayout(msgspec.Struct, frozen=True):
    """What a page's header says. `rows` are the names of rows 1 and up.

    `incarnation` is drawn at random when a page is made, so that one made anew under the same name is another page; 0
    for one that was made before there were any.
    """

    stem: str
    generation: int
    columns: int
    rows: tuple[str, ...] = ()
    byte_order: str = sys.byteorder
    incarnation: int = 0

    @property
    def number(self) -> int:
        """What the page is known by in the book: its incarnation, or else its generation."""
        return self.incarnation or self.generation

    @property
    def name(self) -> CounterFileName:
        """What the page's file is called while it is sound."""
        return CounterFileName(self.stem, self.generation)

    @property
    def cells_of_account(self) -> int:
        """How many cells each account has."""
        return (1 + len(self.rows)) * self.columns

    @property
    def step(self) -> int:
        """How many accounts the file grows by: 1,024, or as many as fit into 64 MB."""
        return max(1, min(_MOST_ACCOUNTS_AT_ONCE, _MOST_BYTES_AT_ONCE // (self.cells_of_account * BYTES)))

    def room_for(self, account: int) -> int:
        """Give the number of accounts that the file must have room for to hold `account`."""
        return (account // self.step + 1) * self.step

    def size(self, header: int, accounts: int) -> int:
        """Give the bytes of a file with a header of so many bytes and room for so many accounts."""
        return header + accounts * self.cells_of_account * BYTES

    def write(self) -> bytes:
        """Write the header of a page that has room for one step."""
        content = msgspec.json.encode(self)
        start = _START.pack(MAGIC, len(content), zlib.crc32(content)) + content
        room = sealed(self.step).to_bytes(BYTES, sys.byteorder)
        return start + bytes(-(len(start) + BYTES) % BLOCK) + room


def read_layout(content: bytes) -> tuple[CounterFileLayout, int]:
    """Read a header from the beginning of a file; give it and its length in bytes, padding included.

    Errors: ValueError when it is not what was written, or was written by a machine of another byte order.
    """
    if len(content) < _START.size:
        raise ValueError("it has no header")
    magic, length, crc = _START.unpack_from(content)
    written = content[_START.size : _START.size + length]
    if magic != MAGIC or len(written) != length or zlib.crc32(written) != crc:
        raise ValueError("its header is not what was written")
    layout = _decoded(written)
    if layout.byte_order != sys.byteorder:
        raise ValueError("it was written by a machine of another byte order")
    bare = _START.size + length + BYTES
    return layout, bare + -bare % BLOCK


def _decoded(written: bytes) -> CounterFileLayout:
    try:
        layout = msgspec.json.decode(written, type=CounterFileLayout)
    except msgspec.MsgspecError as error:
        raise ValueError(f"its header was written by another version: {error}") from error
    if layout.columns < 1:
        raise ValueError("its header is impossible")
    return layout


def _is_day(stem: str) -> bool:
    try:
        return bool(date.fromisoformat(stem))
    except ValueError:
        return False
