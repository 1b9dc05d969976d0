"""A log of verdicts in memory, beside the archive in memory."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs
from tools.simulation.memory_transaction import Before, transaction
from tools.simulation.stored_rows import StoredVerdict

from cambist.history.code_rates import PREFERRED
from cambist.history.verdict_log import EVERYTHING, Decision, Judged, LoggedChange, VerdictBounds, VerdictChange


class MemoryVerdicts:
    """The `VerdictLog` protocol in memory. `rows` is what a database would have."""

    def __init__(self, before: Before) -> None:
        self._before = before
        self._judged: dict[str, Judged] = {}
        self._decisions: list[Decision] = []
        self.rows: list[StoredVerdict] = []

    def judged(self, rules: str) -> Judged | None:
        """Return how far the fixings are judged."""
        return self._judged.get(rules)

    def append(self, rules: str, changes: Sequence[VerdictChange], now: Judged) -> Judged | None:
        """Add changes if nobody else has."""
        with transaction(self._before):
            known = self._judged.get(rules, Judged(0, 0))
            if known.last != now.last or known.delivery > now.delivery or known.decision > now.decision:
                return None
            for each in changes:
                self.rows.append(
                    StoredVerdict(len(self.rows) + 1, rules, each.code, each.day, each.outcome, now.delivery)
                )
            last = len(self.rows) if changes else known.last
            self._judged[rules] = Judged(now.delivery, last, now.decision)
            return self._judged[rules]

    def outcomes(self, rules: str, bounds: VerdictBounds = EVERYTHING) -> dict[str, dict[int, str]]:
        """Return the newest outcomes."""
        found: dict[str, dict[int, str]] = {}
        for row in self.rows:
            if row.rules == rules and _is_within(row, bounds):
                of_code = found.setdefault(row.code, {})
                if row.outcome == PREFERRED:
                    of_code.pop(row.day, None)
                else:
                    of_code[row.day] = row.outcome
        return found

    def changes(
        self, rules: str, after: int, limit: int, bounds: VerdictBounds = EVERYTHING, *, newest_first: bool = False
    ) -> list[LoggedChange]:
        """Return changes, oldest first, or the newest ones first."""
        found = [
            LoggedChange(row.number, row.delivery, VerdictChange(row.code, row.day, row.outcome))
            for row in self.rows[after:]
            if row.rules == rules and _is_within(row, bounds)
        ]
        return (found[::-1] if newest_first else found)[:limit]

    def decisions(self) -> list[Decision]:
        """Return all decisions, oldest first."""
        return list(self._decisions)

    def decide(self, decision: Decision) -> Decision:
        """Add a decision."""
        with transaction(self._before):
            self._decisions.append(structs.replace(decision, number=len(self._decisions) + 1))
        return self._decisions[-1]


def _is_within(row: StoredVerdict, bounds: VerdictBounds) -> bool:
    is_early = bounds.last is None or row.number <= bounds.last
    is_known = bounds.delivery is None or row.delivery <= bounds.delivery
    is_of_code = bounds.codes is None or row.code in bounds.codes
    return is_early and is_known and is_of_code and (bounds.days is None or bounds.days[0] <= row.day <= bounds.days[1])
