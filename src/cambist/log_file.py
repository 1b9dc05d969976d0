"""A log file that several processes write to, and that is rotated when it is large."""

from __future__ import annotations

import fcntl
import logging
import os
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from cambist.errors import CannotStart

_MOST_BYTES = 64 * 1024 * 1024
_KEPT = 5


def check_log_file(path: str, name: str = "The access log") -> None:
    """Create a log file unless it is there. Errors: CannotStart, which begins with `name`, if it cannot be written."""
    try:
        os.close(_opened(Path(path)))
    except OSError as error:
        raise CannotStart(f"{name} cannot be written to [{path}]: {error.strerror or error}") from error


class RotatedFileHandler(logging.Handler):
    """Appends whole lines to a file that only its owner may read; it is opened again when it was moved away.

    When it is larger than `most_bytes`, it becomes `PATH.1`, that becomes `PATH.2`, and so on; `kept` of them stay.
    Lines are lost only where the disk is full: no request fails because of its line.
    """

    def __init__(self, path: str, most_bytes: int = _MOST_BYTES, kept: int = _KEPT) -> None:
        super().__init__()
        self._path = Path(path)
        self._most_bytes = most_bytes
        self._kept = kept
        self._file = -1
        self._is_cut = False

    def emit(self, record: logging.LogRecord) -> None:
        """Append the line of a message."""
        line = f"{self.format(record)}\n".encode(errors="backslashreplace")
        with suppress(OSError):
            self._open()
            self._append(line)
            if os.fstat(self._file).st_size > self._most_bytes:
                self._rotate()

    def close(self) -> None:
        """Close the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        super().close()

    def _append(self, line: bytes) -> None:
        # One write, so that lines of several processes do not mix.
        written = os.write(self._file, b"\n" + line if self._is_cut else line)
        self._is_cut = written < len(line)

    def _open(self) -> None:
        """Open the file unless it is open and still has its name."""
        if self._file >= 0:
            if _is_same(self._file, self._path):
                return
            os.close(self._file)
            self._file = -1
        self._file = _opened(self._path)

    def _rotate(self) -> None:
        """Rename the files, unless another process has just done that."""
        lock = os.open(f"{self._path}.lock", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not _is_same(self._file, self._path):
                return
            names = [self._path, *(Path(f"{self._path}.{number}") for number in range(1, self._kept + 1))]
            for old, new in reversed(list(pairwise(names))):
                with suppress(FileNotFoundError):
                    old.rename(new)
        finally:
            os.close(lock)


def _opened(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _is_same(file: int, path: Path) -> bool:
    """Return whether an open file has this name."""
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False
