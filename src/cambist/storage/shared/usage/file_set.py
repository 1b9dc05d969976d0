"""The counter files of a directory, as one process has them mapped.

There may be several generations of a file: a worker that needs other rows or more slots than the newest one has creates
the next, and so does one that finds the newest one damaged. Calls are counted in the newest undamaged generation and
summed over all.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from cambist.errors import StoreBroken
from cambist.storage.atomic_file import unwritable
from cambist.storage.shared.change_notifier import ChangeNotifier
from cambist.storage.shared.usage.counter_file import CounterFile, create_counter_file
from cambist.storage.shared.usage.layout import CounterFileLayout, CounterFileName

_log = logging.getLogger(__name__)
_NEVER = -1
_SHOWN_FAULTS = 5
_INCARNATIONS = 1 << 62
_GENERATIONS = 10**9

CounterFiles = Mapping[str, Sequence[CounterFile]]
"""Files by stem, oldest generation first."""


class CounterFileSet:
    """Maps every counter file of a directory, checks each once, and is notified of new ones by other processes."""

    def __init__(self, folder: Path) -> None:
        """Create the directory if it does not exist, and map its files. Errors: StoreBroken."""
        self.folder = folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._notifier = ChangeNotifier(folder / "version")
        except OSError as error:
            raise StoreBroken(f"The usage counters in {folder} cannot be opened: {error.strerror}") from error
        self.version = self._notifier.versions[:1]
        self._seen = _NEVER
        self.files: CounterFiles = {}
        self._mapped: dict[CounterFileName, CounterFile] = {}
        self._unreadable: set[CounterFileName] = set()
        self._changing = threading.RLock()
        # A process may have been killed after it created a file and before it notified the others.
        self._notifier.notify()
        self.reload()

    def reload(self) -> tuple[int, CounterFiles]:
        """Map new files and unmap removed ones. Return the version that was read, and all files.

        Errors: StoreBroken.
        """
        with self._changing:
            # Read first, so that a change during the reload is noticed afterwards.
            self._seen = self.version[0]
            try:
                names = self.names()
                self._unmap(name for name, file in self._mapped.items() if not file.is_in(self.folder))
                for name in sorted(names - self._mapped.keys() - self._unreadable):
                    self._map(name)
            except OSError as error:
                self._seen = _NEVER
                raise StoreBroken(f"The usage counters in {self.folder} cannot be read: {error.strerror}") from error
            return self._seen, self.files

    def names(self) -> set[CounterFileName]:
        """Return the names of all counter files in the directory."""
        names = (CounterFileName.parse(path.name) for path in self.folder.iterdir())
        return {name for name in names if name is not None}

    def loaded_names(self) -> set[CounterFileName]:
        """Return the names of the mapped files and of the unreadable ones."""
        return self._mapped.keys() | self._unreadable

    def _map(self, name: CounterFileName) -> None:
        """Map and check a file; one that is marked as damaged already is not checked again."""
        try:
            file = CounterFile(self.folder, name)
            faults = [] if name.damaged else file.faults()
        except FileNotFoundError:
            return
        except ValueError as error:
            if name.damaged:
                self._unreadable.add(name)
            else:
                self.mark_damaged(name, f"{error}, and all that it counted since it was last saved is lost")
            return
        if faults:
            more = [f"and {len(faults) - _SHOWN_FAULTS} more"] if len(faults) > _SHOWN_FAULTS else []
            self.mark_damaged(name, "; ".join([*faults[:_SHOWN_FAULTS], *more]))
        else:
            self._set_mapped([*self._mapped.values(), file])

    def _unmap(self, removed: Iterable[CounterFileName]) -> None:
        if names := set(removed):
            self._set_mapped([file for file in self._mapped.values() if file.name not in names])

    def _set_mapped(self, files: Iterable[CounterFile]) -> None:
        ordered = sorted(files, key=lambda file: file.name)
        by_stem: dict[str, list[CounterFile]] = {}
        for file in ordered:
            by_stem.setdefault(file.name.stem, []).append(file)
        self._mapped = {file.name: file for file in ordered}
        self.files = by_stem

    def mark_damaged(self, name: CounterFileName, fault: str) -> None:
        """Rename a damaged file and map it again: its valid counters still count."""
        renamed = CounterFileName(name.stem, name.generation, damaged=True)
        with self._changing:
            self._unmap([name])
            try:
                (self.folder / str(name)).rename(self.folder / str(renamed))
            except FileNotFoundError:
                # Another process has renamed or removed it first.
                self._seen = _NEVER
                return
            _log.warning("Usage: the file %s is damaged (%s); renamed to %s", self.folder / str(name), fault, renamed)
            self._map(renamed)
            self._notifier.notify()

    def file_for(self, stem: str, slot: int, slots: int, rows: Iterable[str] = ()) -> CounterFile:
        """Return the newest file if it has these rows and this slot, or create the next one with so many `slots`.

        Errors: StoreBroken.
        """
        with self._changing:
            self.reload()
            while (
                (file := newest_undamaged(self.files.get(stem, ()))) is None
                or file.slots <= slot
                or not file.rows.keys() >= set(rows)
            ):
                self._create(self._next_layout(stem, file, slots, rows))
                self.reload()
            return file

    def _next_layout(self, stem: str, last: CounterFile | None, slots: int, rows: Iterable[str]) -> CounterFileLayout:
        """Return the layout of the next generation. It also has the rows and slots of the last one."""
        generations = [name.generation for name in self.names() if name.stem == stem]
        last_rows, last_slots = ((), 0) if last is None else (last.layout.rows, last.slots)
        return CounterFileLayout(
            stem,
            max(generations, default=-1) + 1,
            max(last_slots, slots),
            tuple(dict.fromkeys((*last_rows, *rows))),
            incarnation=_GENERATIONS + secrets.randbelow(_INCARNATIONS),
        )

    def _create(self, layout: CounterFileLayout) -> None:
        try:
            create_counter_file(self.folder, layout)
        except OSError as error:
            raise StoreBroken(unwritable("usage counters in", self.folder, error)) from error
        self._notifier.notify()

    def grow(self, file: CounterFile, account: int) -> bool:
        """Extend a file for an account. Return False if the file is cut off; it is then marked as damaged.

        Errors: StoreBroken if the disk is full; ValueError for a negative number.
        """
        if account < 0:
            raise ValueError(f"There is no account {account}")
        try:
            file.grow(account)
        except ValueError as error:
            self.mark_damaged(file.name, f"{error}, and what came after is lost")
            return False
        except OSError as error:
            raise StoreBroken(unwritable("usage counters in", self.folder, error)) from error
        return True

    def remove(self, names: Iterable[CounterFileName]) -> None:
        """Remove files whose counts are in the database for good."""
        for name in names:
            (self.folder / str(name)).unlink(missing_ok=True)
            self._unreadable.discard(name)
        self._notifier.notify()


def newest_undamaged(generations: Sequence[CounterFile]) -> CounterFile | None:
    """Return the file to count in; None if there is none that is not damaged."""
    return next((file for file in reversed(generations) if not file.name.damaged), None)
