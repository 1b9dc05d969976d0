"""The static files of the log in the data folder: written once, and never changed but for the checkpoint."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cambist.errors import LogInconsistent
from cambist.storage.atomic_file import write_atomically
from cambist.transparency.tiles import CHECKPOINT


class LogFolder:
    """A folder that a web server could serve as it is. Whatever is interrupted, a further call completes it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def checkpoint(self) -> str | None:
        """Return the checkpoint that is shown; None if there is none."""
        try:
            return (self._path / CHECKPOINT).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    def publish(self, files: Iterable[tuple[str, bytes]], keys: str, checkpoint: str) -> None:
        """Write the files that are missing, and then the checkpoint, so that it never names what is not there.

        Errors: LogInconsistent if a file has another content, and nothing is replaced; Unwritable.
        """
        self._path.mkdir(mode=0o700, exist_ok=True)
        for name, content in files:
            path = self._path / name
            if path.exists():
                if path.read_bytes() != content:
                    raise LogInconsistent(f"The file {path} of the log is not what the database has: nothing is signed")
                continue
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomically(path, content)
        write_atomically(self._path / "keys", keys.encode())
        write_atomically(self._path / CHECKPOINT, checkpoint.encode())
