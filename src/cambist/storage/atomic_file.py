"""Replacing a file so that a reader, or a crash, finds the old content or the new one, never a part."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import time


class Unwritable(OSError):
    """A file cannot be written: its text is a sentence that names the file, and the remedy where there is one."""

    def __str__(self) -> str:
        return str(self.strerror)


_UNFINISHED = re.compile(r"\..+\.[a-z0-9_]{8}")
_OLD = 60.0
"""Seconds: what is younger may be being written by a command that runs now."""


def remove_unfinished(folder: Path) -> None:
    """Remove what `write_atomically` left beside its files when its process was killed."""
    for path in folder.iterdir():
        if _UNFINISHED.fullmatch(path.name) and path.is_file() and time() - path.stat().st_mtime > _OLD:
            path.unlink(missing_ok=True)


def write_atomically(path: Path, content: bytes, mode: int = 0o600, *, durable: bool = True) -> None:
    """Write `content` beside `path`, flush it to the disk, and move it into place.

    What is made anew many times a second need not be `durable`: it outlives every process, not a power cut.
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
    """Say what cannot be written, why, and what to do about it."""
    remedy = "; free some space on its disk" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
    return f"The {what} {path} cannot be written: {error.strerror}{remedy}"
