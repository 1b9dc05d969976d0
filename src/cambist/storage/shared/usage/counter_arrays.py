"""The counters of a file as arrays, to read many accounts at once. Workers read one at a time, and do not import it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cambist.storage.shared.usage.counter import COUNT, INVERSE
from cambist.storage.shared.usage.counter_file import CounterFile
from cambist.storage.shared.usage.layout import MARKED_TOGETHER, MARKS

Counts = NDArray[np.uint64]
Numbers = NDArray[np.int64]
"""Numbers of accounts."""

_COUNT, _INVERSE = np.uint64(COUNT), np.uint64(INVERSE)


def marks_of(file: CounterFile) -> Counts:
    """Return a copy of the marks of a file."""
    return np.array(file.marks(), np.uint64)


def accounts_of_marks(file: CounterFile, before: Counts | None, now: Counts) -> Numbers:
    """Return the accounts of the marks that have moved; all that may have calls if none were read before."""
    if before is None:
        return _accounts_with_data(file)
    moved = (now != before).reshape(-1, MARKS).any(axis=0)
    if not moved.any():
        return np.zeros(0, np.int64)
    accounts = _accounts_with_data(file)
    marked: Numbers = accounts[moved[(accounts >> MARKED_TOGETHER) % MARKS]]
    return marked


def _accounts_with_data(file: CounterFile) -> Numbers:
    return np.fromiter(file.used(), np.int64)


def used_accounts(file: CounterFile) -> Numbers:
    """Return the mapped accounts with any counter that was ever written."""
    accounts = _accounts_with_data(file)
    used: Numbers = accounts[_by_account(file)[accounts].any(axis=(1, 2))]
    return used


def totals_of(file: CounterFile, accounts: Numbers) -> Counts:
    """Return the totals of mapped accounts, unchecked, to compare with an earlier reading."""
    totals: Counts = _by_account(file)[accounts, 0, :].sum(axis=1) * _INVERSE
    return totals


def checked_rows(file: CounterFile, accounts: Numbers) -> tuple[Counts, NDArray[np.bool_]]:
    """Return the calls of accounts by row without invalid counters, and which accounts have only valid ones."""
    counts = _by_account(file)[accounts] * _INVERSE
    is_damaged = counts > _COUNT
    counts[is_damaged] = 0
    is_valid: NDArray[np.bool_] = np.logical_not(np.any(is_damaged, axis=(1, 2)))
    return counts[:, 1:].sum(axis=2), is_valid


def largest_values(file: CounterFile) -> dict[int, int]:
    """Return the largest valid value over all slots, of each mapped account that has one."""
    accounts = _accounts_with_data(file)
    counts = _by_account(file)[accounts] * _INVERSE
    counts[counts > _COUNT] = 0
    largest = zip(accounts.tolist(), counts.max(axis=(1, 2), initial=0).tolist(), strict=True)
    return {account: value for account, value in largest if value}


def _by_account(file: CounterFile) -> Counts:
    """Return the counters by account, row and slot."""
    counters = np.frombuffer(file.counters_of(0, file.accounts), np.uint64)
    return counters.reshape(file.accounts, 1 + len(file.layout.rows), file.slots)
