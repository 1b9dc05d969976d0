"""Zips within bounds. What a member really holds counts, not what its header says."""

from __future__ import annotations

import lzma
import zlib
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from cambist.sources.base import MAX_PAYLOAD_BYTES
from cambist.sources.payloads.bounds import MOST_ZIP_MEMBERS, check_size

_UNREADABLE = (BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError)
"""All that the standard library raises over damaged zips; NotImplementedError is a RuntimeError."""


class Unpacker:
    """The members of a zip, which together hold no more than one payload. Errors: ValueError for everything."""

    def __init__(self, content: bytes) -> None:
        check_size(content)
        self._left = MAX_PAYLOAD_BYTES
        try:
            self._zip = ZipFile(BytesIO(content))
        except _UNREADABLE as error:
            raise ValueError(f"the zip cannot be read: {error}") from error
        self._members = self._zip.infolist()
        if len(self._members) > MOST_ZIP_MEMBERS:
            raise ValueError(f"the zip has {len(self._members):,} files, more than any")
        if sum(each.file_size for each in self._members) > MAX_PAYLOAD_BYTES:
            raise ValueError("the zip holds more than it ever publishes")

    @property
    def names(self) -> list[str]:
        """The names of the members, also of those that are there twice."""
        return [each.filename for each in self._members]

    def read(self, name: str) -> bytes:
        """Return the content of a member. Errors: ValueError if it is damaged, or more than is left."""
        try:
            info = self._zip.getinfo(name)
            if info.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
                raise ValueError("the zip is packed in another way than zips of sources are")
            return self._bounded(info)
        except (*_UNREADABLE, KeyError) as error:
            raise ValueError(f"the zip cannot be read: {error}") from error

    def _bounded(self, info: ZipInfo) -> bytes:
        with self._zip.open(info) as member:
            content = member.read(self._left + 1)
        self._left -= len(content)
        if self._left < 0:
            raise ValueError("the zip holds more than it ever publishes")
        return content
