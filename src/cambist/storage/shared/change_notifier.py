"""The notifier: a mapped page of numbers, each of which changes whenever there is news of its topic."""

from __future__ import annotations

import mmap
import os
import secrets
from pathlib import Path
from tempfile import NamedTemporaryFile

_BITS = 64
_BLOCK = 4096


class ChangeNotifier:
    """Tells all processes that map the same file of news; none of it can be lost, however many tell at once.

    `versions` has a number for each topic. A look at it costs a read of memory.
    """

    def __init__(self, path: Path) -> None:
        """Map the file, after making it if need be. Errors: OSError."""
        if not path.exists():
            _create(path)
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            # A file that was cut off only ever grows again: others may have it mapped.
            if os.fstat(file).st_size < _BLOCK:
                os.posix_fallocate(file, 0, _BLOCK)
            self.versions = memoryview(mmap.mmap(file, _BLOCK)).cast("Q")
        finally:
            os.close(file)

    def notify(self, topic: int = 0) -> None:
        """Tell every process that there is news."""
        # A number that was never there before: two who count on at once could arrive at the same one.
        self.versions[topic] = secrets.randbits(_BITS)


def _create(path: Path) -> None:
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", buffering=0) as file:
        file.write(bytes(_BLOCK))
        try:
            os.link(file.name, path)
        except FileExistsError:
            return
