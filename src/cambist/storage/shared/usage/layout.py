"""The layout of a counter file: a header of whole 4,096-byte blocks, then the counters.

Header: magic, length and CRC-32 of the JSON, the JSON, padding, marks, and in the last eight bytes a counter with the
number of accounts that the file has space for. Marks: for each writer slot 64 plain numbers, which change with the
counters of the accounts that share one, so that a reader finds what has changed without reading every account. A mark
stands for blocks of 64 neighbouring accounts, every 64th block.

Counters: by account, within an account by row (row 0 is the account's total, then one row for each endpoint), within a
row by writer slot, so that all slots of a row are one slice.
"""

from __future__ import annotations

import re
import struct
import sys
import zlib
from dataclasses import dataclass
from datetime import date

import msgspec

from cambist.storage.shared.usage.counter import BYTES, with_check

MAGIC = b"CMBLDG02"
BLOCK = 4096
MARKS = 64
"""How many marks each slot has."""

MARKED_TOGETHER = 6
"""The bits of an account's number that accounts with one mark may differ in: they are neighbours in the file."""

_START = struct.Struct(f"={len(MAGIC)}sII")
LONGEST_HEADER = 1 << 20
_NAME = re.compile(r"(?P<stem>\d{4}-\d\d-\d\d|[a-z]+)\.(?P<generation>\d{1,9})\.page(?P<damaged>\.damaged)?")
_MOST_ACCOUNTS_AT_ONCE = 1024
_MOST_BYTES_AT_ONCE = 1 << 26


@dataclass(frozen=True, slots=True, order=True)
class CounterFileName:
    """The name of a counter file. Its stem is the day that it counts (ISO), or what else it counts."""

    stem: str
    generation: int
    damaged: bool = False

    def __str__(self) -> str:
        return f"{self.stem}.{self.generation}.page{'.damaged' if self.damaged else ''}"

    @classmethod
    def parse(cls, name: str) -> CounterFileName | None:
        """Parse a file name; None if it is not that of a counter file."""
        match = _NAME.fullmatch(name)
        if match is None or (match["stem"][0].isdigit() and not _is_day(match["stem"])):
            return None
        return cls(match["stem"], int(match["generation"]), match["damaged"] is not None)

    @property
    def day(self) -> date | None:
        """The day whose calls the file counts; None if it counts something else."""
        return date.fromisoformat(self.stem) if self.stem[0].isdigit() else None


class CounterFileLayout(msgspec.Struct, frozen=True):
    """The header of a counter file. `rows` are the names of the rows from 1 up.

    `incarnation` is a random number that distinguishes files of the same name; 0 in files of older versions.
    """

    stem: str
    generation: int
    slots: int = msgspec.field(name="columns")
    rows: tuple[str, ...] = ()
    byte_order: str = sys.byteorder
    incarnation: int = 0

    @property
    def number(self) -> int:
        """The number of the file in the database: its incarnation, or its generation if it has none."""
        return self.incarnation or self.generation

    @property
    def name(self) -> CounterFileName:
        """The name of the file while it is not damaged."""
        return CounterFileName(self.stem, self.generation)

    @property
    def counters_per_account(self) -> int:
        """How many counters each account has."""
        return (1 + len(self.rows)) * self.slots

    @property
    def step(self) -> int:
        """How many accounts the file grows by: 1,024, or as many as fit into 64 MB."""
        return max(1, min(_MOST_ACCOUNTS_AT_ONCE, _MOST_BYTES_AT_ONCE // (self.counters_per_account * BYTES)))

    def capacity_for(self, account: int) -> int:
        """Return for how many accounts the file must have space to contain `account`."""
        return (account // self.step + 1) * self.step

    def size(self, header: int, accounts: int) -> int:
        """Return the size in bytes of a file, from the size of its header and its number of accounts."""
        return header + accounts * self.counters_per_account * BYTES

    def header(self) -> bytes:
        """Return the header of a new file, which has space for one step."""
        content = msgspec.json.encode(self)
        start = _START.pack(MAGIC, len(content), zlib.crc32(content)) + content
        capacity = with_check(self.step).to_bytes(BYTES, sys.byteorder)
        after = bytes(self.marks_bytes) + capacity
        return start + bytes(-(len(start) + len(after)) % BLOCK) + after

    @property
    def marks_bytes(self) -> int:
        """The size of the marks of all slots."""
        return MARKS * self.slots * BYTES


def read_layout(content: bytes) -> tuple[CounterFileLayout, int]:
    """Parse the header at the beginning of a file. Return it and its length in bytes, with padding.

    Errors: ValueError if it is damaged, or was written on a machine with another byte order.
    """
    if len(content) < _START.size:
        raise ValueError("it has no header")
    magic, length, crc = _START.unpack_from(content)
    written = content[_START.size : _START.size + length]
    if magic != MAGIC or len(written) != length or zlib.crc32(written) != crc:
        raise ValueError("its header is damaged")
    layout = _decode(written)
    if layout.byte_order != sys.byteorder:
        raise ValueError("it was written on a machine with another byte order")
    unpadded = _START.size + length + layout.marks_bytes + BYTES
    return layout, unpadded + -unpadded % BLOCK


def _decode(written: bytes) -> CounterFileLayout:
    try:
        layout = msgspec.json.decode(written, type=CounterFileLayout)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"its header was written by another version: {error}") from error
    if layout.slots < 1:
        raise ValueError("its header has no writer slots")
    return layout


def _is_day(stem: str) -> bool:
    try:
        return bool(date.fromisoformat(stem))
    except ValueError:
        return False
