"""Rewrite counter files of versions before the marks, whose counters had another check, before anybody maps them."""

from __future__ import annotations

import logging
import struct
import zlib
from pathlib import Path

import msgspec
import numpy as np

from cambist.storage.atomic_file import write_atomically
from cambist.storage.shared.usage.counter import BYTES, COUNT, FACTOR
from cambist.storage.shared.usage.layout import BLOCK, CounterFileLayout, CounterFileName

_log = logging.getLogger(__name__)
_MAGIC = b"CMBLDG01"
_START = struct.Struct(f"={len(_MAGIC)}sII")
_CHECK = np.uint64(0xFFFF << 48)


def rewrite_older_files(folder: Path) -> None:
    """Rewrite the older counter files of a directory. A damaged header is left: who maps the file reports it."""
    for path in sorted(folder.glob("*.page*")):
        if CounterFileName.parse(path.name) is not None:
            content = path.read_bytes()
            if content.startswith(_MAGIC) and (rewritten := _rewritten(content)):
                write_atomically(path, rewritten)
                _log.info("Usage: the file %s of an older version was rewritten", path)


def _rewritten(content: bytes) -> bytes:
    """Return a file in the format of this version, with the same counts; empty if the header is damaged."""
    _, length, crc = _START.unpack_from(content.ljust(_START.size, b"\0"))
    layout = content[_START.size : _START.size + length]
    unpadded = _START.size + length + BYTES
    header = unpadded + -unpadded % BLOCK
    if zlib.crc32(layout) != crc or len(content) < header:
        return b""
    size = len(content) - len(content) % BYTES
    counters = np.frombuffer(content[header - BYTES : size], np.uint64)
    counts = counters & np.uint64(COUNT)
    is_valid = counters == counts | (counts * np.uint64(FACTOR) & _CHECK)
    # A damaged counter stays one: no count gives the highest bit alone.
    converted = np.where(is_valid, counts * np.uint64(FACTOR), np.uint64(1 << 63)).tobytes()
    return msgspec.json.decode(layout, type=CounterFileLayout).header()[:-BYTES] + converted
