"""Faults of a machine: a node that is killed at a statement, a loss of power, a locked database, and a full disk."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from tools.simulation.databases import DATABASE
from tools.simulation.patches import Patch
from tools.simulation.scenario import Fault

from cambist.storage import atomic_file
from cambist.storage.shared.rate_book import buffers

KILLED, POWER, LOCKED, FULL = "killed", "power", "locked", "full"
_WRITES = ("INSERT", "UPDATE", "DELETE", "COMMIT")
_TAIL_BYTES = 60_000
"""How much of the write-ahead log a loss of power may lose: some deliveries."""


class NodeKilled(BaseException):
    """A node ends at once."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.kind)
        self.fault = fault


class MachineFaults:
    """Lets faults happen when they are due, each that ends a node once."""

    def __init__(self, faults: Sequence[Fault], start: datetime, now: Callable[[], datetime]) -> None:
        in_order = sorted(faults, key=lambda fault: fault.hour)
        self._lasting = [fault for fault in in_order if fault.kind in {LOCKED, FULL}]
        self._ending = [fault for fault in in_order if fault.kind in {KILLED, POWER}]
        self._steps = {fault: fault.step for fault in self._ending}
        self._begins = {fault: start + timedelta(hours=fault.hour) for fault in faults}
        self._ends = {fault: start + timedelta(hours=fault.hour + fault.amount) for fault in self._lasting}
        self._now = now
        self.is_running = False

    def before(self, statement: str) -> None:
        """Let what is due happen before a statement. Errors: NodeKilled, sqlite3.OperationalError."""
        if not self.is_running:
            return
        now = self._now()
        for fault in self._ending:
            if now < self._begins[fault]:
                break
            self._steps[fault] -= 1
            if self._steps[fault] < 0:
                self._ending.remove(fault)
                raise NodeKilled(fault)
        if statement.startswith(_WRITES):
            if self._lasts(LOCKED):
                raise _failed("database is locked", sqlite3.SQLITE_BUSY)
            if self._lasts(FULL):
                raise _failed("database or disk is full", sqlite3.SQLITE_FULL)

    def _lasts(self, kind: str) -> bool:
        now = self._now()
        while self._lasting and self._ends[self._lasting[0]] <= now:
            del self._lasting[0]
        begun = (fault for fault in self._lasting if self._begins[fault] <= now)
        return any(fault.kind == kind and now < self._ends[fault] for fault in begun)

    def patches(self) -> list[Patch]:
        """Return what makes files fail on a full disk."""
        write = vars(buffers)["_write"]

        def write_part(file: int, parts: list[Any], start: int) -> None:
            self._check_space()
            write(file, parts, start)

        def temporary_file(*args: Any, **kwargs: Any) -> Any:
            self._check_space()
            return NamedTemporaryFile(*args, **kwargs)

        return [(buffers, "_write", write_part), (atomic_file, "NamedTemporaryFile", temporary_file)]

    def _check_space(self) -> None:
        if self.is_running and self._lasts(FULL):
            raise OSError(errno.ENOSPC, "No space left on device")


def _failed(sentence: str, code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError(sentence)
    error.sqlite_errorcode = code
    return error


def lose_power(folder: Path, amount: float, close: Callable[[], None]) -> None:
    """Leave a folder as after a loss of power: what was not flushed to the disk is gone, or torn.

    SQLite flushes the write-ahead log only when it writes it into the database. `close` closes all connections.
    """
    database, log = folder / DATABASE, folder / f"{DATABASE}-wal"
    content, logged = database.read_bytes(), log.read_bytes() if log.exists() else b""
    close()
    for path in (database, log, folder / f"{DATABASE}-shm"):
        path.unlink(missing_ok=True)
    database.write_bytes(content)
    log.write_bytes(logged[: len(logged) - min(len(logged), round(_TAIL_BYTES * amount))])
    book = folder / "rates.book"
    if book.exists() and amount > 0.5:
        book.write_bytes(book.read_bytes()[: round(len(book.read_bytes()) * amount)])
