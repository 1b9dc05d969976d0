"""The data folder: private to its owner, held by one service at a time."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from cambist.errors import CannotStart


class DataFolder:
    """Where the service keeps what is its own, and the names of the files in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.image = path / "rates.image"
        self.owner_key = path / "owner.key"
        self.ledger = path / "ledger"
        self.plans = path / "plans.toml"
        self.plans_in_force = path / "plans.current"
        self.bulletin = path / "sources.json"
        self._lock = path / "cambist.lock"
        self._held: int | None = None

    def claim(self) -> None:
        """Create the folder if need be and hold it as long as this process lives.

        Errors: CannotStart when it cannot be written, or another service holds it.
        """
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._held = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise CannotStart(f"The data folder {self.path} cannot be written: {error.strerror}") from error
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._held)
            self._held = None
            raise CannotStart(f"The data folder {self.path} is in use by another Cambist") from None

    def release(self) -> None:
        """Let the next service have the folder."""
        if self._held is not None:
            os.close(self._held)
            self._held = None
