"""Writer slots: the place in the counter files where one thread writes, and nobody else.

A thread holds its slot by a file lock, which the kernel releases when the process ends in any way. The next owner
continues from the counts in the slot. A process must not fork after it has claimed a slot.
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

MAX_SLOTS = 1 << 15


class WriterSlot:
    """The lowest free slot of a directory, held until it is released or garbage-collected."""

    def __init__(self, folder: Path) -> None:
        """Claim a slot. Errors: StoreBroken if none is free or the directory cannot be written."""
        try:
            self.number, lock = _claim(folder)
        except OSError as error:
            raise StoreBroken(unwritable("usage counters in", folder, error)) from error
        self.release = weakref.finalize(self, os.close, lock)


def lock_path(folder: Path, number: int) -> Path:
    """Return the path of the lock of a slot."""
    return folder / f"column-{number}.lock"


def _claim(folder: Path) -> tuple[int, int]:
    for number in range(MAX_SLOTS):
        file = os.open(lock_path(folder, number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
        else:
            return number, file
    raise StoreBroken(f"All {MAX_SLOTS} writer slots of {folder} are in use")


class ThreadSlot(threading.local):
    """The slot of the current thread: `number` is claimed at its first use, and free again after the thread has ended.

    Each slot is added to `slots`, and `on_claim` is called once with its number.
    """

    number: int

    def __init__(self, folder: Path, slots: weakref.WeakSet[WriterSlot], on_claim: Callable[[int], None]) -> None:
        self._folder = folder
        self._slots = slots
        self._on_claim = on_claim

    def __getattr__(self, name: str) -> int:
        if name != "number":
            raise AttributeError(name)
        self._slot = WriterSlot(self._folder)
        self._slots.add(self._slot)
        self.number = self._slot.number
        self._on_claim(self.number)
        return self.number
