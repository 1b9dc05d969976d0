"""The data folder: private to its owner, held by one service at a time, live or a sandbox for ever."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from cambist.errors import CannotStart
from cambist.status.environment import Environment
from cambist.storage.atomic_file import write_atomically

_TELLING = ("cambist.db", "owner.key", "rates.image", "book.json", "versions", "ledger")
"""What tells of a folder without a mark that a service has kept it: from before there were sandboxes."""

_FILES = (
    "cambist.db", "rates.image", "bars.open", "book.json", "sources.json", "stream.json", "versions",
    "plans.toml", "plans.current", "environment", "faults.toml", "owner.key", "cambist.lock",
)  # fmt: skip
_FOLDERS = ("sources", "ledger")

_A = {Environment.LIVE: "a live one", Environment.SANDBOX: "a sandbox"}


class DataDirectory:
    """Where the service keeps what is its own, and the names of the files in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.matrix = path / "rates.image"
        self.owner_key = path / "owner.key"
        self.ledger = path / "ledger"
        self.requests = path / "requests"
        self.reserve = path / "reserve"
        self.plans = path / "plans.toml"
        self.plans_in_force = path / "plans.current"
        self.source_reports = path / "sources.json"
        self.stream_report = path / "stream.json"
        self.faults = path / "faults.toml"
        self.open_bars = path / "bars.open"
        self._mark = path / "environment"
        self._lock = path / "cambist.lock"
        self._held: int | None = None

    def claim(self, environment: Environment = Environment.LIVE) -> None:
        """Create the folder if need be and hold it as long as this process lives; the first claim marks it for ever.

        Errors: CannotStart when it cannot be written, another service holds it, or it is of another environment.
        """
        self._hold()
        try:
            self.check(environment)
            if not self._mark.exists():
                write_atomically(self._mark, f"{environment}\n".encode())
        except BaseException:
            self.release()
            raise

    @property
    def environment(self) -> Environment | None:
        """What the folder is for; None as long as nothing is kept there. Errors: CannotStart where that is unclear."""
        try:
            return Environment(self._mark.read_text(encoding="utf-8").strip())
        except FileNotFoundError:
            return Environment.LIVE if any((self.path / name).exists() for name in _TELLING) else None
        except (OSError, ValueError) as error:
            raise CannotStart(f"The file {self._mark} should say live or sandbox: {error}") from error

    def check(self, environment: Environment) -> None:
        """Refuse a folder of another environment. Errors: CannotStart."""
        found = self.environment or environment
        if found is not environment:
            raise CannotStart(
                f"The data folder {self.path} is {_A[found]} and stays one: it cannot be {_A[environment]}"
            )

    def has_been_served(self) -> bool:
        """Say whether a service has completed a start in this folder, which leaves plans in force."""
        return self.plans_in_force.exists()

    def check_kinds(self) -> None:
        """Refuse a folder in which something stands in the place of a file, or a file in the place of a folder.

        Errors: CannotStart naming what to move away.
        """
        for name in _FILES:
            if (self.path / name).is_dir():
                raise CannotStart(f"{self.path / name} is a folder, where a file belongs: move it away")
        for name in _FOLDERS:
            if (self.path / name).is_file():
                raise CannotStart(f"{self.path / name} is a file, where a folder belongs: move it away")

    def _hold(self) -> None:
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
