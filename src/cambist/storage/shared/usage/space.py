"""Room in a ledger's folder before it is needed: a full disk is then found a day before anybody would miss a page."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import date, timedelta

from cambist.errors import StoreBroken
from cambist.storage.atomic_file import unwritable
from cambist.storage.shared.usage.file_set import CounterFileSet
from cambist.storage.shared.usage.worker_counters import ADMITTED, KEYS
from cambist.storage.shared.usage.writer_slot import lock_path

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Need:
    """What there must be room for: endpoints, columns, and the highest numbers of an account and a key."""

    endpoints: tuple[str, ...]
    columns: int
    account: int
    key: int


def make_room(file_set: CounterFileSet, need: Need, today: date) -> None:
    """Make the pages of today and tomorrow, the counters and the columns, if they are not there.

    Errors: StoreBroken.
    """
    try:
        for column in range(need.columns):
            os.close(os.open(lock_path(file_set.folder, column), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise StoreBroken(unwritable("ledger", file_set.folder, error)) from error
    days = [day.isoformat() for day in (today, today + _DAY)]
    _fit(file_set, KEYS, need.key, need.columns)
    for stem in (ADMITTED, *days):
        _fit(file_set, stem, need.account, need.columns, need.endpoints if stem in days else ())


def _fit(file_set: CounterFileSet, stem: str, highest: int, columns: int, rows: tuple[str, ...] = ()) -> None:
    page = file_set.fitting(stem, columns - 1, columns, rows)
    if not page.reach(highest):
        file_set.grow(page, highest)
