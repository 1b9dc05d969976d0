"""What is checked while a simulated node ingests: after each delivery, each rate matrix and each rate book."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from tools.simulation.archive_invariants import ArchiveInvariants
from tools.simulation.history_invariants import check_editions, check_log, check_order
from tools.simulation.judging_invariants import JudgingInvariants
from tools.simulation.matrix_invariants import MatrixInvariants
from tools.simulation.scripted_source import ScriptedAdapter, ScriptedFixing
from tools.simulation.served_invariants import BookOrder, Expected, check_book, check_edition
from tools.simulation.stored_rows import Rows, StoredFixing
from tools.simulation.trace import Trace
from tools.simulation.truth_invariants import TruthInvariants
from tools.simulation.verdict_invariants import VerdictInvariants
from tools.simulation.violation import require

from cambist.history.code_judgement import day_of
from cambist.history.fixing import FilingResult
from cambist.history.judging import Judging
from cambist.pricing.pair import PIVOT
from cambist.storage import Store
from cambist.storage.shared.rate_book_file import RateBookFile
from cambist.storage.shared.rate_matrix_file import open_rate_matrix

CAUGHT_UP = "nothing that was said is lost"
MATRIX_FILE = "rates.image"
_DAY = timedelta(days=1)


class Thoroughness(NamedTuple):
    """After how many deliveries all rows of the archive are compared, and after how many matrices all their days.

    Verdicts are compared after so many deliveries as `judged_every` says, and with each matrix.
    """

    older_every: int
    whole_every: int
    judged_every: int


THOROUGH = Thoroughness(1, 1, 1)


class IngestChecks:
    """Sees what a node does, and checks the invariants."""

    def __init__(
        self,
        folder: Path,
        rows: Rows,
        adapters: Mapping[str, ScriptedAdapter],
        now: Callable[[], datetime],
        truth: TruthInvariants,
        thoroughness: Thoroughness = THOROUGH,
    ) -> None:
        self.trace = Trace(now)
        self.archive = ArchiveInvariants(rows, thoroughness.older_every)
        self._rows = rows
        self._folder = folder
        self._adapters = adapters
        self._sources = {key: adapter.source for key, adapter in adapters.items()}
        self._now = now
        self._verdicts = VerdictInvariants(self._sources)
        self._codes = {code for one in adapters.values() for code in (*one.scripted.codes, one.source.anchor)} - {PIVOT}
        self._matrices = MatrixInvariants(list(self._sources.values()), self._codes, thoroughness.whole_every)
        self._books = BookOrder()
        self._applied: dict[str, Expected | None] = {}
        self._said: dict[str, list[ScriptedFixing]] = {}
        self._judging = JudgingInvariants(rows, self._matrices.reference.verdicts, truth, thoroughness.judged_every)
        self._judged: list[str] = []
        self.remembered: Callable[[], Judging | None] = lambda: None
        self._in_flight: InFlight | None = None
        self._first_of_day: dict[str, tuple[datetime, list[ScriptedFixing]]] = {}
        self._is_caught_up: dict[str, bool] = {}

    def begins(self, name: str, arguments: tuple[Any, ...]) -> None:
        """Remember the delivery that is being filed."""
        self._judged.clear()
        if name == "file":
            key = arguments[0]
            self._in_flight = InFlight(key, self._said[key])

    def ends(self, name: str, _arguments: tuple[Any, ...], result: Any) -> None:
        """Check what a call of the archive worker has done."""
        if name == "file":
            self._check_filed(result)
        elif name == "daily_quotes":
            self._apply(result)
        elif name == "rebuild_matrix":
            self._check_matrix(is_new=result)

    def fails(self, name: str, error: Exception) -> None:
        """Check that a call that has failed has changed nothing."""
        self.trace.add(f"{name} fails: {type(error).__name__}")
        if name == "file" and self._in_flight is not None:
            self._is_caught_up[self._in_flight.source] = False
        self._in_flight = None
        self._judging.begin_again()
        self.archive.check_unchanged()

    def note_judged(self, code: str) -> None:
        """Note that a code is judged."""
        self._judged.append(code)

    def killed(self) -> None:
        """Check what a node has left that was killed: the last delivery as a whole, or nothing of it."""
        self._judging.begin_again()
        in_flight, self._in_flight = self._in_flight, None
        if in_flight is not None and self.archive.has_filed():
            self._check_delivery(in_flight, None)
        self.archive.check_unchanged()

    def lost_power(self, rows: Rows) -> None:
        """Go on with what is left of the archive after a loss of power."""
        self._rows = rows
        self.archive.reset(rows)
        self._matrices.reset(self.archive.newest)
        self._judging.reset(self._rows, self._matrices.reference.verdicts)
        self._first_of_day, self._books = {}, BookOrder()
        self.trace.add(f"power lost, {len(self.archive.deliveries)} deliveries left")

    def fetched(self, source: str, fixings: list[ScriptedFixing], *, is_new: bool) -> None:
        """Check that all is stored that a source has said, if it says nothing new."""
        self._said[source] = fixings
        if not is_new:
            self.archive.check_kept(fixings)
        before, today = self._first_of_day.get(source), self._now().date()
        if before is None or before[0].date() != today or not self._is_caught_up.get(source, True):
            first = today - self._sources[source].schedule.reread_days * _DAY
            self._first_of_day[source] = self._now(), self._adapters[source].scripted.fixings(self._now(), first, today)
            self._is_caught_up[source] = True

    def check_history(self, store: Store, chance: random.Random) -> None:
        """Check the whole history at the end: the log, every day against the truth, another order, and editions."""
        check_log(store, list(self._sources.values()))
        self._judging.check_whole()
        reference = self._matrices.reference.verdicts
        check_order(self._rows.fixings(), self._rows.decisions(), list(self._sources.values()), reference, chance)
        check_editions(store, list(self._sources.values()), self._now().date(), sorted(self._codes))

    def operated(self) -> None:
        """Check what is recorded after the operator has decided."""
        self.archive.check_log()
        self._judging.begin_again()

    def check_caught_up(self) -> None:
        """Check that the last complete round of each source has brought all that was shown then."""
        for source, (_, fixings) in self._first_of_day.items():
            if self._is_caught_up.get(source, True):
                known = [scripted for scripted in fixings if not self._was_corrected_since(scripted)]
                self.archive.check_kept(known)

    def _was_corrected_since(self, scripted: ScriptedFixing) -> bool:
        one = scripted.fixing
        shown = self._adapters[one.source].scripted.fixings(self._now(), one.day, one.day)
        is_shown = any(each.fixing == one for each in shown)
        return not is_shown and self.archive.newest.get(scripted.place) is not None

    def published(self, book_file: RateBookFile) -> None:
        """Check a rate book that was published."""
        book, order = book_file.current(), book_file.age_order()
        require(book is not None and order is not None, "a book can be read", "the book that was published cannot")
        if book is None or order is None or not self._books.check(order):
            return
        check_book(book, self._applied, self._sources, self.archive.received, self._now().date())
        self.trace.add(f"book {order[0]} {order[1]} with {len(book.mids)} prices")

    def _check_filed(self, result: FilingResult | None) -> None:
        in_flight, self._in_flight = self._in_flight, None
        if in_flight is None:
            return
        if result is None:
            self.archive.check_unchanged()
            self.archive.check_kept(in_flight.fixings)
            return
        self._check_delivery(in_flight, result)

    def _check_delivery(self, in_flight: InFlight, result: FilingResult | None) -> None:
        source, fixings = in_flight
        added = self.archive.check_filed(source, fixings, result)
        self._note_filed(added)
        self._verdicts.put(fixings)
        self._verdicts.check_days(added, self._now().date())
        told = f"+{result.added} ~{result.corrected} ={result.unchanged}" if result else "by the dead"
        self.trace.add(f"filed {source} {told}")
        for row in added:
            self.trace.add(f"stored {row.source} {row.base}/{row.quote} {row.day} {row.nominal} {row.value}")

    def _note_filed(self, added: Sequence[StoredFixing]) -> None:
        for row in added:
            self._judging.dirty |= self._matrices.put(row.place, (row.nominal, row.value))

    def _apply(self, codes: Mapping[str, Any]) -> None:
        """Remember what was published last of the codes whose quotes are new."""
        reference, today = self._matrices.reference, self._now().date()
        self._judging.check(self._judged, self.remembered())
        for code in self._codes & codes.keys():
            found = reference.newest(code, today)
            self._applied[code] = None if found is None else Expected(*found)

    def _check_matrix(self, *, is_new: bool) -> None:
        self._judging.check(self._judged, self.remembered(), is_due=True)
        for day in self._judging.changed_days:
            self._matrices.note_changed(day_of(day))
        self._judging.changed_days.clear()
        self.archive.check_log()
        matrix = open_rate_matrix(self._folder / MATRIX_FILE)
        self._matrices.check(matrix, self._now().date())
        if is_new and not self._matrices.reference.verdicts.decided:
            self._verdicts.check(matrix, self._matrices.reference, sorted(self._codes))
        check_edition(matrix, self._rows.editions(), self.archive.deliveries)
        if is_new:
            self.trace.add(f"edition {matrix.edition}")


class InFlight(NamedTuple):
    """A delivery that is being filed: its source, and its fixings."""

    source: str
    fixings: list[ScriptedFixing]
