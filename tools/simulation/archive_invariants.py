"""Invariants of the archive and the quarantine, checked after every delivery that was filed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from tools.simulation.newest_values import NewestValues
from tools.simulation.scripted_source import Word
from tools.simulation.stored_rows import RefusedKey, RefusedRow, Rows, StoredFixing, StoredReceipt
from tools.simulation.violation import require

from cambist.history.fixing import FilingResult

APPEND_ONLY = "the archive is append-only"
ACCEPTED_WORDS = "the archive is equal to the accepted words"
NO_FIXING_TWICE = "no fixing twice"
QUARANTINE_KEPT = "decisions of the quarantine are kept"


class ArchiveInvariants:
    """What the archive must have, from what was delivered: every word is either the newest of its day, or refused.

    `newest` has the newest value of each source, pair and day; `receipts` the numbers of the receipts, and `received`
    the times of those of each source.
    After so many deliveries as `older_every` says, all older rows are compared too, not only what is new.
    """

    def __init__(self, rows: Rows, older_every: int = 1) -> None:
        self._rows = rows
        self._older_every = older_every
        self._fixings: list[StoredFixing] = []
        self._receipts: list[StoredReceipt] = []
        self._refused: dict[int, RefusedRow] = {}
        self._refused_rows: list[RefusedRow] = []
        self._decisions: list[tuple[int, str]] = []
        self._stored: set[RefusedKey] = set()
        self._refused_keys: defaultdict[str, set[RefusedKey]] = defaultdict(set)
        self.newest = NewestValues()
        self.receipts: set[int] = set()
        self.received: dict[str, set[datetime]] = {}

    def reset(self, rows: Rows) -> None:
        """Begin again with what a database has after its machine lost power."""
        self._rows = rows
        fixings, receipts = rows.fixings(), rows.receipts()
        require(receipts == self._receipts[: len(receipts)], APPEND_ONLY, "a loss of power changed receipts")
        require(fixings == self._fixings[: len(fixings)], APPEND_ONLY, "a loss of power changed fixings")
        self._refused_rows = list(rows.quarantine())
        refused = {row.number: row for row in self._refused_rows}
        require(refused.keys() <= self._refused.keys(), QUARANTINE_KEPT, "a loss of power added refused fixings")
        self._fixings, self._receipts, self._refused = list(fixings), list(receipts), refused
        self._decisions = list(rows.decisions())
        self._stored = {(*row.place, row.nominal, row.value) for row in fixings}
        self._note_refused()
        self.newest, self.receipts, self.received = NewestValues(fixings), set(), {}
        for each in receipts:
            self._note_received(each)

    def _note_received(self, receipt: StoredReceipt) -> None:
        self.receipts.add(receipt.number)
        at = datetime.fromisoformat(receipt.received_at).replace(tzinfo=UTC)
        self.received.setdefault(receipt.source, set()).add(at)

    def _note_refused(self) -> None:
        self._refused_keys = defaultdict(set)
        for row in self._refused.values():
            self._refused_keys[row.state].add(row.key)

    def check_unchanged(self) -> None:
        """Check that everything is still as it was, and nothing is new."""
        fixings, receipts = self._rows.fixings(), self._rows.receipts()
        require(receipts == self._receipts, APPEND_ONLY, "receipts were changed, removed, or added by nobody")
        require(fixings == self._fixings, APPEND_ONLY, "fixings were changed, removed, or added by nobody")
        self._check_refused()

    def has_filed(self) -> bool:
        """Return whether there is a receipt that was not seen before."""
        return bool(self._rows.receipts(self._last_receipt))

    @property
    def _last_receipt(self) -> int:
        return self._receipts[-1].number if self._receipts else 0

    def check_filed(self, source: str, words: Sequence[Word], result: FilingResult | None) -> list[StoredFixing]:
        """Check what the filing of a delivery has changed; return the new rows.

        `result` is None if the node was killed before it had one.
        """
        receipts = self._rows.receipts(self._last_receipt)
        require(len(receipts) == 1, ACCEPTED_WORDS, f"a delivery of {source} has {len(receipts)} receipts")
        receipt = receipts[0]
        added = self._rows.fixings(self._last_receipt)
        if receipt.number % self._older_every == 0:
            self._check_older(source, receipt, added)
        self._stored |= {(*row.place, row.nominal, row.value) for row in added}
        self._check_refused()
        self._check_rows(source, words, added, receipt.number)
        counted = receipt.added, receipt.corrected
        require(len(added) == sum(counted), ACCEPTED_WORDS, f"{source}: the receipt says {counted}, not {len(added)}")
        is_told = result is None or counted == (result.added, result.corrected)
        require(is_told, ACCEPTED_WORDS, f"{source}: the receipt says {counted}, but {result}")
        self._fixings += added
        self._receipts.append(receipt)
        self._note_received(receipt)
        return added

    def _check_older(self, source: str, receipt: StoredReceipt, added: Sequence[StoredFixing]) -> None:
        """Check that a delivery has changed no other receipt and no older row."""
        is_kept = [*self._rows.receipts()] == [*self._receipts, receipt]
        require(is_kept, APPEND_ONLY, f"a delivery of {source} changed other receipts")
        is_kept = [*self._rows.fixings()] == [*self._fixings, *added]
        require(is_kept, APPEND_ONLY, f"a delivery of {source} changed older rows")

    def _check_rows(self, source: str, words: Sequence[Word], added: Sequence[StoredFixing], number: int) -> None:
        said = {word.place: word.value for word in words}
        rejected = self._refused_keys["rejected"]
        for row in added:
            value = row.nominal, row.value
            require((*row.place, *value) not in rejected, QUARANTINE_KEPT, f"{row} was rejected, but is stored")
            require(row.receipt == number, ACCEPTED_WORDS, f"{row} is not of receipt {number}")
            require(said.get(row.place) == value, ACCEPTED_WORDS, f"{row} is not what {source} said")
            require(self.newest.get(row.place) != value, NO_FIXING_TWICE, f"{row} was stored already")
            self.newest.put(row.place, value)
        self.check_kept(words)

    def check_kept(self, words: Sequence[Word]) -> None:
        """Check that each word is the newest of its day, or waits in quarantine, or was rejected."""
        waiting, rejected = self._refused_keys["waiting"], self._refused_keys["rejected"]
        for word in words:
            if self.newest.get(word.place) != word.value:
                key = (*word.place, *word.value)
                is_refused = key in waiting or key in rejected
                require(is_refused, ACCEPTED_WORDS, f"{word.place} {word.value} is neither stored nor refused")

    def _check_refused(self) -> None:
        rows, decisions = self._rows.quarantine(), self._rows.decisions()
        if decisions == self._decisions and rows == self._refused_rows:
            return
        refused = {row.number: row for row in rows}
        require(decisions[: len(self._decisions)] == self._decisions, QUARANTINE_KEPT, "decisions were changed")
        _check_kept(self._refused, refused)
        last = dict(decisions)
        for number, row in refused.items():
            require(last.get(number, "waiting") == row.state, QUARANTINE_KEPT, f"{row} was decided otherwise")
            stored = row.state != "released" or self._is_stored(row)
            require(stored, QUARANTINE_KEPT, f"{row} was released, but not stored")
        self._refused, self._refused_rows, self._decisions = refused, list(rows), list(decisions)
        self._note_refused()

    def _is_stored(self, row: RefusedRow) -> bool:
        return row.key in self._stored

    def refused(self) -> Sequence[RefusedRow]:
        """Return the refused fixings as they were seen last."""
        return list(self._refused.values())


def _check_kept(before: Mapping[int, RefusedRow], now: Mapping[int, RefusedRow]) -> None:
    for number, row in before.items():
        kept = now.get(number)
        require(kept is not None and kept.key == row.key, QUARANTINE_KEPT, f"{row} is gone")
        is_final = row.state != "waiting"
        require(not is_final or kept == row, QUARANTINE_KEPT, f"{row} is {kept} now")
