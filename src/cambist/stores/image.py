"""The columnar image as a file: written beside, moved into place, mapped by every worker.

Layout, in the machine's byte order: magic, header length, header (JSON), the era of each day (uint16),
padding, cells (float64). The header carries the length and CRC-32 of all that follows it.
"""

from __future__ import annotations

import mmap
import struct
import sys
import zlib
from datetime import date
from pathlib import Path

import msgspec

from cambist.errors import ImageDamaged
from cambist.history.image import RateImage
from cambist.stores.replace import write_atomically

MAGIC = b"CMBIMG01"
_START = struct.Struct(f"={len(MAGIC)}sI")
_CHUNK = 1 << 20


class _Header(msgspec.Struct, frozen=True):
    byte_order: str
    revision: str
    first_day: date
    last_fixing: date
    codes: tuple[str, ...]
    eras: tuple[tuple[int, ...], ...]
    days: int
    body_bytes: int
    crc: int


def write_image(path: Path, image: RateImage) -> None:
    """Put `image` in place of what is there; a reader sees the old file or the new one, whole."""
    body = _body(image)
    header = msgspec.json.encode(
        _Header(
            byte_order=sys.byteorder,
            revision=image.revision,
            first_day=image.first_day,
            last_fixing=image.last_fixing,
            codes=image.codes,
            eras=image.eras,
            days=len(image.era_of_day),
            body_bytes=len(body),
            crc=zlib.crc32(body),
        )
    )
    header += b" " * (-(len(header) + _START.size) % 8)
    write_atomically(path, _START.pack(MAGIC, len(header)) + header + body)


def _body(image: RateImage) -> bytes:
    eras = struct.pack(f"={len(image.era_of_day)}H", *image.era_of_day)
    return eras + b"\0" * (-len(eras) % 8) + image.cells.tobytes()


def open_image(path: Path) -> RateImage:
    """Check the file whole and map it.

    Errors: ImageDamaged when it is missing, cut, changed, or of another layout or byte order.
    """
    try:
        header, start = _checked(path)
        with path.open("rb") as file:
            mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError) as error:
        raise ImageDamaged(f"The image {path} cannot be read: {error}") from error
    cells = start + header.days * 2 + (-header.days * 2) % 8
    return RateImage(
        revision=header.revision,
        first_day=header.first_day,
        last_fixing=header.last_fixing,
        codes=header.codes,
        eras=header.eras,
        era_of_day=mapped[start : start + header.days * 2].cast("H"),
        cells=mapped[cells:].cast("d"),
    )


def _checked(path: Path) -> tuple[_Header, int]:
    """Read the file past the map: checking every byte must not make them resident in every worker."""
    with path.open("rb") as file:
        magic, length = _start(file.read(_START.size))
        if magic != MAGIC:
            raise ImageDamaged(f"The image {path} has another layout")
        header = _header(path, file.read(length))
        crc, body_bytes = 0, 0
        while chunk := file.read(_CHUNK):
            crc, body_bytes = zlib.crc32(chunk, crc), body_bytes + len(chunk)
    if (crc, body_bytes, sys.byteorder) != (header.crc, header.body_bytes, header.byte_order):
        raise ImageDamaged(f"The image {path} is not what was written")
    return header, _START.size + length


def _start(content: bytes) -> tuple[bytes, int]:
    return _START.unpack(content) if len(content) == _START.size else (b"", 0)


def _header(path: Path, content: bytes) -> _Header:
    try:
        return msgspec.json.decode(content, type=_Header)
    except msgspec.MsgspecError as error:
        raise ImageDamaged(f"The image {path} has a broken header: {error}") from error
