"""The keeper's hand in the ledger: folds the pages into the book of usage, and removes those that are done with.

Exactly once by construction: what is folded is the absolute total of each page, so that a fold which was cut off, or
whose answer got lost, is simply done again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path
from time import monotonic

from cambist.accounts.usage_counters import CounterTotal, DayCounters, UsageStore
from cambist.errors import StoreBroken
from cambist.storage.atomic_file import unwritable
from cambist.storage.shared.usage.changed_counters import ChangedCounters, Folded
from cambist.storage.shared.usage.counter_file import CounterFile
from cambist.storage.shared.usage.file_set import CounterFileSet
from cambist.storage.shared.usage.layout import CounterFileName
from cambist.storage.shared.usage.space import Need, make_room
from cambist.storage.shared.usage.worker_counters import KEYS

_log = logging.getLogger(__name__)
_DAY = timedelta(days=1)

_PATIENCE = 120.0
"""Seconds for which a page stays that is to be removed: workers take note of it, or the clock is set right again."""


class UsageWriter:
    """Folds one folder. There may be several at once, or one after another: each only repeats what the other did.

    `clock` gives seconds that are never set back, `patience` how many of them a page stays that is to be removed.
    """

    def __init__(self, folder: Path, patience: float = _PATIENCE, clock: Callable[[], float] = monotonic) -> None:
        """Map the pages that are there. Errors: StoreBroken."""
        self._file_set = CounterFileSet(folder)
        self._folded: dict[DayCounters, Folded] = {}
        self._old_since: dict[CounterFileName, float] = {}
        self._has_room_for: tuple[Need, date, int] | None = None
        self._patience = patience
        self._clock = clock

    def fold(self, book: UsageStore, today: date) -> int:
        """Store what has changed since the last fold and remove pages older than yesterday; give the changed totals.

        Errors: StoreBroken, and the pages keep everything for the next fold.
        """
        self._file_set.look()
        done = self._done(today)
        readings = [ChangedCounters(page, self._known(page), today) for page in self._day_pages()]
        totals = [total for reading in readings for total in reading.changed]
        book.fold(totals)
        for reading in readings:
            reading.remember()
        self._set_aside(readings)
        self._remove(done, today)
        return len(totals)

    def recover(self, book: UsageStore, today: date) -> int:
        """Fold before anybody counts, and give up pages that hold less than the book has of them.

        They are older copies, or a machine that ended suddenly had not written them out. What comes after is counted in
        new pages, and added. Errors: StoreBroken.
        """
        folded = self.fold(book, today)
        if pages := {(page.name.day, page.layout.number): page for page in self._day_pages()}:
            oldest = min(day for day, _ in pages if day is not None)
            behind = {pages[total.day, total.page].name for total in book.totals(oldest) if _is_behind(pages, total)}
            for name in sorted(behind):
                _log.warning("Ledger: the page %s is older than the database: it is given up", name)
            self._discard(behind)
        return folded

    def make_room(self, need: Need, today: date) -> None:
        """See to it that nobody needs the disk to count today and tomorrow. Errors: StoreBroken."""
        wanted = (need, today, self._file_set.version[0])
        if self._has_room_for != wanted:
            make_room(self._file_set, need, today)
            self._has_room_for = (need, today, self._file_set.version[0])

    def _done(self, today: date) -> set[CounterFileName]:
        """Give the pages that have been older than yesterday for some time."""
        old = {name for name in self._file_set.known() if name.day is not None and name.day < today - _DAY}
        now = self._clock()
        self._old_since = {name: self._old_since.get(name, now) for name in old}
        return {name for name, since in self._old_since.items() if now - since >= self._patience}

    def _day_pages(self) -> Iterator[CounterFile]:
        for pages in self._file_set.pages.values():
            yield from (page for page in pages if page.name.day is not None)

    def _known(self, page: CounterFile) -> Folded:
        return self._folded.setdefault((page.name.day or date.min, page.layout.number), Folded())

    def _set_aside(self, readings: list[ChangedCounters]) -> None:
        """Set aside pages that were found damaged while they were read: the workers take the next generation."""
        for reading in readings:
            if reading.unsound and not reading.page.name.damaged:
                fault = f"cells of the accounts {reading.unsound} are not what was written, and lost"
                self._file_set.set_aside(reading.page.name, fault)

    def _remove(self, names: set[CounterFileName], today: date) -> None:
        """Remove folded pages and what was left of pages that were never finished."""
        oldest = (today - _DAY).isoformat()
        self._discard(names)
        try:
            for left in self._file_set.folder.glob(".????-??-??.*.page.*"):
                if left.name[1:11] < oldest:
                    left.unlink(missing_ok=True)
        except OSError as error:
            raise StoreBroken(unwritable("ledger", self._file_set.folder, error)) from error

    def _discard(self, names: set[CounterFileName]) -> None:
        if not names:
            return
        try:
            self._file_set.remove(names)
        except OSError as error:
            raise StoreBroken(unwritable("ledger", self._file_set.folder, error)) from error
        self._file_set.look()
        there = {(page.name.day, page.layout.number) for page in self._day_pages()}
        self._folded = {page: folded for page, folded in self._folded.items() if page in there}

    def last_used(self) -> Mapping[int, int]:
        """Give the unix second at which each key was last used, of those that ever were. Errors: StoreBroken."""
        self._file_set.look()
        found: dict[int, int] = {}
        for page in self._file_set.pages.get(KEYS, ()):
            page.reach(page.room - 1)
            for key in range(page.accounts):
                if (used := page.largest(key)) > found.get(key, 0):
                    found[key] = used
        return found


def _is_behind(pages: Mapping[tuple[date | None, int], CounterFile], total: CounterTotal) -> bool:
    """Tell whether the book has a larger total than its page."""
    page = pages.get((total.day, total.page))
    if page is None:
        return False
    row = page.rows.get(total.endpoint)
    return row is None or not page.reach(total.account) or page.row_totals(total.account)[row] < total.calls
