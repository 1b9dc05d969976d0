"""The threads of a worker that read the database, so that the other requests never wait for it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import BoundedSemaphore, get_ident
from typing import ParamSpec, TypeVar

from cambist.accounts.would_block import WouldBlock
from cambist.errors import StoreBusy

P = ParamSpec("P")
T = TypeVar("T")

READERS = 2
"""How many threads of a worker read the database."""

READ_SECONDS = 1.0
"""How long a request waits for the database."""

_RETRY_SECONDS = 5


class ReaderPool:
    """Calls functions that read the database in threads of its own.

    At most `waiting` requests wait at once, each for at most `within` seconds. A worker with more threads than that can
    always answer what it answers from memory.
    """

    def __init__(self, waiting: int, readers: int = READERS, within: float = READ_SECONDS) -> None:
        self._free = BoundedSemaphore(waiting)
        self._readers = ThreadPoolExecutor(readers, "reader")
        self._within = within
        self._never_waits = 0

    def spare_this_thread(self) -> None:
        """Refuse from now on to let the calling thread wait: its calls raise WouldBlock."""
        self._never_waits = get_ident()

    def call(self, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what `read` returns. Errors: WouldBlock, StoreBusy, and those of `read`."""
        if get_ident() == self._never_waits:
            raise WouldBlock
        if not self._free.acquire(blocking=False):
            raise StoreBusy("Too many requests wait for the database", _RETRY_SECONDS)
        try:
            reading = self._readers.submit(read, *args, **kwargs)
            try:
                return reading.result(self._within)
            except TimeoutError as error:
                reading.cancel()  # if it has not begun
                raise StoreBusy(f"The database did not answer within {self._within:g} s", _RETRY_SECONDS) from error
        finally:
            self._free.release()

    def close(self) -> None:
        """End the threads, when what they read is finished."""
        self._readers.shutdown()
