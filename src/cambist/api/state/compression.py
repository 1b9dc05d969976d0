"""Compressing answers with gzip. A cached answer is compressed once; only its end, the `ms`, differs each time.

A gzip stream may mix compressed blocks with stored ones (RFC 1951), and a CRC-32 can be continued. So the end is
appended as a stored block, which takes a few microseconds.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from functools import lru_cache

MIN_COMPRESSED_BYTES = 1024
"""Answers up to this size are not compressed: they fit into one packet anyway."""

_LEVEL = 1
"""The fastest level: a sixth of the time of the default level, for a tenth more bytes."""

_RAW_DEFLATE = -zlib.MAX_WBITS
_HEADER = b"\x1f\x8b\x08\0\0\0\0\0\x04\xff"
_LAST_STORED_BLOCK = struct.Struct("<BHH")
_TRAILER = struct.Struct("<II")


@dataclass(frozen=True, slots=True)
class GzipPrefix:
    """The beginning of a gzip stream, up to the end of a block, with the checksum and size of its content."""

    stream: bytes
    checksum: int
    size: int

    def finish(self, end: bytes) -> bytes:
        """Return the whole stream: the compressed content, then `end` (at most 65,535 bytes) uncompressed."""
        size = len(end)
        return b"".join(
            (
                self.stream,
                _LAST_STORED_BLOCK.pack(1, size, size ^ 0xFFFF),
                end,
                _TRAILER.pack(zlib.crc32(end, self.checksum), (self.size + size) & 0xFFFFFFFF),
            )
        )


def compress_prefix(content: bytes) -> GzipPrefix:
    """Compress the beginning of an answer."""
    deflate = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW_DEFLATE)
    stream = b"".join((_HEADER, deflate.compress(content), deflate.flush(zlib.Z_SYNC_FLUSH)))
    return GzipPrefix(stream, zlib.crc32(content), len(content))


@lru_cache(maxsize=256)
def accepts_gzip(accept_encoding: str) -> bool:
    """Return whether a client that sends this `Accept-Encoding` header accepts gzip."""
    weights = dict(_parse_coding(item) for item in accept_encoding.lower().split(","))
    return weights.get("gzip", weights.get("x-gzip", weights.get("*", 0))) > 0


def _parse_coding(item: str) -> tuple[str, float]:
    name, _, parameter = item.partition(";")
    weight = parameter.strip().removeprefix("q=")
    try:
        return name.strip(), float(weight or 1)
    except ValueError:
        return name.strip(), 0
