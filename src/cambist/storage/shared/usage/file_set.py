"""The pages of a folder as one process has them mapped.

There may be several generations of a page: a worker that needs other rows or more columns than the newest one has adds
the next, and a damaged one is succeeded. Calls are counted in the newest sound one and summed over all.
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
_SHOWN = 5
_INCARNATIONS = 1 << 62
_GENERATIONS = 10**9

Pages = Mapping[str, Sequence[CounterFile]]
"""Pages by stem, oldest generation first."""


class CounterFileSet:
    """Maps every page of the folder, checks each once, and looks again when another process tells of news."""

    def __init__(self, folder: Path) -> None:
        """Create the folder if need be and map its pages. Errors: StoreBroken."""
        self.folder = folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._notifier = ChangeNotifier(folder / "version")
        except OSError as error:
            raise StoreBroken(f"The ledger {folder} cannot be opened: {error.strerror}") from error
        self.version = self._notifier.versions[:1]
        self._seen = _NEVER
        self.pages: Pages = {}
        self._open: dict[CounterFileName, CounterFile] = {}
        self._unreadable: set[CounterFileName] = set()
        self._changing = threading.RLock()
        # Whoever made a page and was killed before it told of it is replaced by one of us.
        self._notifier.notify()
        self.look()

    def look(self) -> tuple[int, Pages]:
        """Map what is new in the folder and let go of what has gone; give the version that was seen, and all pages.

        Errors: StoreBroken.
        """
        with self._changing:
            # Before looking, so that news during the look is seen afterwards.
            self._seen = self.version[0]
            try:
                there = self.names()
                self._let_go(name for name, page in self._open.items() if not page.is_in(self.folder))
                for name in sorted(there - self._open.keys() - self._unreadable):
                    self._map(name)
            except OSError as error:
                self._seen = _NEVER
                raise StoreBroken(f"The ledger {self.folder} cannot be read: {error.strerror}") from error
            return self._seen, self.pages

    def names(self) -> set[CounterFileName]:
        """Give the names of all pages that are in the folder."""
        names = (CounterFileName.read(path.name) for path in self.folder.iterdir())
        return {name for name in names if name is not None}

    def known(self) -> set[CounterFileName]:
        """Give the names of the pages that are mapped, and of those of which nothing can be read."""
        return self._open.keys() | self._unreadable

    def _map(self, name: CounterFileName) -> None:
        """Map a page and check it; one that is set aside already is taken as it is."""
        try:
            page = CounterFile(self.folder, name)
            faults = [] if name.damaged else page.faults()
        except FileNotFoundError:
            return
        except ValueError as error:
            if name.damaged:
                self._unreadable.add(name)
            else:
                self.set_aside(name, f"{error}, and all is lost that it counted after it was last folded")
            return
        if faults:
            more = [f"and {len(faults) - _SHOWN} more"] if len(faults) > _SHOWN else []
            self.set_aside(name, "; ".join([*faults[:_SHOWN], *more]))
        else:
            self._bind([*self._open.values(), page])

    def _let_go(self, gone: Iterable[CounterFileName]) -> None:
        if left := set(gone):
            self._bind([page for page in self._open.values() if page.name not in left])

    def _bind(self, pages: Iterable[CounterFile]) -> None:
        ordered = sorted(pages, key=lambda page: page.name)
        by_stem: dict[str, list[CounterFile]] = {}
        for page in ordered:
            by_stem.setdefault(page.name.stem, []).append(page)
        self._open = {page.name: page for page in ordered}
        self.pages = by_stem

    def set_aside(self, name: CounterFileName, fault: str) -> None:
        """Rename a page that is damaged and map it anew: what still checks in it is not lost."""
        aside = CounterFileName(name.stem, name.generation, damaged=True)
        with self._changing:
            self._let_go([name])
            try:
                (self.folder / str(name)).rename(self.folder / str(aside))
            except FileNotFoundError:
                # Another process was faster, or the page has been removed.
                self._seen = _NEVER
                return
            _log.warning(
                "The ledger's page %s is damaged (%s); it is set aside as %s", self.folder / str(name), fault, aside
            )
            self._map(aside)
            self._notifier.notify()

    def fitting(self, stem: str, column: int, width: int, rows: Iterable[str] = ()) -> CounterFile:
        """Give the newest page if it has these rows and this column, or else create the next, `width` columns wide.

        Errors: StoreBroken.
        """
        with self._changing:
            self.look()
            while (
                (page := newest(self.pages.get(stem, ()))) is None
                or page.columns <= column
                or not page.rows.keys() >= set(rows)
            ):
                self._create(self._next(stem, page, width, rows))
                self.look()
            return page

    def _next(self, stem: str, last: CounterFile | None, width: int, rows: Iterable[str]) -> CounterFileLayout:
        """Plan a page that also fits those who were content with the last."""
        taken = [name.generation for name in self.names() if name.stem == stem]
        had, columns = ((), 0) if last is None else (last.layout.rows, last.columns)
        return CounterFileLayout(
            stem,
            max(taken, default=-1) + 1,
            max(columns, width),
            tuple(dict.fromkeys((*had, *rows))),
            incarnation=_GENERATIONS + secrets.randbelow(_INCARNATIONS),
        )

    def _create(self, layout: CounterFileLayout) -> None:
        try:
            create_counter_file(self.folder, layout)
        except OSError as error:
            raise StoreBroken(unwritable("ledger", self.folder, error)) from error
        self._notifier.notify()

    def grow(self, page: CounterFile, account: int) -> bool:
        """Make room for an account in a page; tell whether it could be done, or the page is cut off and set aside.

        Errors: StoreBroken when the disk is full; ValueError for a negative number.
        """
        if account < 0:
            raise ValueError(f"There is no account {account}")
        try:
            page.grow(account)
        except ValueError as error:
            self.set_aside(page.name, f"{error}, and what came after is lost")
            return False
        except OSError as error:
            raise StoreBroken(unwritable("ledger", self.folder, error)) from error
        return True

    def remove(self, names: Iterable[CounterFileName]) -> None:
        """Remove pages that are folded for good."""
        for name in names:
            (self.folder / str(name)).unlink(missing_ok=True)
            self._unreadable.discard(name)
        self._notifier.notify()


def newest(generations: Sequence[CounterFile]) -> CounterFile | None:
    """Give the page to count in; None when there is no sound one."""
    return next((page for page in reversed(generations) if not page.name.damaged), None)
