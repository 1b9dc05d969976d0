"""Replacing a file so that a reader, or a crash, finds the old content or the new one, never a part."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import NamedTemporaryFile


def write_atomically(path: Path, content: bytes, mode: int = 0o600, *, durable: bool = True) -> None:
    """Write `content` beside `path`, flush it to the disk, and move it into place.

    What is made anew many times a second need not be `durable`: it outlives every process, not a power cut.
    """
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
