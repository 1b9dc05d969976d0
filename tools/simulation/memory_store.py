"""A store in memory for an ingest process and its operator, and its rows as the invariants read them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import datetime
from operator import attrgetter

from msgspec import structs
from tools.simulation.memory_archive import MemoryArchive
from tools.simulation.memory_transaction import Before, transaction
from tools.simulation.stored_rows import StoredFixing, StoredReceipt, StoredVerdict

from cambist.history.code_rates import PREFERRED
from cambist.history.edition import RecordedEdition, parse_edition_name
from cambist.history.rate_matrix import RateMatrix
from cambist.history.rule_set import RuleSet
from cambist.history.verdict_log import EVERYTHING, Decision, Judged, LoggedChange, VerdictBounds, VerdictChange


class MemoryEditions:
    """The editions of rate matrices, with what building one needs."""

    def __init__(self, before: Before, now: Callable[[], datetime]) -> None:
        self._before = before
        self._now = now
        self.recorded: list[RecordedEdition] = []

    def record(
        self, matrix: RateMatrix, rules: RuleSet, tables: dict[str, bytes], last_verdict: int | None = None
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
                    len(self.recorded) + 1, matrix.edition, name.receipt, name.rules, matrix.digest, self._now(), (),
                    last_verdict,
                )
            )  # fmt: skip
        return self.recorded[-1]

    def find(self, name: str) -> RecordedEdition | None:
        """Return an edition by its name."""
        return next((each for each in reversed(self.recorded) if each.name == name), None)


class MemoryVerdicts:
    """The log of verdicts, and the decisions of the operator."""

    def __init__(self, before: Before) -> None:
        self._before = before
        self._judged: dict[str, Judged] = {}
        self.rows: list[StoredVerdict] = []
        self.decided: list[Decision] = []

    def judged(self, rules: str) -> Judged | None:
        """Return how far the fixings are judged."""
        return self._judged.get(rules)

    def append(self, rules: str, changes: Sequence[VerdictChange], now: Judged) -> Judged | None:
        """Add changes if nobody else has."""
        known = self._judged.get(rules, Judged(0, 0))
        if known.last != now.last or known.receipt > now.receipt or known.decision > now.decision:
            return None
        with transaction(self._before):
            for each in changes:
                self.rows.append((len(self.rows) + 1, rules, each.code, each.day, each.outcome, now.receipt))
            self._judged[rules] = Judged(now.receipt, len(self.rows) if changes else known.last, now.decision)
        return self._judged[rules]

    def outcomes(self, rules: str, bounds: VerdictBounds = EVERYTHING) -> dict[str, dict[int, str]]:
        """Return the newest outcomes."""
        del bounds  # nobody asks for earlier ones in a simulation
        found: dict[str, dict[int, str]] = {}
        for _, of, code, day, outcome, _ in self.rows:
            if of == rules:
                days = found.setdefault(code, {})
                days.pop(day, None)
                if outcome != PREFERRED:
                    days[day] = outcome
        return found

    def changes(self, rules: str, after: int, up_to: int, limit: int) -> list[LoggedChange]:
        """Return changes, oldest first."""
        rows = [row for row in self.rows[after:up_to] if row[1] == rules]
        return [LoggedChange(row[0], row[5], VerdictChange(row[2], row[3], row[4])) for row in rows[:limit]]

    def decisions(self) -> list[Decision]:
        """Return all decisions, oldest first."""
        return list(self.decided)

    def decide(self, decision: Decision) -> Decision:
        """Add a decision."""
        with transaction(self._before):
            self.decided.append(structs.replace(decision, number=len(self.decided) + 1))
        return self.decided[-1]


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
        """Return the rows of receipts after a number, in the order of receipts."""
        rows = self._store.archive.fixing_rows
        return rows[bisect_right(rows, after, key=attrgetter("receipt")) :] if after else list(rows)

    def receipts(self, after: int = 0) -> list[StoredReceipt]:
        """Return the receipts after a number."""
        return self._store.archive.receipt_rows[after:]

    def verdicts(self) -> list[StoredVerdict]:
        """Return the log of verdicts."""
        return list(self._store.verdicts.rows)

    def decisions(self) -> list[Decision]:
        """Return all decisions of the operator, oldest first."""
        return self._store.verdicts.decisions()

    def editions(self) -> list[tuple[str, int]]:
        """Return the name and the receipt of each edition, in the order of recording."""
        return [(each.name, each.receipt) for each in self._store.editions.recorded]

    def close(self) -> None:
        """Do nothing: there are no connections."""
