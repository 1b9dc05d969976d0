"""Replace a file in one step: a reader finds the old content or the new one, also after a crash."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import time


class Unwritable(OSError):
    """A file cannot be written. The message names the file, the reason, and what to do if that is known."""

    def __str__(self) -> str:
        return str(self.strerror)


_TEMPORARY = re.compile(r"\..+\.[a-z0-9_]{8}")
_ABANDONED_AFTER = 60.0
"""Seconds. Another process may still write a younger temporary file."""


def unfinished_files(folder: Path) -> list[Path]:
    """Return the temporary files of `write_atomically` whose process was killed."""
    return [
        path
        for path in folder.iterdir()
        if _TEMPORARY.fullmatch(path.name) and path.is_file() and time() - path.stat().st_mtime > _ABANDONED_AFTER
    ]


def remove_unfinished(folder: Path) -> None:
    """Remove temporary files of `write_atomically` whose process was killed."""
    for path in unfinished_files(folder):
        path.unlink(missing_ok=True)


def write_atomically(path: Path, content: bytes, mode: int = 0o600, *, durable: bool = True) -> None:
    """Write a temporary file, flush it to the disk, and rename it. Errors: Unwritable.

    A file that is not `durable` is not flushed: it survives the end of every process, but not a power failure. This is
    for files that are written several times a second.
    """
    try:
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            try:
                file.write(content)
                file.flush()
                os.fchmod(file.fileno(), mode)
                if durable:
                    os.fsync(file.fileno())
                Path(file.name).replace(path)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise Unwritable(error.errno, unwritable("file", path, error)) from error


def unwritable(what: str, path: Path, error: OSError) -> str:
    """Return a sentence about what cannot be written, why, and what to do."""
    remedy = "; free some space on its disk" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
    return f"The {what} {path} cannot be written: {error.strerror}{remedy}"
