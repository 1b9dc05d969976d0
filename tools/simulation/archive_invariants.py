"""Invariants of the archive and the quarantine, checked after every delivery that was filed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from tools.simulation.scripted_source import Word
from tools.simulation.stored_rows import RefusedRow, StoredFixing, StoredReceipt, StoredRows
from tools.simulation.violation import require

from cambist.history.fixing import FilingResult

Place = tuple[str, str, str, str]
SettledValue = tuple[int, str]

APPEND_ONLY = "the archive is append-only"
ACCEPTED_WORDS = "the archive is equal to the accepted words"
NO_FIXING_TWICE = "no fixing twice"
QUARANTINE_KEPT = "decisions of the quarantine are kept"


class ArchiveInvariants:
    """What the archive must have, from what was delivered: every word is either the newest of its day, or refused.

    `newest` has the newest value of each source, pair and day; `words` what was said with which value.
    """

    def __init__(self, rows: StoredRows) -> None:
        self._rows = rows
        self._fixings: list[StoredFixing] = []
        self._receipts: list[StoredReceipt] = []
        self._refused: dict[int, RefusedRow] = {}
        self._decisions: list[tuple[int, str]] = []
        self._stored: set[tuple[str, str, str, str, int, str]] = set()
        self.newest: dict[Place, SettledValue] = {}

    @property
    def received(self) -> dict[str, set[datetime]]:
        """The times of the receipts of each source."""
        found: dict[str, set[datetime]] = {}
        for each in self._receipts:
            found.setdefault(each.source, set()).add(datetime.fromisoformat(each.received_at).replace(tzinfo=UTC))
        return found

    @property
    def receipts(self) -> int:
        """How many receipts there are."""
        return len(self._receipts)

    def reset(self, rows: StoredRows) -> None:
        """Begin again with what a database has after its machine lost power."""
        self._rows = rows
        fixings, receipts = rows.fixings(), rows.receipts()
        require(receipts == self._receipts[: len(receipts)], APPEND_ONLY, "a loss of power changed receipts")
        require(fixings == self._fixings[: len(fixings)], APPEND_ONLY, "a loss of power changed fixings")
        refused = {row.number: row for row in rows.quarantine()}
        require(refused.keys() <= self._refused.keys(), QUARANTINE_KEPT, "a loss of power added refused fixings")
        self._fixings, self._receipts, self._refused = fixings, receipts, refused
        self._decisions = rows.decisions()
        self._stored = {(*row.place, row.nominal, row.value) for row in fixings}
        self.newest = {row.place: (row.nominal, row.value) for row in fixings}

    def check_unchanged(self) -> None:
        """Check that everything is still as it was, and nothing is new."""
        fixings, receipts = self._rows.fixings(), self._rows.receipts()
        require(receipts == self._receipts, APPEND_ONLY, "receipts were changed, removed, or added by nobody")
        require(fixings == self._fixings, APPEND_ONLY, "fixings were changed, removed, or added by nobody")
        self._check_refused()

    def has_filed(self) -> bool:
        """Return whether there is a receipt that was not seen before."""
        return len(self._rows.receipts()) > len(self._receipts)

    def check_filed(self, source: str, words: Sequence[Word], result: FilingResult | None) -> list[StoredFixing]:
        """Check what the filing of a delivery has changed; return the new rows.

        `result` is None if the node was killed before it had one.
        """
        fixings, receipts = self._rows.fixings(), self._rows.receipts()
        require(receipts[:-1] == self._receipts, APPEND_ONLY, f"a delivery of {source} changed other receipts")
        require(len(receipts) == len(self._receipts) + 1, ACCEPTED_WORDS, f"a delivery of {source} has no receipt")
        number = receipts[-1].number
        require(
            fixings[: len(self._fixings)] == self._fixings, APPEND_ONLY, f"a delivery of {source} changed older rows"
        )
        added = fixings[len(self._fixings) :]
        self._stored |= {(*row.place, row.nominal, row.value) for row in added}
        self._check_refused()
        self._check_rows(source, words, added, number)
        counted = receipts[-1].added, receipts[-1].corrected
        require(len(added) == sum(counted), ACCEPTED_WORDS, f"{source}: the receipt says {counted}, not {len(added)}")
        is_told = result is None or counted == (result.added, result.corrected)
        require(is_told, ACCEPTED_WORDS, f"{source}: the receipt says {counted}, but {result}")
        self._fixings, self._receipts = fixings, receipts
        return added

    def _check_rows(self, source: str, words: Sequence[Word], added: Sequence[StoredFixing], number: int) -> None:
        said = {_place(word): (word.fixing.nominal, str(word.fixing.value)) for word in words}
        rejected = {row.key for row in self._refused.values() if row.state == "rejected"}
        for row in added:
            value = row.nominal, row.value
            require((*row.place, *value) not in rejected, QUARANTINE_KEPT, f"{row} was rejected, but is stored")
            require(row.receipt == number, ACCEPTED_WORDS, f"{row} is not of receipt {number}")
            require(said.get(row.place) == value, ACCEPTED_WORDS, f"{row} is not what {source} said")
            require(self.newest.get(row.place) != value, NO_FIXING_TWICE, f"{row} was stored already")
            self.newest[row.place] = value
        self.check_kept(words)

    def check_kept(self, words: Sequence[Word]) -> None:
        """Check that each word is the newest of its day, or waits in quarantine, or was rejected."""
        refused = {row.key for row in self._refused.values() if row.state in {"waiting", "rejected"}}
        for word in words:
            place, value = _place(word), (word.fixing.nominal, str(word.fixing.value))
            is_stored, is_refused = self.newest.get(place) == value, (*place, *value) in refused
            require(is_stored or is_refused, ACCEPTED_WORDS, f"{place} {value} is neither stored nor refused")

    def _check_refused(self) -> None:
        refused = {row.number: row for row in self._rows.quarantine()}
        decisions = self._rows.decisions()
        require(decisions[: len(self._decisions)] == self._decisions, QUARANTINE_KEPT, "decisions were changed")
        _check_kept(self._refused, refused)
        last = dict(decisions)
        for number, row in refused.items():
            require(last.get(number, "waiting") == row.state, QUARANTINE_KEPT, f"{row} was decided otherwise")
            stored = row.state != "released" or self._is_stored(row)
            require(stored, QUARANTINE_KEPT, f"{row} was released, but not stored")
        self._refused, self._decisions = refused, decisions

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


def _place(word: Word) -> Place:
    one = word.fixing
    return one.source, one.pair.base, one.pair.quote, one.day.isoformat()
