"""Create counter files before they are needed, so that a full disk is found a day before it could stop counting."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import date, timedelta

from cambist.errors import StoreBroken
from cambist.storage.atomic_file import unwritable
from cambist.storage.shared.usage.counter_file import CounterFile
from cambist.storage.shared.usage.file_set import CounterFileSet
from cambist.storage.shared.usage.worker_counters import ADMITTED, KEYS
from cambist.storage.shared.usage.writer_slot import lock_path

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class RequiredSpace:
    """What there must be space for: endpoints, writer slots, and the highest numbers of an account and of a key."""

    endpoints: tuple[str, ...]
    slots: int
    account: int
    key: int


def reserve_space(file_set: CounterFileSet, required: RequiredSpace, today: date) -> None:
    """Create the files of today and tomorrow, those of requests and keys, and the locks of the slots.

    There is then space for the first accounts, and for all that have called on the days before. Errors: StoreBroken.
    """
    try:
        for slot in range(required.slots):
            os.close(os.open(lock_path(file_set.folder, slot), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise StoreBroken(unwritable("usage counters in", file_set.folder, error)) from error
    days = [day.isoformat() for day in (today, today + _DAY)]
    _reserve(file_set, KEYS, required.key, required.slots)
    callers = _callers(file_set)
    for stem in (ADMITTED, *days):
        file = _reserve(file_set, stem, required.account, required.slots, required.endpoints if stem in days else ())
        for account in callers:
            if file.ensure_mapped(account):
                file.allocate(account)


def _callers(file_set: CounterFileSet) -> list[int]:
    """Return the accounts that have called on any day of which there are files."""
    files = [file for stem, each in file_set.files.items() if stem not in {ADMITTED, KEYS} for file in each]
    return sorted({account for file in files for account in file.counted() if file.total(account)})


def _reserve(file_set: CounterFileSet, stem: str, highest: int, slots: int, rows: tuple[str, ...] = ()) -> CounterFile:
    file = file_set.file_for(stem, slots - 1, slots, rows)
    if not file.ensure_mapped(highest):
        file_set.grow(file, highest)
    return file
