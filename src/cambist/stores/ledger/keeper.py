"""The keeper's hand in the ledger: folds the pages into the book of usage, and removes those that are done with.

Exactly once by construction: what is folded is the absolute total of each page, so that a fold which was cut off, or
whose answer got lost, is simply done again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

from cambist.accounts.ledger import Total, UsageBook
from cambist.errors import StoreBroken
from cambist.stores.ledger.binder import Binder
from cambist.stores.ledger.layout import PageName
from cambist.stores.ledger.page import Page
from cambist.stores.ledger.worker import KEYS

_DAY = timedelta(days=1)


@dataclass
class _Folded:
    """What of a page is in the book: by account the total, by account and endpoint the calls."""

    totals: dict[int, int] = field(default_factory=dict)
    calls: dict[tuple[int, str], int] = field(default_factory=dict)


class LedgerKeeper:
    """Folds one folder. There may be several at once, or one after another: each only repeats what the other did."""

    def __init__(self, folder: Path) -> None:
        """Map the pages that are there. Errors: StoreBroken."""
        self._binder = Binder(folder)
        self._folded: dict[tuple[str, int], _Folded] = {}

    def fold(self, book: UsageBook, today: date) -> int:
        """Store what has changed since the last fold and remove pages older than yesterday; give the changed totals.

        Errors: StoreBroken, and the pages keep everything for the next fold.
        """
        self._binder.look()
        done = {name for name in self._binder.known() if name.day is not None and name.day < today - _DAY}
        readings = [_Reading(page, self._known(page), today) for page in self._day_pages()]
        totals = [total for reading in readings for total in reading.changed]
        book.fold(totals)
        for reading in readings:
            reading.remember()
        self._set_aside(readings)
        self._remove(done, today)
        return len(totals)

    def _day_pages(self) -> Iterator[Page]:
        for pages in self._binder.pages.values():
            yield from (page for page in pages if page.name.day is not None)

    def _known(self, page: Page) -> _Folded:
        return self._folded.setdefault((page.name.stem, page.name.generation), _Folded())

    def _set_aside(self, readings: list[_Reading]) -> None:
        """Set aside pages that were found damaged while they were read: the workers take the next generation."""
        for reading in readings:
            if reading.unsound and not reading.page.name.damaged:
                fault = f"cells of the accounts {reading.unsound} are not what was written, and lost"
                self._binder.set_aside(reading.page.name, fault)

    def _remove(self, names: set[PageName], today: date) -> None:
        """Remove folded pages and what was left of pages that were never finished."""
        oldest = (today - _DAY).isoformat()
        try:
            if names:
                self._binder.remove(names)
            for left in self._binder.folder.glob(".????-??-??.*.page.*"):
                if left.name[1:11] < oldest:
                    left.unlink(missing_ok=True)
        except OSError as error:
            raise StoreBroken(f"The ledger {self._binder.folder} cannot be written: {error.strerror}") from error
        for name in names:
            self._folded.pop((name.stem, name.generation), None)

    def last_used(self) -> Mapping[int, int]:
        """Give the unix second at which each key was last used, of those that ever were. Errors: StoreBroken."""
        self._binder.look()
        found: dict[int, int] = {}
        for page in self._binder.pages.get(KEYS, ()):
            page.reach(page.room - 1)
            for key in range(page.accounts):
                if (used := page.largest(key)) > found.get(key, 0):
                    found[key] = used
        return found


class _Reading:
    """One page as it was read for one fold."""

    def __init__(self, page: Page, known: _Folded, today: date) -> None:
        self.page = page
        self.unsound: list[int] = []
        self._known = known
        self._totals: dict[int, int] = {}
        self._calls: dict[tuple[int, str], int] = {}
        day = page.name.day or today
        page.reach(page.room - 1)
        for account in range(page.accounts):
            # Read before its rows: a call that these have already makes the account be read again next time.
            total = page.total(account)
            # Of a call whose worker was killed in the midst only the row may be there: in the end all rows are read.
            if day < today or total != known.totals.get(account, 0):
                self._read(account, total)
        self.changed = [
            Total(day, page.name.generation, account, endpoint, calls)
            for (account, endpoint), calls in self._calls.items()
        ]

    def _read(self, account: int, total: int) -> None:
        (_, *rows), sound = self.page.checked(account)
        if not sound:
            self.unsound.append(account)
        self._totals[account] = total
        for endpoint, calls in zip(self.page.layout.rows, rows, strict=True):
            if calls > self._known.calls.get((account, endpoint), 0):
                self._calls[account, endpoint] = calls

    def remember(self) -> None:
        """Note that the changes are in the book."""
        self._known.totals |= self._totals
        self._known.calls |= self._calls
