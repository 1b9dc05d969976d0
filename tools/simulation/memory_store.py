"""A store in memory for an ingest process and its operator, and its rows as the invariants read them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from datetime import datetime
from operator import attrgetter

from tools.simulation.memory_archive import MemoryArchive
from tools.simulation.memory_quarantine import MemoryQuarantine
from tools.simulation.memory_transaction import Before, transaction
from tools.simulation.stored_rows import RefusedRow, StoredFixing, StoredReceipt

from cambist.history.edition import RecordedEdition, parse_edition_name
from cambist.history.rate_matrix import RateMatrix
from cambist.history.rule_set import RuleSet


class MemoryEditions:
    """The editions of rate matrices, with what building one needs."""

    def __init__(self, before: Before, now: Callable[[], datetime]) -> None:
        self._before = before
        self._now = now
        self.recorded: list[RecordedEdition] = []

    def record(self, matrix: RateMatrix, rules: RuleSet, tables: dict[str, bytes]) -> RecordedEdition:
        """Record the edition of a rate matrix, unless it is the newest."""
        del rules, tables  # nobody reads them in a simulation
        if self.recorded and self.recorded[-1].name == matrix.edition:
            return self.recorded[-1]
        name = parse_edition_name(matrix.edition)
        if name is None:
            raise ValueError(f"A rate matrix has no edition: [{matrix.edition}]")
        with transaction(self._before):
            self.recorded.append(
                RecordedEdition(
                    len(self.recorded) + 1, matrix.edition, name.receipt, name.rules, matrix.digest, self._now()
                )
            )
        return self.recorded[-1]

    def find(self, name: str) -> RecordedEdition | None:
        """Return an edition by its name."""
        return next((each for each in reversed(self.recorded) if each.name == name), None)


class MemoryStore:
    """What an ingest process and an operator open. It lives on when a node ends. Not for several nodes."""

    def __init__(self, before: Before, now: Callable[[], datetime]) -> None:
        self.quarantine = MemoryQuarantine(before)
        self.archive = MemoryArchive(before, self.quarantine)
        self.editions = MemoryEditions(before, now)

    def close(self) -> None:
        """Do nothing: there are no connections."""


class MemoryRows:
    """What a store in memory has, as `StoredRows` reads it from a database."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def fixings(self, after: int = 0) -> list[StoredFixing]:
        """Return the rows of receipts after a number, in the order of receipts."""
        rows = self._store.archive.fixing_rows
        return rows[bisect_right(rows, after, key=attrgetter("receipt")) :] if after else list(rows)

    def receipts(self, after: int = 0) -> list[StoredReceipt]:
        """Return the receipts after a number."""
        return self._store.archive.receipt_rows[after:]

    def quarantine(self) -> list[RefusedRow]:
        """Return all refused fixings."""
        return self._store.quarantine.rows()

    def decisions(self) -> list[tuple[int, str]]:
        """Return all decisions about refused fixings, in their order: the number of the fixing, and its state."""
        return list(self._store.quarantine.decided_states)

    def editions(self) -> list[tuple[str, int]]:
        """Return the name and the receipt of each edition, in the order of recording."""
        return [(each.name, each.receipt) for each in self._store.editions.recorded]

    def close(self) -> None:
        """Do nothing: there are no connections."""
