"""Write the counted calls to the database, and remove counter files that are no longer needed.

What is written are absolute totals of each file. A write that was interrupted is simply repeated.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path
from time import monotonic

from cambist.accounts.usage_counters import CounterFileKey, CounterTotal, UsageStore
from cambist.errors import StoreBroken
from cambist.storage.atomic_file import unwritable
from cambist.storage.shared.usage.changed_counters import ChangedCounters, WrittenTotals
from cambist.storage.shared.usage.counter_arrays import largest_values
from cambist.storage.shared.usage.counter_file import CounterFile
from cambist.storage.shared.usage.file_set import CounterFileSet
from cambist.storage.shared.usage.layout import CounterFileName
from cambist.storage.shared.usage.space import RequiredSpace, reserve_space
from cambist.storage.shared.usage.worker_counters import KEYS

_log = logging.getLogger(__name__)
_DAY = timedelta(days=1)

_REMOVAL_DELAY = 120.0
"""Seconds before a file of a past day is removed: workers may still use it, or the clock may be wrong for a moment."""


class UsageWriter:
    """Writes the counters of one directory. A second writer only repeats what the first one does.

    `node` is the name of the node that has counted; `clock` returns monotonic seconds.
    """

    def __init__(
        self,
        folder: Path,
        node: str = "",
        removal_delay: float = _REMOVAL_DELAY,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Map the files. Errors: StoreBroken."""
        self._file_set = CounterFileSet(folder)
        self._written: dict[CounterFileKey, WrittenTotals] = {}
        self._past_since: dict[CounterFileName, float] = {}
        self._reserved: tuple[RequiredSpace, date, int] | None = None
        self._node = node
        self._removal_delay = removal_delay
        self._clock = clock

    def write(self, store: UsageStore, today: date) -> int:
        """Write what has changed, and remove files older than yesterday. Return the number of totals written.

        Errors: StoreBroken; nothing is lost, and the next call writes it.
        """
        self._file_set.reload()
        expired = self._expired(today)
        readings = [ChangedCounters(file, self._written_of(file), today) for file in self._day_files()]
        totals = [total for reading in readings for total in reading.changed]
        store.store_totals(totals, self._node)
        for reading in readings:
            reading.mark_written()
        self._mark_damaged(readings)
        self._remove(expired, today)
        return len(totals)

    def recover(self, store: UsageStore, today: date) -> int:
        """Write before workers start, and remove files that have smaller totals than the database.

        Such a file comes from a backup, or the machine ended suddenly before it was on the disk. Further calls are
        counted in new files, and added. Errors: StoreBroken.
        """
        count = self.write(store, today)
        if files := {(file.name.day, file.layout.number): file for file in self._day_files()}:
            oldest = min(day for day, _ in files if day is not None)
            outdated = {
                files[total.day, total.file].name for total in store.totals(oldest) if _is_outdated(files, total)
            }
            for name in sorted(outdated):
                _log.warning("Usage: the file %s is older than the database and is removed", name)
            self._discard(outdated)
        return count

    def file_keys(self) -> frozenset[CounterFileKey]:
        """Return the keys of the files of days, whose calls workers read from them."""
        return frozenset((file.name.day, file.layout.number) for file in self._day_files() if file.name.day)

    def reserve_space(self, required: RequiredSpace, today: date) -> None:
        """Create what workers need to count today and tomorrow without more disk space. Errors: StoreBroken."""
        if self._reserved != (required, today, self._file_set.version[0]):
            reserve_space(self._file_set, required, today)
            self._reserved = (required, today, self._file_set.version[0])

    def _expired(self, today: date) -> set[CounterFileName]:
        """Return the files that have been older than yesterday for the removal delay."""
        past = {name for name in self._file_set.loaded_names() if name.day is not None and name.day < today - _DAY}
        now = self._clock()
        self._past_since = {name: self._past_since.get(name, now) for name in past}
        return {name for name, since in self._past_since.items() if now - since >= self._removal_delay}

    def _day_files(self) -> Iterator[CounterFile]:
        for files in self._file_set.files.values():
            yield from (file for file in files if file.name.day is not None)

    def _written_of(self, file: CounterFile) -> WrittenTotals:
        return self._written.setdefault((file.name.day or date.min, file.layout.number), WrittenTotals())

    def _mark_damaged(self, readings: list[ChangedCounters]) -> None:
        """Mark files in which damage was found while reading: workers then count in the next generation."""
        for reading in readings:
            if reading.damaged and not reading.file.name.damaged:
                fault = f"counters of the accounts {reading.damaged} are damaged, and lost"
                self._file_set.mark_damaged(reading.file.name, fault)

    def _remove(self, names: set[CounterFileName], today: date) -> None:
        """Remove written files, and temporary files of past days whose creation was interrupted."""
        oldest = (today - _DAY).isoformat()
        self._discard(names)
        try:
            for temporary in self._file_set.folder.glob(".????-??-??.*.page.*"):
                if temporary.name[1:11] < oldest:
                    temporary.unlink(missing_ok=True)
        except OSError as error:
            raise StoreBroken(unwritable("usage counters in", self._file_set.folder, error)) from error

    def _discard(self, names: set[CounterFileName]) -> None:
        if not names:
            return
        try:
            self._file_set.remove(names)
        except OSError as error:
            raise StoreBroken(unwritable("usage counters in", self._file_set.folder, error)) from error
        self._file_set.reload()
        keys = {(file.name.day, file.layout.number) for file in self._day_files()}
        self._written = {key: written for key, written in self._written.items() if key in keys}

    def last_used(self) -> Mapping[int, int]:
        """Return the unix second of the last use of each key that was ever used. Errors: StoreBroken."""
        self._file_set.reload()
        found: dict[int, int] = {}
        for file in self._file_set.files.get(KEYS, ()):
            file.ensure_mapped(file.capacity - 1)
            for key, second in largest_values(file).items():
                found[key] = max(found.get(key, 0), second)
        return found


def _is_outdated(files: Mapping[tuple[date | None, int], CounterFile], total: CounterTotal) -> bool:
    """Return whether the database has a larger total than the file."""
    file = files.get((total.day, total.file))
    if file is None:
        return False
    row = file.rows.get(total.endpoint)
    return row is None or not file.ensure_mapped(total.account) or file.row_totals(total.account)[row] < total.calls
