"""The usage counters of one worker: each thread counts in its own writer slot, without a lock or a system call."""

from __future__ import annotations

import threading
import weakref
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from cambist.accounts.usage_counters import CounterFileKey
from cambist.errors import StoreBroken
from cambist.storage.shared.usage.admitted import AdmittedCopy
from cambist.storage.shared.usage.counter_file import CounterFile, CountingPlace
from cambist.storage.shared.usage.file_set import CounterFiles, CounterFileSet, newest_undamaged
from cambist.storage.shared.usage.writer_slot import ThreadSlot, WriterSlot

ADMITTED = "admitted"
KEYS = "keys"
_ATTEMPTS = 3

_DAYS_KEPT = 62
"""For how many days calls are kept in memory after their files were removed: two periods."""


@dataclass(frozen=True, slots=True)
class _Day:
    """One day: its files, and the calls by account of files that were removed."""

    files: Sequence[CounterFile]
    removed: Mapping[int, int]


_NOWHERE = CountingPlace(memoryview(b"").cast("Q"), 0, 0, 0, {}, -1, lambda _account: None)
_NO_VERSION = -1


@dataclass(slots=True)
class _ThreadPlaces:
    """Where one thread counts calls on a day, and admitted requests, in the files of one version."""

    version: int = _NO_VERSION
    day: date = date.min
    of_day: CountingPlace = _NOWHERE
    admitted: CountingPlace = _NOWHERE


class _OfThread(threading.local):
    """The places of the current thread."""

    def __init__(self) -> None:
        self.places = _ThreadPlaces()


class WorkerCounters:
    """The `UsageCounters` protocol over a directory of counter files.

    `slots` is the number of threads that will count, over all workers: files are created with so many slots, and with
    more if there are more threads. Endpoints that are not among `endpoints` get their row when they are first counted.
    """

    def __init__(self, folder: Path, endpoints: Iterable[str], slots: int) -> None:
        """Map the files. Errors: StoreBroken."""
        self._file_set = CounterFileSet(folder)
        self._endpoints = tuple(dict.fromkeys(endpoints))
        self._slot_count = max(1, slots)
        self._slots: weakref.WeakSet[WriterSlot] = weakref.WeakSet()
        self._thread_slot = ThreadSlot(folder, self._slots, self.repair)
        self._version = self._file_set.version
        self._reloading = threading.Lock()
        self._days: dict[date, _Day] = {}
        self._of_thread = _OfThread()
        self._reload()
        self._admitted_copy = AdmittedCopy()
        self._admitted_copy.newly_admitted(self._admitted_files)

    def _reload(self) -> None:
        """Use the files that are there now. Errors: StoreBroken."""
        with self._reloading:
            seen, files = self._file_set.reload()
            self._days = _by_day(self._days, files)
            self._newest = {day: file for day in self._days if (file := newest_undamaged(self._days[day].files))}
            self._admitted_files = files.get(ADMITTED, ())
            self._admitted_file = newest_undamaged(self._admitted_files)
            self._key_file = newest_undamaged(files.get(KEYS, ()))
            self._seen = seen

    def spend(self, account: int, endpoint: str, calls: int, today: date) -> None:
        """Count calls on a day.

        Errors: StoreBroken if a file must be created, for the day or for more accounts, and the disk is full.
        """
        places = self._of_thread.places
        if places.version != self._version[0]:
            places = self._renew_places()
        place = places.of_day
        if today is not places.day or not 0 <= account < place.accounts or (row := place.rows.get(endpoint)) is None:
            place = self._find_place(places, account, endpoint, today)
            row = place.rows[endpoint]
        place.spend(account, row, calls)

    def _renew_places(self) -> _ThreadPlaces:
        """Forget the places of this thread, because the files have changed."""
        self.refresh()
        places = self._of_thread.places = _ThreadPlaces(self._seen)
        return places

    def _find_place(self, places: _ThreadPlaces, account: int, endpoint: str, today: date) -> CountingPlace:
        """Find where this thread counts on a day, in a file that has the account and the endpoint."""
        file, slot = self._newest.get(today), self._thread_slot.number
        if file is None or slot >= file.slots or endpoint not in file.rows or not 0 <= account < file.accounts:
            file = self._prepare_file(today.isoformat(), account, slot, (*self._endpoints, endpoint))
        places.day, places.of_day = today, file.place(slot)
        return places.of_day

    def spent(self, account: int, day: date) -> int:
        """Return the calls of a day by all workers, in files that existed since this worker started."""
        if self._version[0] != self._seen:
            self.refresh()
        of_day = self._days.get(day)
        if of_day is None:
            return 0
        if len(of_day.files) == 1:
            return of_day.files[0].total(account) + of_day.removed.get(account, 0)
        return sum(file.total(account) for file in of_day.files) + of_day.removed.get(account, 0)

    def days(self) -> Collection[date]:
        """Return the days that have files, or had some since this worker started."""
        self.refresh()
        return self._days.keys()

    def refresh(self) -> None:
        """Use other files if there are any. If the directory cannot be read, keep the old ones."""
        if self._version[0] != self._seen:
            with suppress(StoreBroken):
                self._reload()

    def file_keys(self) -> frozenset[CounterFileKey]:
        """Return the keys of the files whose calls `spent` returns."""
        self._reload()
        return frozenset((day, file.layout.number) for day, of_day in self._days.items() for file in of_day.files)

    def admit(self, account: int) -> None:
        """Count a request that the rate limit has admitted. Errors: StoreBroken as in `spend`."""
        places = self._of_thread.places
        if places.version != self._version[0]:
            places = self._renew_places()
        place = places.admitted
        if not 0 <= account < place.accounts:
            file, slot = self._admitted_file, self._thread_slot.number
            if file is None or slot >= file.slots or not 0 <= account < file.accounts:
                file = self._prepare_file(ADMITTED, account, slot)
            place = places.admitted = file.place(slot)
        place.count(account)

    def admit_many(self, account: int, requests: int) -> None:
        """Count several requests that were admitted, here or on other nodes. Errors: StoreBroken as in `spend`."""
        self.admit(account)  # which finds the place
        self._of_thread.places.admitted.count_many(account, requests - 1)

    def admitted(self, account: int) -> int:
        """Return the requests that all workers have ever admitted."""
        if self._version[0] != self._seen:
            self.refresh()
        files = self._admitted_files
        if len(files) == 1:
            return files[0].total(account)
        return sum(file.total(account) for file in files)

    def newly_admitted(self) -> Mapping[int, int]:
        """Return the accounts with requests that others have admitted since the last call, and their total then."""
        self.refresh()
        own_slots = {slot.number for slot in list(self._slots)}
        return self._admitted_copy.newly_admitted(self._admitted_files, own_slots)

    def last_admitted(self, account: int) -> int:
        """Return the requests admitted by others as of the last call of `newly_admitted`, or of the start."""
        return self._admitted_copy.last_admitted(account)

    def use_key(self, key: int, unix_second: int) -> None:
        """Record the last use of a key. Errors: StoreBroken as in `spend`."""
        self.refresh()
        file, slot = self._key_file, self._thread_slot.number
        if file is None or slot >= file.slots or not 0 <= key < file.accounts:
            file = self._prepare_file(KEYS, key, slot)
        file.set_value(key, slot, unix_second)

    def _prepare_file(self, stem: str, account: int, slot: int, rows: Iterable[str] = ()) -> CounterFile:
        """Return a file with this account, slot and rows; create or extend it if needed. Errors: StoreBroken."""
        while self._slot_count <= slot:
            self._slot_count *= 2
        for _ in range(_ATTEMPTS):
            file = self._file_set.file_for(stem, slot, self._slot_count, rows)
            if file.ensure_mapped(account) or self._file_set.grow(file, account):
                self._reload()
                return file
        raise StoreBroken(f"The files of usage counters in {self._file_set.folder} are cut off again and again")

    def repair(self, slot: int) -> None:
        """Repair what a killed process has half written in a slot that this process has just claimed."""
        self.refresh()
        for of_day in self._days.values():
            for file in of_day.files:
                if slot < file.slots and not file.name.damaged:
                    file.repair(slot)

    def slot(self) -> int:
        """Return the number of the calling thread's writer slot. Errors: StoreBroken as in `spend`."""
        return self._thread_slot.number

    def close(self) -> None:
        """Release the slots of all threads. Nothing may be counted afterwards."""
        for slot in list(self._slots):
            slot.release()


def _by_day(before: Mapping[date, _Day], files: CounterFiles) -> dict[date, _Day]:
    """Return the days with their files as they are now, and with the calls of removed files."""
    by_day = {day: generations for generations in files.values() if (day := generations[0].name.day)}
    days = sorted({*before, *by_day})[-_DAYS_KEPT:]
    return {day: _with_removed(before.get(day), by_day.get(day, ())) for day in days}


def _with_removed(before: _Day | None, files: Sequence[CounterFile]) -> _Day:
    if before is None:
        return _Day(files, {})
    numbers = {file.layout.number for file in files}
    removed = Counter(before.removed)
    for file in before.files:
        if file.layout.number not in numbers:
            removed.update({account: calls for account in file.counted() if (calls := file.total(account))})
    return _Day(files, removed)
