"""The file of the audit log: one JSON object a line, only ever appended to.

It is no table of the database, because it must not depend on what it reports on: it can be written while the database
is broken or locked, and restoring an older database does not remove what was done since.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from cambist.accounts.audit_entry import AuditEntry
from cambist.storage.atomic_file import Unwritable, unwritable


class AuditLog:
    """The audit log of a data directory; without a file it is empty. Several processes may append at once."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def append(self, entry: AuditEntry) -> None:
        """Append an entry, and flush it to the disk; its number is ignored. Errors: Unwritable, and nothing is kept."""
        line = msgspec.json.encode(msgspec.structs.replace(entry, number=0)) + b"\n"
        try:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX)
                _append(file, line)
            finally:
                os.close(file)
        except OSError as error:
            raise Unwritable(error.errno, unwritable("audit log", self._path, error)) from error

    def entries(self) -> Iterator[AuditEntry]:
        """Yield all entries with their numbers, oldest first. A line that cannot be read is left out."""
        try:
            file = self._path.open("rb")
        except FileNotFoundError:
            return
        decoder = msgspec.json.Decoder(AuditEntry)
        with file:
            for number, line in enumerate(file, 1):
                try:
                    entry = decoder.decode(line)
                except (ValueError, RecursionError):
                    continue
                yield msgspec.structs.replace(entry, number=number)


def _append(file: int, line: bytes) -> None:
    size = os.fstat(file).st_size
    if size and os.pread(file, 1, size - 1) != b"\n":
        line = b"\n" + line  # a line that was cut off by a crash must not spoil this one
    if os.write(file, line) < len(line):
        os.ftruncate(file, size)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.fsync(file)
