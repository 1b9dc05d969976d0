"""The bell: eight mapped bytes that change whenever there are other pages than before."""

from __future__ import annotations

import mmap
import os
import secrets
from pathlib import Path
from tempfile import NamedTemporaryFile

_BYTES = 8
_BLOCK = 4096


class Bell:
    """Rung by whoever changed what pages there are, heard by every process."""

    def __init__(self, folder: Path) -> None:
        path = folder / "bell"
        if not path.exists():
            _create(path)
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            # A bell that was cut off only ever grows again: others may have it mapped.
            if os.fstat(file).st_size < _BLOCK:
                os.posix_fallocate(file, 0, _BLOCK)
            self.sound = memoryview(mmap.mmap(file, _BLOCK)).cast("Q")[:1]
        finally:
            os.close(file)

    def ring(self) -> None:
        """Tell every process to look again."""
        # A number that was never there before: a counter could lose a ring when two count at once.
        self.sound[0] = secrets.randbits(8 * _BYTES)


def _create(path: Path) -> None:
    with NamedTemporaryFile(dir=path.parent, prefix=".bell.", buffering=0) as file:
        file.write(bytes(_BLOCK))
        try:
            os.link(file.name, path)
        except FileExistsError:
            return
