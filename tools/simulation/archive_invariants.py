"""Invariants of the archive, the log of verdicts and decisions, checked after every delivery that was filed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from tools.simulation.newest_values import NewestValues
from tools.simulation.scripted_source import ScriptedFixing
from tools.simulation.stored_rows import Rows, StoredDelivery, StoredFixing, StoredVerdict
from tools.simulation.violation import require

from cambist.history.fixing import FilingResult
from cambist.history.verdict_log import Decision

APPEND_ONLY = "the archive is append-only"
ACCEPTED = "the archive is equal to what was said"
NO_FIXING_TWICE = "no fixing twice"
LOG_KEPT = "the log of verdicts is append-only"


class ArchiveInvariants:
    """What the archive must have, from what was delivered: every fixing is the newest of its day.

    `newest` has the newest value of each source, pair and day; `deliveries` the numbers of deliveries, and `received`
    the times of those of each source.
    After so many deliveries as `older_every` says, all older rows are compared too, not only what is new.
    """

    def __init__(self, rows: Rows, older_every: int = 1) -> None:
        self._rows = rows
        self._older_every = older_every
        self._fixings: list[StoredFixing] = []
        self._deliveries: list[StoredDelivery] = []
        self._verdicts: list[StoredVerdict] = []
        self._decisions: list[Decision] = []
        self.newest = NewestValues()
        self.deliveries: set[int] = set()
        self.received: dict[str, set[datetime]] = {}

    def reset(self, rows: Rows) -> None:
        """Begin again with what a database has after its machine lost power."""
        self._rows = rows
        fixings, deliveries = rows.fixings(), rows.deliveries()
        require(deliveries == self._deliveries[: len(deliveries)], APPEND_ONLY, "a loss of power changed deliveries")
        require(fixings == self._fixings[: len(fixings)], APPEND_ONLY, "a loss of power changed fixings")
        verdicts, decisions = rows.verdicts(), rows.decisions()
        require(verdicts == self._verdicts[: len(verdicts)], LOG_KEPT, "a loss of power changed verdicts")
        self._fixings, self._deliveries = list(fixings), list(deliveries)
        self._verdicts, self._decisions = verdicts, decisions
        self.newest, self.deliveries, self.received = NewestValues(fixings), set(), {}
        for each in deliveries:
            self._note_received(each)

    def _note_received(self, delivery: StoredDelivery) -> None:
        self.deliveries.add(delivery.number)
        at = datetime.fromisoformat(delivery.received_at).replace(tzinfo=UTC)
        self.received.setdefault(delivery.source, set()).add(at)

    def check_unchanged(self) -> None:
        """Check that everything is still as it was, and nothing is new."""
        fixings, deliveries = self._rows.fixings(), self._rows.deliveries()
        require(deliveries == self._deliveries, APPEND_ONLY, "deliveries were changed, removed, or added by nobody")
        require(fixings == self._fixings, APPEND_ONLY, "fixings were changed, removed, or added by nobody")
        self.check_log()

    def has_filed(self) -> bool:
        """Return whether there is a delivery that was not seen before."""
        return bool(self._rows.deliveries(self._last_delivery))

    @property
    def _last_delivery(self) -> int:
        return self._deliveries[-1].number if self._deliveries else 0

    def check_filed(
        self, source: str, fixings: Sequence[ScriptedFixing], result: FilingResult | None
    ) -> list[StoredFixing]:
        """Check what the filing of a delivery has changed; return the new rows.

        `result` is None if the node was killed before it had one.
        """
        deliveries = self._rows.deliveries(self._last_delivery)
        require(len(deliveries) == 1, ACCEPTED, f"a delivery of {source} has {len(deliveries)} deliveries")
        delivery = deliveries[0]
        added = self._rows.fixings(self._last_delivery)
        if delivery.number % self._older_every == 0:
            self._check_older(source, delivery, added)
        self.check_log()
        self._check_rows(source, fixings, added, delivery.number)
        counted = delivery.added, delivery.corrected
        require(len(added) == sum(counted), ACCEPTED, f"{source}: the delivery says {counted}, not {len(added)}")
        is_told = result is None or counted == (result.added, result.corrected)
        require(is_told, ACCEPTED, f"{source}: the delivery says {counted}, but {result}")
        self._fixings += added
        self._deliveries.append(delivery)
        self._note_received(delivery)
        return added

    def _check_older(self, source: str, delivery: StoredDelivery, added: Sequence[StoredFixing]) -> None:
        """Check that a delivery has changed no other delivery and no older row."""
        is_kept = [*self._rows.deliveries()] == [*self._deliveries, delivery]
        require(is_kept, APPEND_ONLY, f"a delivery of {source} changed other deliveries")
        is_kept = [*self._rows.fixings()] == [*self._fixings, *added]
        require(is_kept, APPEND_ONLY, f"a delivery of {source} changed older rows")

    def _check_rows(
        self, source: str, fixings: Sequence[ScriptedFixing], added: Sequence[StoredFixing], number: int
    ) -> None:
        said = {scripted.place: scripted.value for scripted in fixings}
        for row in added:
            value = row.nominal, row.value
            require(row.delivery == number, ACCEPTED, f"{row} is not of delivery {number}")
            require(said.get(row.place) == value, ACCEPTED, f"{row} is not what {source} said")
            require(self.newest.get(row.place) != value, NO_FIXING_TWICE, f"{row} was stored already")
            self.newest.put(row.place, value)
        self.check_kept(fixings)

    def check_kept(self, fixings: Sequence[ScriptedFixing]) -> None:
        """Check that each fixing is the newest of its day."""
        for scripted in fixings:
            is_stored = self.newest.get(scripted.place) == scripted.value
            require(is_stored, ACCEPTED, f"{scripted.place} {scripted.value} is not stored")

    def check_log(self) -> None:
        """Check that verdicts and decisions were only added."""
        verdicts, decisions = self._rows.verdicts(), self._rows.decisions()
        require(verdicts[: len(self._verdicts)] == self._verdicts, LOG_KEPT, "verdicts were changed or removed")
        require(decisions[: len(self._decisions)] == self._decisions, LOG_KEPT, "decisions were changed or removed")
        self._verdicts, self._decisions = verdicts, decisions
