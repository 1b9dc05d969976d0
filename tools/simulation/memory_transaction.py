"""Transactions of a store in memory: whole or not at all, with the faults of a machine at the places of a database."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cambist.errors import StoreBroken

Before = Callable[[str], None]
"""Called before each statement, and with COMMIT. Errors: sqlite3.OperationalError, and what ends a node."""


@contextmanager
def transaction(before: Before) -> Iterator[None]:
    """Change a store in a block, which may not fail. Errors: StoreBroken, and what ends a node; before or after it."""
    try:
        before("INSERT")
        before("COMMIT")
    except sqlite3.OperationalError as error:
        raise StoreBroken(str(error)) from error
    yield
    before("AFTER COMMIT")
