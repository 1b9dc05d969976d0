"""Files with holes: only the accounts that were counted have disk space.

A file system that does not tell where its holes are gets files without any, as may one that emulates allocation: it
would write zeros while others count.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

_READ_AT_ONCE = 1 << 20


def extend(file: int, size: int, missing: int) -> None:
    """Extend a file of `size` bytes by a hole, where that is possible. Errors: OSError if the disk is full."""
    os.ftruncate(file, size + missing)
    # Everything may be a hole but the last block, which the file system is free to keep whole.
    if os.lseek(file, size, os.SEEK_HOLE) >= size + missing:
        os.posix_fallocate(file, size, missing)


def accounts_with_data(file: int, header: int, account_bytes: int, accounts: int) -> Iterator[int]:
    """Return the accounts whose bytes are not all in holes, in ascending order. The header is no account."""
    following = 0
    for start, end in _ranges_with_data(file, header, header + accounts * account_bytes):
        first = max(following, (start - header) // account_bytes)
        following = min(accounts, -(-(end - header) // account_bytes))
        yield from range(first, following)


def copy_with_holes(source: Path, target: Path) -> None:
    """Copy a file, and leave holes where it has some. Errors: OSError."""
    with source.open("rb", buffering=0) as reading, target.open("wb", buffering=0) as writing:
        size = os.fstat(reading.fileno()).st_size
        for start, end in _ranges_with_data(reading.fileno(), 0, size):
            for at in range(start, end, _READ_AT_ONCE):
                os.pwrite(writing.fileno(), os.pread(reading.fileno(), min(_READ_AT_ONCE, end - at), at), at)
        os.ftruncate(writing.fileno(), size)


def _ranges_with_data(file: int, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Return where a file has data, as pairs of offsets between `start` and `end`."""
    while start < end:
        try:
            start = os.lseek(file, start, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:  # only holes follow
                return
            raise
        if start >= end:
            return
        hole = min(end, os.lseek(file, start, os.SEEK_HOLE))
        yield start, hole
        start = hole
