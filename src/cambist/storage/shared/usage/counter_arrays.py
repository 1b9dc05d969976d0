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
    """Return the accounts of the marks that have moved; all mapped ones if none were read before."""
    if before is None:
        return all_accounts(file)
    moved = (now != before).reshape(-1, MARKS).any(axis=0)
    if not moved.any():
        return np.zeros(0, np.int64)
    blocks = np.arange(-(-file.accounts >> MARKED_TOGETHER))
    accounts = np.add.outer(blocks[moved[blocks % MARKS]] << MARKED_TOGETHER, np.arange(1 << MARKED_TOGETHER)).ravel()
    mapped: Numbers = accounts[accounts < file.accounts]
    return mapped


def all_accounts(file: CounterFile) -> Numbers:
    """Return all mapped accounts."""
    return np.arange(file.accounts)


def used_accounts(file: CounterFile) -> Numbers:
    """Return the mapped accounts with any counter that was ever written."""
    return np.flatnonzero(_by_account(file).any(axis=(1, 2)))


def totals_of(file: CounterFile, accounts: Numbers) -> Counts:
    """Return the totals of mapped accounts, unchecked, to compare with an earlier reading."""
    counters = _by_account(file)[:, 0, :]
    chosen = counters if len(accounts) == file.accounts else counters[accounts]
    totals: Counts = chosen.sum(axis=1) * _INVERSE
    return totals


def checked_rows(file: CounterFile, accounts: Numbers) -> tuple[Counts, NDArray[np.bool_]]:
    """Return the calls of accounts by row without invalid counters, and which accounts have only valid ones."""
    counts = _by_account(file)[accounts] * _INVERSE
    is_damaged = counts > _COUNT
    counts[is_damaged] = 0
    is_valid: NDArray[np.bool_] = np.logical_not(np.any(is_damaged, axis=(1, 2)))
    return counts[:, 1:].sum(axis=2), is_valid


def largest_values(file: CounterFile) -> Counts:
    """Return the largest valid value of each mapped account over all slots."""
    counts = _by_account(file).reshape(file.accounts, -1) * _INVERSE
    counts[counts > _COUNT] = 0
    largest: Counts = counts.max(axis=1)
    return largest


def _by_account(file: CounterFile) -> Counts:
    """Return the counters by account, row and slot."""
    counters = np.frombuffer(file.counters_of(0, file.accounts), np.uint64)
    return counters.reshape(file.accounts, 1 + len(file.layout.rows), file.slots)
