"""What a database has, read beside the code under test, over a connection of its own."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple, Protocol

from cambist.history.verdict_log import Decision


class StoredFixing(NamedTuple):
    """A row of the archive, as texts and numbers."""

    delivery: int
    source: str
    base: str
    quote: str
    day: str
    nominal: int
    value: str

    @property
    def place(self) -> tuple[str, str, str, str]:
        """What the row is about: the source, the pair and the day."""
        return self.source, self.base, self.quote, self.day


class StoredDelivery(NamedTuple):
    """A delivery that was filed."""

    number: int
    source: str
    received_at: str
    origin: str
    digest: str
    added: int
    corrected: int


class StoredVerdict(NamedTuple):
    """A row of the log of verdicts; `delivery` is the last delivery that was known."""

    number: int
    rules: str
    code: str
    day: int
    outcome: str
    delivery: int


class Rows(Protocol):
    """What a node has stored, read beside the code under test."""

    def fixings(self, after: int = 0) -> list[StoredFixing]:
        """Return the rows of deliveries after a number, in the order of deliveries."""

    def deliveries(self, after: int = 0) -> list[StoredDelivery]:
        """Return the deliveries after a number."""

    def verdicts(self, after: int = 0) -> list[StoredVerdict]:
        """Return the rows of the log of verdicts after a number."""

    def decisions(self) -> list[Decision]:
        """Return all decisions of the operator, oldest first."""

    def editions(self) -> list[tuple[str, int]]:
        """Return the name and the delivery of each edition, in the order of recording."""

    def close(self) -> None:
        """Close what is open."""


class StoredRows:
    """Reads a SQLite file. While it is open, the write-ahead log stays as it is."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("SELECT 1 FROM sqlite_master").fetchall()

    def fixings(self, after: int = 0) -> list[StoredFixing]:
        """Return the rows of deliveries after a number, in the order of deliveries."""
        rows = self._connection.execute(
            "SELECT delivery_id, source, base, quote, day, nominal, value FROM fixings "
            "JOIN series ON series.id = series_id WHERE delivery_id > ? ORDER BY 1, 2, 3, 4, 5",
            (after,),
        )
        return [StoredFixing(*row) for row in rows]

    def deliveries(self, after: int = 0) -> list[StoredDelivery]:
        """Return the deliveries after a number."""
        rows = self._connection.execute(
            "SELECT id, source, received_at, origin, digest, added, corrected FROM deliveries WHERE id > ? ORDER BY id",
            (after,),
        )
        return [StoredDelivery(*row) for row in rows]

    def verdicts(self, after: int = 0) -> list[StoredVerdict]:
        """Return the rows of the log of verdicts after a number."""
        rows = self._connection.execute(
            "SELECT id, rules, code, day, outcome, delivery FROM verdicts WHERE id > ? ORDER BY id", (after,)
        )
        return [StoredVerdict(*row) for row in rows]

    def decisions(self) -> list[Decision]:
        """Return all decisions of the operator, oldest first."""
        rows = self._connection.execute(
            "SELECT id, code, first_day, last_day, level, accepts, reason, made_at, takes_back FROM decisions "
            "ORDER BY id"
        )
        return [
            Decision(row[0], row[1], row[2], row[3], Decimal(row[4]), bool(row[5]), row[6],
                     datetime.fromisoformat(row[7]).replace(tzinfo=UTC), row[8])
            for row in rows
        ]  # fmt: skip

    def editions(self) -> list[tuple[str, int]]:
        """Return the name and the delivery of each edition, in the order of recording."""
        return [(str(name), int(number)) for name, number in self._connection.execute(
            "SELECT name, delivery FROM editions ORDER BY id"
        )]  # fmt: skip

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
