"""Histories that come with the package: what publishers gave away for free, as they published it.

`manifest.json` says of each file whose it is, under which licence, which days it has and which command wrote it. A file
is a compressed tar file of the publisher's own files, in the publisher's own format.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Iterator
from datetime import date
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

FOLDER = Path(__file__).parent
_MANIFEST = FOLDER / "manifest.json"


class PackagedFile(Struct, frozen=True):
    """A file of the package. `source` is the key of the source whose fixings it has, `made_by` the command."""

    name: str
    source: str
    publisher: str
    licence: str
    attribution: str
    first_day: date
    last_day: date
    sha256: str
    made_by: str

    @property
    def content(self) -> bytes:
        """The bytes of the file. Errors: ValueError if they are not those of the manifest, OSError."""
        content = (FOLDER / self.name).read_bytes()
        if hashlib.sha256(content).hexdigest() != self.sha256:
            raise ValueError(f"The file {self.name} of this package is damaged: install it again")
        return content


class PackageManifest(Struct, frozen=True):
    """The files of this package, and the last day of all histories that come with it, the ECB's among them.

    `files` are daily rates; `averages` are means of months and years, which are never taken for those of a day.
    """

    until: date
    files: tuple[PackagedFile, ...]
    averages: tuple[PackagedFile, ...] = ()


@cache
def manifest() -> PackageManifest:
    """Return what the manifest says."""
    return msgspec.json.decode(_MANIFEST.read_bytes(), type=PackageManifest)


def members(content: bytes) -> Iterator[bytes]:
    """Yield the publisher's files in the content of a tar file."""
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:xz") as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file is not None:
                yield file.read()
