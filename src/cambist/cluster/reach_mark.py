"""When a node's link last reached the other nodes, for its ingest process: eight bytes in the data folder."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from contextlib import suppress
from math import inf
from pathlib import Path

_SECONDS = struct.Struct("<d")


class ReachMark:
    """The mark: one process writes it, another reads it.

    `elapsed` returns seconds of a clock that both processes share, and that is never set.
    """

    def __init__(self, path: Path, elapsed: Callable[[], float]) -> None:
        self._path = path
        self._elapsed = elapsed
        self._begun_at = elapsed()

    def record(self) -> None:
        """Record that the others were reached now. What cannot be written is the same as not having reached them."""
        with suppress(OSError):
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o600)
            try:
                os.pwrite(descriptor, _SECONDS.pack(self._elapsed()), 0)
            finally:
                os.close(descriptor)

    def silence(self, patience: float) -> float:
        """Return for how many seconds the others were not reached.

        In the first seconds of this process, its `patience`, the link may not be there yet: these do not count.
        """
        now = self._elapsed()
        try:
            reached_at: float = _SECONDS.unpack(self._path.read_bytes())[0]
        except (OSError, struct.error):
            reached_at = -inf
        if reached_at > now:  # of a start of the machine before this one: its clock begins anew
            reached_at = -inf
        return max(0.0, now - max(reached_at, self._begun_at + patience))
