"""Notify other processes of a change: a memory-mapped file of numbers, one for each topic, that change with it.

Reading a version costs a read of memory. Processes wait for a notification, compare the versions and load what has
changed.
"""

from __future__ import annotations

import mmap
import os
import secrets
from enum import IntEnum
from pathlib import Path
from tempfile import NamedTemporaryFile

from cambist.storage.shared.futex import Futex

_BITS = 64
_BLOCK = 4096
_WORD = 8


class Topic(IntEnum):
    """What may change in a data directory: the place of its version in the file.

    ASKED changes when an operator wants a source to be asked now.
    BARS changes when bars change that answers may have been cached of; not for each bar that is completed.
    """

    BOOK = 0
    MATRIX = 1
    ACCOUNTS = 2
    PLANS = 3
    SOURCES = 4
    ARCHIVE = 5
    BARS = 6
    ASKED = 7


class ChangeNotifier:
    """Notifies all processes that map the same file. No change is lost, however many notify at once.

    `versions` has a number for each topic.
    """

    def __init__(self, path: Path) -> None:
        """Map the file; create it if it does not exist. Errors: OSError."""
        if not path.exists():
            _create(path)
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            # A file that was cut off is only ever extended: other processes may have it mapped.
            if os.fstat(file).st_size < _BLOCK:
                os.posix_fallocate(file, 0, _BLOCK)
            memory = mmap.mmap(file, _BLOCK)
        finally:
            os.close(file)
        self.versions = memoryview(memory)[:-_WORD].cast("Q")
        self._notified = Futex(memory, _BLOCK - _WORD)

    def version(self, topic: int = 0) -> int:
        """Return the version of a topic. It differs from an earlier one if there was a change in between."""
        return self.versions[topic]

    def notify(self, topic: int = 0) -> None:
        """Change the version of a topic."""
        # A random number: two processes that add one at once could both write the same number.
        self.versions[topic] = secrets.randbits(_BITS)
        self._notified.wake()

    def waiter(self) -> ChangeWaiter:
        """Return what waits for notifications; each thread that waits needs its own."""
        return ChangeWaiter(self._notified)


class ChangeWaiter:
    """Waits for notifications. One that came after the last wait, or after this was made, ends the next at once.

    A wait may also end without one. Versions are compared after it, not before.
    """

    def __init__(self, notified: Futex) -> None:
        self._notified = notified
        self._seen = notified.value()

    def wait(self, seconds: float) -> None:
        """Wait for the next notification, but not longer than some seconds."""
        self._notified.wait(self._seen, seconds)
        self._seen = self._notified.value()


def data_changes(folder: Path) -> ChangeNotifier:
    """Return the notifier of a data directory. Its topics are those of `Topic`."""
    return ChangeNotifier(folder / "versions")


def _create(path: Path) -> None:
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", buffering=0) as file:
        file.write(bytes(_BLOCK))
        try:
            os.link(file.name, path)
        except FileExistsError:
            return
