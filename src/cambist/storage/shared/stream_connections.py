"""The connections of each account to all stream processes, in a memory-mapped file.

Each process writes its own numbers only, and clears them when it starts: a killed one closed no connection itself.
"""

from __future__ import annotations

import mmap
import os
from pathlib import Path

MAX_PROCESSES = 16
"""How many stream processes there may be: each account has a number for each of them in the file."""

OTHER_NODES = MAX_PROCESSES - 1
"""On one of several nodes, the number of the last process is that of the connections to other nodes."""

_NUMBER_BYTES = 4
_ROW_BYTES = MAX_PROCESSES * _NUMBER_BYTES
_ACCOUNTS = 1024
"""By how many accounts the file grows."""


class StreamConnections:
    """Counts the connections of accounts to one of several stream processes, and knows those of the others.

    On one of several nodes these are also those of other nodes.
    """

    def __init__(self, path: Path, process: int, processes: int, *, is_node: bool = False) -> None:
        """Map the file; create it if it does not exist. `process` counts from 0. Errors: OSError."""
        self._path = path
        self._process = process
        self._is_node = is_node
        self._processes = processes
        self._accounts = 0
        self._map(0)
        for account in range(self._accounts):
            self._numbers[account * MAX_PROCESSES + process] = 0

    def add(self, account: int) -> int:
        """Count a connection, and return how many the account has now to all processes. Errors: OSError."""
        if account >= self._accounts:
            self._map(account)
        first = account * MAX_PROCESSES
        # Counted before it is summed: two processes at once may both see too many, but never too few.
        self._numbers[first + self._process] += 1
        count = sum(self._numbers[first : first + self._processes])
        return count + self._numbers[first + OTHER_NODES] if self._is_node else count

    def remove(self, account: int) -> None:
        """Stop counting a connection that was added."""
        self._numbers[account * MAX_PROCESSES + self._process] -= 1

    def set_own(self, account: int, connections: int) -> None:
        """Set the own number of an account. Errors: OSError."""
        if account >= self._accounts:
            self._map(account)
        self._numbers[account * MAX_PROCESSES + self._process] = connections

    def numbers(self) -> memoryview[int]:
        """Return the numbers of all accounts, each with MAX_PROCESSES of them, as the file is now. Errors: OSError."""
        self._map(0)
        return self._numbers

    def _map(self, account: int) -> None:
        """Map the file with room for an account. It never shrinks, because others have it mapped."""
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            size = max(account // _ACCOUNTS + 1, -(-os.fstat(file).st_size // (_ACCOUNTS * _ROW_BYTES)))
            os.posix_fallocate(file, 0, size * _ACCOUNTS * _ROW_BYTES)
            self._numbers = memoryview(mmap.mmap(file, size * _ACCOUNTS * _ROW_BYTES)).cast("I")
        finally:
            os.close(file)
        self._accounts = size * _ACCOUNTS
