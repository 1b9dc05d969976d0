"""A column of one's own: a thread holds it by a lock that the kernel releases when the process ends, however it ends.

Whoever claims it next goes on from the values of its cells. A process must not be forked after it has claimed one.
"""

from __future__ import annotations

import fcntl
import os
import threading
import weakref
from collections.abc import Callable
from pathlib import Path

from cambist.errors import StoreBroken
from cambist.storage.atomic_file import unwritable

_MOST = 1 << 15


class WriterSlot:
    """The lowest column of the folder that was free, held until it is released or nobody refers to it any more."""

    def __init__(self, folder: Path) -> None:
        """Claim a column. Errors: StoreBroken when there is none left, or the folder cannot be written."""
        try:
            self.number, held = _claim(folder)
        except OSError as error:
            raise StoreBroken(unwritable("ledger", folder, error)) from error
        self.release = weakref.finalize(self, os.close, held)


def lock_path(folder: Path, number: int) -> Path:
    """Give the file by whose lock a column is held."""
    return folder / f"column-{number}.lock"


def _claim(folder: Path) -> tuple[int, int]:
    for number in range(_MOST):
        file = os.open(lock_path(folder, number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
        else:
            return number, file
    raise StoreBroken(f"All columns of the ledger {folder} are taken")


class ThreadSlot(threading.local):
    """Where a thread sits: `column` is claimed when a thread first asks for it, and free again after the thread.

    `claimed` is called with it once.
    """

    column: int

    def __init__(self, folder: Path, held: weakref.WeakSet[WriterSlot], claimed: Callable[[int], None]) -> None:
        self._folder = folder
        self._all = held
        self._claimed = claimed

    def __getattr__(self, name: str) -> int:
        if name != "column":
            raise AttributeError(name)
        self._held = WriterSlot(self._folder)
        self._all.add(self._held)
        self.column = self._held.number
        self._claimed(self.column)
        return self.column
