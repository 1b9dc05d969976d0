"""The file of the rate matrix: written by one process, memory-mapped by every worker.

Layout, in the machine's byte order: magic, length of the header, CRC-32 of all that follows, header (JSON), for each
day the index of its set of listed currencies (uint16), padding, then for each cell its rate (float64), the index of its
source (uint8) and its age in days (uint8).
"""

from __future__ import annotations

import mmap
import struct
import sys
import zlib
from datetime import date
from pathlib import Path
from typing import BinaryIO

import msgspec

from cambist.errors import RateMatrixDamaged
from cambist.history.rate_matrix import RateMatrix, Span
from cambist.storage.atomic_file import write_atomically

MAGIC = b"CMBIMG04"
_START = struct.Struct(f"={len(MAGIC)}sII")
_CHUNK = 1 << 20
_LONGEST_HEADER = 1 << 26


class _Header(msgspec.Struct, frozen=True):
    byte_order: str
    revision: str
    first_day: date
    last_fixing: date
    codes: tuple[str, ...]
    eras: tuple[tuple[int, ...], ...]
    days: int
    sources: tuple[str, ...]
    fixed_to: tuple[date, ...]
    fixed_at: tuple[tuple[str, str], ...]
    damaged: int
    edition: str = ""
    digest: str = ""
    spans: tuple[Span | None, ...] = ()


def write_rate_matrix(path: Path, matrix: RateMatrix) -> None:
    """Replace the file in one step. Errors: Unwritable."""
    body = _body(matrix)
    header = msgspec.json.encode(
        _Header(
            byte_order=sys.byteorder,
            revision=matrix.revision,
            first_day=matrix.first_day,
            last_fixing=matrix.last_fixing,
            codes=matrix.codes,
            eras=matrix.listed_sets,
            days=len(matrix.listed_set_of_day),
            sources=matrix.sources,
            fixed_to=matrix.last_fixings,
            fixed_at=matrix.fixed_at,
            damaged=matrix.damaged,
            edition=matrix.edition,
            digest=matrix.digest,
            spans=() if matrix.is_excerpt else tuple(map(matrix.span, matrix.codes)),
        )
    )
    header += b" " * (-(len(header) + _START.size) % 8)
    start = _START.pack(MAGIC, len(header), zlib.crc32(body, zlib.crc32(header)))
    write_atomically(path, start + header + body)


def _body(matrix: RateMatrix) -> bytes:
    numbers = struct.pack(f"={len(matrix.listed_set_of_day)}H", *matrix.listed_set_of_day)
    return (
        numbers
        + b"\0" * (-len(numbers) % 8)
        + matrix.cells.tobytes()
        + bytes(matrix.source_indexes)
        + bytes(matrix.ages)
    )


def open_rate_matrix(path: Path) -> RateMatrix:
    """Check the checksum of the file and map it.

    Errors: RateMatrixDamaged if it is missing, truncated, changed, or of another layout or byte order.
    """
    try:
        # The file is opened once: at any moment another process may put a new one, of another size, in its place.
        with path.open("rb") as file:
            header, start = _checked(path, file)
            mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError) as error:
        raise RateMatrixDamaged(f"The rate matrix {path} cannot be read: {error}") from error
    cells = start + header.days * 2 + (-header.days * 2) % 8
    count = header.days * len(header.codes)
    source_indexes = cells + count * 8
    return RateMatrix(
        revision=header.revision,
        first_day=header.first_day,
        last_fixing=header.last_fixing,
        codes=header.codes,
        listed_sets=header.eras,
        listed_set_of_day=mapped[start : start + header.days * 2].cast("H"),
        cells=mapped[cells:source_indexes].cast("d"),
        sources=header.sources,
        last_fixings=header.fixed_to,
        fixed_at=header.fixed_at,
        damaged=header.damaged,
        edition=header.edition,
        digest=header.digest,
        source_indexes=mapped[source_indexes : source_indexes + count],
        ages=mapped[source_indexes + count :],
        spans=header.spans,
    )


def _checked(path: Path, file: BinaryIO) -> tuple[_Header, int]:
    """Read the header and check every byte, without the map: else all bytes became resident in every worker."""
    magic, length, written = _start(file.read(_START.size))
    # A length that only leaves out padding would have the same checksum.
    is_whole = magic == MAGIC and (_START.size + length) % 8 == 0
    content = file.read(min(length, _LONGEST_HEADER)) if is_whole else b""
    crc = zlib.crc32(content)
    while chunk := file.read(_CHUNK):
        crc = zlib.crc32(chunk, crc)
    if not is_whole or crc != written:
        raise RateMatrixDamaged(f"The rate matrix {path} is damaged (wrong checksum)")
    return _header(path, content), _START.size + length


def _start(content: bytes) -> tuple[bytes, int, int]:
    return _START.unpack(content) if len(content) == _START.size else (b"", 0, 0)


def _header(path: Path, content: bytes) -> _Header:
    try:
        header = msgspec.json.decode(content, type=_Header)
    except (ValueError, RecursionError) as error:
        raise RateMatrixDamaged(f"The rate matrix {path} has an invalid header: {error}") from error
    if header.byte_order != sys.byteorder:
        raise RateMatrixDamaged(f"The rate matrix {path} was written on a machine with another byte order")
    return header
