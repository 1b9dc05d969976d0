"""A quarantine in memory, beside the archive in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from tools.simulation.memory_transaction import Before, transaction
from tools.simulation.stored_rows import RefusedRow

from cambist.history.fixing import Fixing, Receipt, RefusedFixing
from cambist.history.quarantine import FixingKey, QuarantineDecision, QuarantinedFixing, QuarantineState


class MemoryQuarantine:
    """The `Quarantine` protocol in memory. `decided_states` has the number and the state of each decision."""

    def __init__(self, before: Before) -> None:
        self._before = before
        self._all: list[QuarantinedFixing] = []
        self._rows: list[RefusedRow] = []
        self.decided_states: list[tuple[int, str]] = []
        self._decisions: list[QuarantineDecision] = []
        self._of_source: dict[str, dict[FixingKey, int]] = {}
        self._waiting: dict[str, set[int]] = {}

    def quarantined(self, state: QuarantineState | None = QuarantineState.WAITING) -> Sequence[QuarantinedFixing]:
        """Return quarantined fixings, oldest first."""
        return [each for each in self._all if state is None or each.state is state]

    def decisions(self, source: str) -> Mapping[FixingKey, QuarantineState]:
        """Return the state of each refused fixing of a source."""
        return {key: self._all[number - 1].state for key, number in self._of_source.get(source, {}).items()}

    def count_waiting(self, source: str) -> int:
        """Return how many fixings of a source wait."""
        return len(self._waiting.get(source, ()))

    def decide(self, number: int, state: QuarantineState, at: datetime) -> QuarantinedFixing | None:
        """Accept or reject a fixing that waits."""
        with transaction(self._before):
            return self._decide(number, state, at)

    def accept(self, number: int, at: datetime) -> QuarantinedFixing | None:
        """Accept a fixing that waits, or one that was accepted before."""
        accepted = self._decide(number, QuarantineState.ACCEPTED, at)
        if accepted is None and 0 < number <= len(self._all):
            before = self._all[number - 1]
            return before if before.state is QuarantineState.ACCEPTED else None
        return accepted

    def decided(self, after: int = 0) -> Sequence[QuarantineDecision]:
        """Return all decisions after a number, oldest first."""
        return self._decisions[after:]

    def add(self, receipt: Receipt, refused: Iterable[RefusedFixing]) -> int:
        """Add refused fixings, each once, and return how many were new."""
        count = len(self._all)
        for refusal in refused:
            fixing = refusal.fixing
            known = self._of_source.setdefault(fixing.source, {})
            if FixingKey.of(fixing) not in known:
                number = known[FixingKey.of(fixing)] = len(self._all) + 1
                self._waiting.setdefault(fixing.source, set()).add(number)
                self._all.append(
                    QuarantinedFixing(
                        number, fixing, refusal.reason, receipt.received_at, receipt.origin, QuarantineState.WAITING,
                        None,
                    )
                )  # fmt: skip
                self._rows.append(_row(self._all[-1]))
        return len(self._all) - count

    def release(self, receipt: Receipt, delivered: Iterable[Fixing]) -> None:
        """Release fixings that waited and were delivered again and accepted."""
        if not self._waiting.get(receipt.source):
            return
        known = self._of_source[receipt.source]
        for one in delivered:
            number = known.get(FixingKey.of(one))
            if number in self._waiting[receipt.source] and number is not None:
                self._decide(number, QuarantineState.RELEASED, receipt.received_at)

    def _decide(self, number: int, state: QuarantineState, at: datetime) -> QuarantinedFixing | None:
        if not 0 < number <= len(self._all) or self._all[number - 1].state is not QuarantineState.WAITING:
            return None
        decided = self._all[number - 1] = replace(self._all[number - 1], state=state, decided_at=at)
        self._rows[number - 1] = _row(decided)
        self._waiting[decided.fixing.source].discard(number)
        self._decisions.append(QuarantineDecision(len(self._decisions) + 1, number, state, at))
        self.decided_states.append((number, state.value))
        return decided

    def rows(self) -> list[RefusedRow]:
        """Return all refused fixings as rows."""
        return list(self._rows)


def _row(refused: QuarantinedFixing) -> RefusedRow:
    one = refused.fixing
    return RefusedRow(
        refused.number, one.source, one.pair.base, one.pair.quote, one.day.isoformat(), one.nominal, str(one.value),
        refused.state.value,
    )  # fmt: skip
