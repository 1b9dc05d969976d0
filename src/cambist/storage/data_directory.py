"""The data folder: private to its owner, locked by one service at a time, and always live or always a sandbox."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from cambist.errors import CannotStart
from cambist.status.environment import Environment
from cambist.storage.atomic_file import write_atomically

_LIVE_FILES = ("cambist.db", "owner.key", "rates.image", "rates.book", "book.json", "versions", "ledger")
"""A folder with any of these and without the file `environment` is live: it is older than the sandbox."""

_FILES = (
    "cambist.db", "rates.image", "bars.open", "rates.book", "rates.votes", "sources.json", "stream.json", "versions",
    "stream.connections", "plans.toml", "plans.current", "environment", "faults.toml", "owner.key", "cambist.lock",
    "audit.log", "plans.toml.previous", "cluster.json", "node.instance",
    "accounts.copy", "usage.copy", "rate-changes.csv", "service.json", "source-activity.json",
    "usage.figures",
)  # fmt: skip
_FOLDERS = ("sources", "ledger", "console", "asked", "ingest", "keys", "log", "acknowledged")

_KIND = {Environment.LIVE: "a live one", Environment.SANDBOX: "a sandbox"}


class DataDirectory:
    """The directory with all files of a service, and their paths."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.matrix = path / "rates.image"
        self.book = path / "rates.book"
        self.owner_key = path / "owner.key"
        self.ledger = path / "ledger"
        self.leases = self.ledger / "leases"
        self.reservations = self.ledger / "reservations"
        self.requests = path / "requests"
        self.reserve = path / "reserve"
        self.plans = path / "plans.toml"
        self.plans_in_force = path / "plans.current"
        self.source_reports = path / "sources.json"
        self.source_activity = path / "source-activity.json"
        self.stream_connections = path / "stream.connections"
        self.faults = path / "faults.toml"
        self.open_bars = path / "bars.open"
        self.audit_log = path / "audit.log"
        self.sign_in_links = path / "console"
        self.asked_sources = path / "asked"
        self.votes = path / "rates.votes"
        self.previous_plans = path / "plans.toml.previous"
        self.cluster_report = path / "cluster.json"
        self.node_instance = path / "node.instance"
        self.accounts_copy = path / "accounts.copy"
        self.usage_copy = path / "usage.copy"
        self.usage_figures = path / "usage.figures"
        self.keys = path / "keys"
        self.log = path / "log"
        self.alarms = path / "alarms.json"
        self.acknowledged = path / "acknowledged"
        self.served_settings = path / "service.json"
        self.rate_changes = path / "rate-changes.csv"
        self.candidates = path / "ingest"
        """What the ingest process of a node publishes; the node has it once the other nodes can have it too."""
        self.reach_mark = self.candidates / "reached"
        """When the link of this node last reached the others."""
        self._environment_file = path / "environment"
        self._lock_file = path / "cambist.lock"
        self._lock: int | None = None

    def stream_report(self, process: int) -> Path:
        """Return the path of the last report of a stream process, which are counted from 0."""
        return self.path / (f"stream-{process + 1}.json" if process else "stream.json")

    def claim(self, environment: Environment = Environment.LIVE) -> None:
        """Create the folder if needed, and lock it until this process ends. The first claim sets its environment.

        Errors: CannotStart if it cannot be written, another service uses it, or it is of another environment.
        """
        self._acquire_lock()
        try:
            self.check(environment)
            if not self._environment_file.exists():
                write_atomically(self._environment_file, f"{environment}\n".encode())
        except BaseException:
            self.release()
            raise

    @property
    def environment(self) -> Environment | None:
        """The environment of the folder; None if it has no files yet. Errors: CannotStart if the file is invalid."""
        try:
            return Environment(self._environment_file.read_text(encoding="utf-8").strip())
        except NotADirectoryError as error:
            raise CannotStart(f"The data folder {self.path} is a file: name a folder with --data") from error
        except FileNotFoundError:
            return Environment.LIVE if any((self.path / name).exists() for name in _LIVE_FILES) else None
        except (OSError, ValueError) as error:
            raise CannotStart(f"The file {self._environment_file} should say live or sandbox: {error}") from error

    def check_served(self) -> None:
        """Refuse a folder in which no service has run, and create nothing in it. Errors: CannotStart."""
        if not self.path.is_dir() or self.environment is None:
            raise CannotStart(f"There is no service's data in {self.path}: run [cambist serve] once, or name --data")

    def check(self, environment: Environment) -> None:
        """Refuse a folder of another environment. Errors: CannotStart."""
        found = self.environment or environment
        if found is not environment:
            raise CannotStart(
                f"The data folder {self.path} is {_KIND[found]} and stays one: it cannot be {_KIND[environment]}"
            )

    def is_claimed(self) -> bool:
        """Return whether a service uses the folder now."""
        try:
            file = os.open(self._lock_file, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        else:
            return False
        finally:
            os.close(file)

    def has_been_served(self) -> bool:
        """Return whether a service has ever started completely in this folder."""
        return self.plans_in_force.exists()

    def check_kinds(self) -> None:
        """Refuse a directory with the name of a file, or a file with the name of a directory. Errors: CannotStart."""
        for name in _FILES:
            if (self.path / name).is_dir():
                raise CannotStart(f"{self.path / name} is a folder, where a file belongs: move it away")
        for name in _FOLDERS:
            if (self.path / name).is_file():
                raise CannotStart(f"{self.path / name} is a file, where a folder belongs: move it away")

    def _acquire_lock(self) -> None:
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = os.open(self._lock_file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise CannotStart(f"The data folder {self.path} cannot be written: {error.strerror}") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            self._lock = None
            raise CannotStart(f"The data folder {self.path} is in use by another Cambist") from None
        # A forked child would hold the lock as long as it lives.
        os.register_at_fork(after_in_child=self._forget_lock)

    def _forget_lock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def release(self) -> None:
        """Unlock the folder for another service."""
        self._forget_lock()
