"""A store in memory for an ingest process and its operator, and its rows as the invariants read them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from datetime import datetime
from operator import attrgetter

from tools.simulation.memory_archive import MemoryArchive
from tools.simulation.memory_transaction import Before, transaction
from tools.simulation.memory_verdicts import MemoryVerdicts
from tools.simulation.stored_rows import StoredDelivery, StoredFixing, StoredVerdict

from cambist.history.edition import RecordedEdition, parse_edition_name
from cambist.history.rate_matrix import RateMatrix
from cambist.history.rule_set import RuleSet
from cambist.history.verdict_log import Decision, Judged


class MemoryEditions:
    """The editions of rate matrices, with what building one needs."""

    def __init__(self, before: Before, now: Callable[[], datetime]) -> None:
        self._before = before
        self._now = now
        self.recorded: list[RecordedEdition] = []

    def record(
        self, matrix: RateMatrix, rules: RuleSet, tables: dict[str, bytes], judged: Judged | None = None
    ) -> RecordedEdition:
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
                    len(self.recorded) + 1, matrix.edition, name.delivery, name.rules, matrix.digest, self._now(), (),
                    None if judged is None else judged.last, None if judged is None else judged.decision,
                )
            )  # fmt: skip
        return self.recorded[-1]

    def find(self, name: str) -> RecordedEdition | None:
        """Return an edition by its name."""
        return next((each for each in self.recorded if each.name == name), None)

    def after(self, number: int, limit: int) -> list[RecordedEdition]:
        """Return the editions after a number."""
        return self.recorded[number : number + limit]


class MemoryStore:
    """What an ingest process and an operator open. It lives on when a node ends. Not for several nodes."""

    def __init__(self, before: Before, now: Callable[[], datetime]) -> None:
        self.archive = MemoryArchive(before)
        self.verdicts = MemoryVerdicts(before)
        self.editions = MemoryEditions(before, now)

    def close(self) -> None:
        """Do nothing: there are no connections."""


class MemoryRows:
    """What a store in memory has, as `StoredRows` reads it from a database."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def fixings(self, after: int = 0) -> list[StoredFixing]:
        """Return the rows of deliveries after a number, in the order of deliveries."""
        rows = self._store.archive.fixing_rows
        return rows[bisect_right(rows, after, key=attrgetter("delivery")) :] if after else list(rows)

    def deliveries(self, after: int = 0) -> list[StoredDelivery]:
        """Return the deliveries after a number."""
        return self._store.archive.delivery_rows[after:]

    def verdicts(self, after: int = 0) -> list[StoredVerdict]:
        """Return the rows of the log of verdicts after a number."""
        return self._store.verdicts.rows[after:]

    def decisions(self) -> list[Decision]:
        """Return all decisions of the operator, oldest first."""
        return self._store.verdicts.decisions()

    def editions(self) -> list[tuple[str, int]]:
        """Return the name and the delivery of each edition, in the order of recording."""
        return [(each.name, each.delivery) for each in self._store.editions.recorded]

    def close(self) -> None:
        """Do nothing: there are no connections."""
