"""Reserved disk space for what must be possible on a full disk: ending a key or an account."""

from __future__ import annotations

import os
from pathlib import Path

from cambist.errors import StoreBroken
from cambist.storage.atomic_file import unwritable

_BYTES = 4 << 20


class DiskReserve:
    """An empty file of 4 MB that is removed when its space is needed."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def allocate(self) -> None:
        """Allocate the space if it is not allocated yet. Errors: StoreBroken if the disk is full."""
        if self._is_allocated():
            return
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.posix_fallocate(file, 0, _BYTES)
        except OSError as error:
            self._path.unlink(missing_ok=True)
            raise StoreBroken(unwritable("reserve", self._path, error)) from error
        finally:
            os.close(file)

    def _is_allocated(self) -> bool:
        try:
            return self._path.stat().st_blocks * 512 >= _BYTES
        except FileNotFoundError:
            return False

    def free(self) -> bool:
        """Free the space. Return whether any was allocated."""
        try:
            self._path.unlink()
        except FileNotFoundError:
            return False
        return True
