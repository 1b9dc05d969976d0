"""One worker's hand in the ledger: each thread counts in a column of its own, without a lock or a system call."""

from __future__ import annotations

import threading
import weakref
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cambist.accounts.usage_counters import DayCounters
from cambist.errors import StoreBroken
from cambist.storage.shared.usage.counter_file import CounterFile, changed
from cambist.storage.shared.usage.file_set import CounterFileSet, Pages, newest
from cambist.storage.shared.usage.writer_slot import ThreadSlot, WriterSlot

ADMITTED = "admitted"
KEYS = "keys"
_TRIES = 3


_DAYS_KEPT = 62
"""Of how many days what was spent is kept in memory after their pages are gone: two periods."""


@dataclass(frozen=True, slots=True)
class _Day:
    """One day: its pages, and by account what those have counted that are gone."""

    pages: Sequence[CounterFile]
    gone: Mapping[int, int]


class WorkerCounters:
    """The `UsageCounters` protocol over a folder of pages.

    `columns` is how many threads will count in all, over every worker: pages are made as wide, and wider ones when
    there turn out to be more. `endpoints` are those that will be counted; others get their row when they come.
    """

    def __init__(self, folder: Path, endpoints: Iterable[str], columns: int) -> None:
        """Map the pages that are there. Errors: StoreBroken."""
        self._file_set = CounterFileSet(folder)
        self._endpoints = tuple(dict.fromkeys(endpoints))
        self._width = max(1, columns)
        self._held: weakref.WeakSet[WriterSlot] = weakref.WeakSet()
        self._seat = ThreadSlot(folder, self._held, self._mend)
        self._version = self._file_set.version
        self._looking = threading.Lock()
        self._days: dict[date, _Day] = {}
        self._look()
        self._seen_admitted = self._all_admitted()

    def _look(self) -> None:
        """Take up what pages there are. Errors: StoreBroken."""
        with self._looking:
            seen, pages = self._file_set.look()
            self._days = _by_day(self._days, pages)
            self._newest = {day: page for day in self._days if (page := newest(self._days[day].pages))}
            self._admitted_in = pages.get(ADMITTED, ())
            self._admitting = newest(self._admitted_in)
            self._using = newest(pages.get(KEYS, ()))
            self._seen = seen

    def spend(self, account: int, endpoint: str, calls: int, today: date) -> None:
        """Count calls on the day that the caller read.

        Errors: StoreBroken when a page is due, for the day or for more accounts, and the disk is full.
        """
        if self._version[0] != self._seen:
            self.refresh()
        page, column = self._newest.get(today), self._seat.column
        if (
            page is None
            or column >= page.columns
            or (row := page.rows.get(endpoint)) is None
            or not 0 <= account < page.accounts
        ):
            page = self._prepared(today.isoformat(), account, column, (*self._endpoints, endpoint))
            row = page.rows[endpoint]
        page.spend(account, row, column, calls)

    def spent(self, account: int, day: date) -> int:
        """Give the calls that all workers counted on a day in pages that were there since this one began, else 0."""
        self.refresh()
        of_day = self._days.get(day)
        if of_day is None:
            return 0
        if len(of_day.pages) == 1:
            return of_day.pages[0].total(account) + of_day.gone.get(account, 0)
        return sum(page.total(account) for page in of_day.pages) + of_day.gone.get(account, 0)

    def refresh(self) -> None:
        """Take up other pages, if there are any; a folder that cannot be read leaves those that there were."""
        if self._version[0] != self._seen:
            with suppress(StoreBroken):
                self._look()

    def pages(self) -> frozenset[DayCounters]:
        """Give the pages of days whose calls `spent` gives."""
        self._look()
        return frozenset((day, page.layout.number) for day, of_day in self._days.items() for page in of_day.pages)

    def admit(self, account: int) -> None:
        """Count a request that was let in. Errors: StoreBroken as `spend`."""
        self.refresh()
        page, column = self._admitting, self._seat.column
        if page is None or column >= page.columns or not 0 <= account < page.accounts:
            page = self._prepared(ADMITTED, account, column)
        page.count(account, column)

    def admitted(self, account: int) -> int:
        """Give the requests that all workers ever let in, or for want of a page 0."""
        self.refresh()
        pages = self._admitted_in
        if len(pages) == 1:
            return pages[0].total(account)
        return sum(page.total(account) for page in pages)

    def newly_admitted(self) -> Mapping[int, int]:
        """Give the accounts that had requests let in since this was asked last, and what `admitted` gave then."""
        seen, self._seen_admitted = self._seen_admitted, self._all_admitted()
        return {account: _at(seen, account) for account in changed(seen, self._seen_admitted)}

    def last_admitted(self, account: int) -> int:
        """Give what `admitted` gave when `newly_admitted` was asked last, or at the beginning."""
        return _at(self._seen_admitted, account)

    def _all_admitted(self) -> NDArray[np.uint64]:
        self.refresh()
        parts = [page.totals() for page in self._admitted_in]
        totals = np.zeros(max(map(len, parts), default=0), np.uint64)
        for part in parts:
            totals[: len(part)] += part
        return totals

    def use_key(self, key: int, unix_second: int) -> None:
        """Note when a key was last used. Errors: StoreBroken as `spend`."""
        self.refresh()
        page, column = self._using, self._seat.column
        if page is None or column >= page.columns or not 0 <= key < page.accounts:
            page = self._prepared(KEYS, key, column)
        page.put(key, column, unix_second)

    def _prepared(self, stem: str, account: int, column: int, rows: Iterable[str] = ()) -> CounterFile:
        """Give a page that has an account, a column and rows, made or grown if need be. Errors: StoreBroken."""
        while self._width <= column:
            self._width *= 2
        for _ in range(_TRIES):
            page = self._file_set.fitting(stem, column, self._width, rows)
            if page.reach(account) or self._file_set.grow(page, account):
                self._look()
                return page
        raise StoreBroken(f"The pages of the ledger {self._file_set.folder} are cut off again and again")

    def _mend(self, column: int) -> None:
        """Set right what a killed process has left half written in a column, which is ours now."""
        for of_day in self._days.values():
            for page in of_day.pages:
                if column < page.columns and not page.name.damaged:
                    page.mend(column)

    def close(self) -> None:
        """Let others have the columns of all threads; nothing may be counted afterwards."""
        for column in list(self._held):
            column.release()


def _at(totals: NDArray[np.uint64], account: int) -> int:
    return int(totals[account]) if account < len(totals) else 0


def _by_day(before: Mapping[date, _Day], pages: Pages) -> dict[date, _Day]:
    """Take up other pages; what those have counted that are gone is kept."""
    by_day = {day: generations for generations in pages.values() if (day := generations[0].name.day)}
    days = sorted({*before, *by_day})[-_DAYS_KEPT:]
    return {day: _with_gone(before.get(day), by_day.get(day, ())) for day in days}


def _with_gone(before: _Day | None, pages: Sequence[CounterFile]) -> _Day:
    if before is None:
        return _Day(pages, {})
    there = {page.layout.number for page in pages}
    gone = Counter(before.gone)
    for page in before.pages:
        if page.layout.number not in there:
            gone.update({account: page.total(account) for account in page.touched()})
    return _Day(pages, gone)
