"""The archive of a backup: a gzipped tar file, which begins with the manifest."""

from __future__ import annotations

import os
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from gzip import BadGzipFile
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import IO

import msgspec

from cambist.admin.backup.manifest import (
    BACKUP_MANIFEST,
    BackedUpFile,
    BackupManifest,
    parse_backup_manifest,
)
from cambist.errors import BackupRefused

_CHUNK = 1 << 20
_LEVEL = 4
"""How well is compressed: more takes several times as long for a few per cent."""

_LONGEST_MANIFEST = 1 << 24

Advance = Callable[[int], None]
"""Takes how many bytes more are done."""


def described(folder: Path, advance: Advance) -> tuple[BackedUpFile, ...]:
    """Return all files below a folder with their hashes, by name. Errors: OSError."""
    found = []
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        size, digest = file_digest(path, advance)
        found.append(BackedUpFile(name=path.relative_to(folder).as_posix(), size=size, sha256=digest))
    return tuple(found)


def file_digest(path: Path, advance: Advance = lambda _: None) -> tuple[int, str]:
    """Return how many bytes a file has, and their SHA-256. Errors: OSError."""
    with path.open("rb") as file:
        return copy_stream(file, None, advance)


def copy_stream(source: IO[bytes], target: IO[bytes] | None, advance: Advance) -> tuple[int, str]:
    """Copy a stream, or only read it, and return how many bytes it has, and their SHA-256. Errors: OSError."""
    whole = sha256()
    size = 0
    while chunk := source.read(_CHUNK):
        whole.update(chunk)
        if target is not None:
            target.write(chunk)
        size += len(chunk)
        advance(len(chunk))
    return size, whole.hexdigest()


def write_archive(path: Path, manifest: BackupManifest, folder: Path, advance: Advance) -> None:
    """Write the manifest and its files, which are in a folder, into a new file of mode 0600. Errors: OSError."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(file, "wb") as raw:
        with tarfile.open(fileobj=raw, mode="w:gz", compresslevel=_LEVEL) as archive:
            content = msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"
            archive.addfile(_member(BACKUP_MANIFEST, len(content), manifest), BytesIO(content))
            for each in manifest.files:
                with (folder / each.name).open("rb") as source:
                    archive.addfile(_member(each.name, each.size, manifest), _Counted(source, advance))
        raw.flush()
        os.fsync(raw.fileno())


def _member(name: str, size: int, manifest: BackupManifest) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = size, 0o600, int(manifest.began_at.timestamp())
    return member


class _Counted:
    """A file that reports how many bytes are read from it."""

    def __init__(self, file: IO[bytes], advance: Advance) -> None:
        self._file = file
        self._advance = advance

    def read(self, size: int = -1, /) -> bytes:
        content = self._file.read(size)
        self._advance(len(content))
        return content


class BackupArchive:
    """An archive that is read from its beginning to its end, once."""

    def __init__(self, path: Path, archive: tarfile.TarFile) -> None:
        self._path = path
        self._archive = archive
        first = archive.next()
        content = self._open(first).read(_LONGEST_MANIFEST) if first and first.name == BACKUP_MANIFEST else b""
        if not content:
            raise BackupRefused(f"The file {path} is not a backup of Cambist: it does not begin with {BACKUP_MANIFEST}")
        self.manifest = parse_backup_manifest(content)

    def _open(self, member: tarfile.TarInfo) -> IO[bytes]:
        file = self._archive.extractfile(member) if member.isreg() else None
        if file is None:
            raise BackupRefused(f"The file {self._path} has something else than files in it: [{member.name}]")
        return file

    def files(self) -> Iterator[tuple[BackedUpFile, IO[bytes]]]:
        """Yield each file of the manifest with its content. Errors: BackupRefused if one is missing or too many."""
        missing = {file.name: file for file in self.manifest.files}
        while member := self._archive.next():
            described_file = missing.pop(member.name, None)
            if described_file is None:
                raise BackupRefused(
                    f"The file {self._path} has a file that its manifest does not name: [{member.name}]"
                )
            yield described_file, self._open(member)
        if missing:
            raise BackupRefused(f"The file {self._path} is cut off: it lacks {', '.join(missing)}")
        self._read_to_the_end()

    def _read_to_the_end(self) -> None:
        """Read what follows the last file, so that the checksum at the end is compared."""
        while self._archive.fileobj.read(_CHUNK):
            pass


@contextmanager
def open_archive(path: Path) -> Iterator[BackupArchive]:
    """Open an archive for a block. Errors: BackupRefused if it cannot be read, also in the block."""
    try:
        with tarfile.open(path, "r:gz") as archive:
            yield BackupArchive(path, archive)
    except (tarfile.TarError, EOFError, zlib.error, BadGzipFile) as error:
        raise BackupRefused(f"The file {path} is damaged, or is not a backup of Cambist: {error}") from error
