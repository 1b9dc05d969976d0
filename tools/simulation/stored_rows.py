"""What a database has, read beside the code under test, over a connection of its own."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import NamedTuple, Protocol

RefusedKey = tuple[str, str, str, str, int, str]


class StoredFixing(NamedTuple):
    """A row of the archive, as texts and numbers."""

    receipt: int
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


class StoredReceipt(NamedTuple):
    """A receipt of a delivery."""

    number: int
    source: str
    received_at: str
    origin: str
    digest: str
    added: int
    corrected: int


class RefusedRow(NamedTuple):
    """A row of the quarantine."""

    number: int
    source: str
    base: str
    quote: str
    day: str
    nominal: int
    value: str
    state: str

    @property
    def key(self) -> RefusedKey:
        """What was refused."""
        return self.source, self.base, self.quote, self.day, self.nominal, self.value


class Rows(Protocol):
    """What a node has stored, read beside the code under test."""

    def fixings(self, after: int = 0) -> list[StoredFixing]:
        """Return the rows of receipts after a number, in the order of receipts."""

    def receipts(self, after: int = 0) -> list[StoredReceipt]:
        """Return the receipts after a number."""

    def quarantine(self) -> list[RefusedRow]:
        """Return all refused fixings."""

    def decisions(self) -> list[tuple[int, str]]:
        """Return all decisions about refused fixings, in their order: the number of the fixing, and its state."""

    def editions(self) -> list[tuple[str, int]]:
        """Return the name and the receipt of each edition, in the order of recording."""

    def close(self) -> None:
        """Close what is open."""


class StoredRows:
    """Reads a SQLite file. While it is open, the write-ahead log stays as it is."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("SELECT 1 FROM sqlite_master").fetchall()

    def fixings(self, after: int = 0) -> list[StoredFixing]:
        """Return the rows of receipts after a number, in the order of receipts."""
        rows = self._connection.execute(
            "SELECT receipt_id, source, base, quote, day, nominal, value FROM fixings "
            "JOIN series ON series.id = series_id WHERE receipt_id > ? ORDER BY 1, 2, 3, 4, 5",
            (after,),
        )
        return [StoredFixing(*row) for row in rows]

    def receipts(self, after: int = 0) -> list[StoredReceipt]:
        """Return the receipts after a number."""
        rows = self._connection.execute(
            "SELECT id, source, received_at, origin, digest, added, corrected FROM receipts WHERE id > ? ORDER BY id",
            (after,),
        )
        return [StoredReceipt(*row) for row in rows]

    def quarantine(self) -> list[RefusedRow]:
        """Return all refused fixings."""
        rows = self._connection.execute(
            "SELECT id, source, base, quote, day, nominal, value, state FROM quarantine ORDER BY id"
        )
        return [RefusedRow(*row) for row in rows]

    def decisions(self) -> list[tuple[int, str]]:
        """Return all decisions about refused fixings, in their order: the number of the fixing, and its state."""
        rows = self._connection.execute("SELECT quarantine_id, state FROM quarantine_decisions ORDER BY id")
        return [(int(number), str(state)) for number, state in rows]

    def editions(self) -> list[tuple[str, int]]:
        """Return the name and the receipt of each edition, in the order of recording."""
        return [(str(name), int(number)) for name, number in self._connection.execute(
            "SELECT name, receipt FROM editions ORDER BY id"
        )]  # fmt: skip

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
