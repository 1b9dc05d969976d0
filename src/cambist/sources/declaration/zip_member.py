"""The one file that counts in a zip that a source sends."""

from __future__ import annotations

import lzma
import zlib
from fnmatch import fnmatchcase
from io import BytesIO
from zipfile import BadZipFile, ZipFile

from cambist.sources.base import MAX_PAYLOAD_BYTES
from cambist.sources.parsing import PayloadReader

_UNREADABLE = (BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError, ValueError)
"""All that the standard library raises over damaged zips; NotImplementedError is a RuntimeError."""


def unzip_member(content: bytes, pattern: str, reader: PayloadReader) -> bytes:
    """Return the only member whose name matches a pattern such as `*.csv`. Errors: SourceBroken."""
    if len(content) > MAX_PAYLOAD_BYTES:
        raise reader.broken("sent a larger zip than it ever publishes")
    try:
        with ZipFile(BytesIO(content)) as archive:
            found = [name for name in archive.namelist() if fnmatchcase(name, pattern)]
            if len(found) != 1:
                raise reader.broken(f"the zip has {len(found)} files [{pattern}] instead of one")
            with archive.open(found[0]) as member:
                unpacked = member.read(MAX_PAYLOAD_BYTES + 1)
    except _UNREADABLE as error:
        raise reader.broken(f"the zip cannot be read: {error}") from error
    if len(unpacked) > MAX_PAYLOAD_BYTES:
        raise reader.broken("the zip holds more than it ever publishes")
    return unpacked
