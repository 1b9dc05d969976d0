"""A bound on the memory of the process while it handles what a source sent."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_STATUS = Path("/proc/self/status")
MOST_BYTES = 1024 * 1024 * 1024
"""Bytes that the handling of one delivery may take, beside what the process had before."""


@contextmanager
def memory_limited(most: int = MOST_BYTES) -> Iterator[None]:
    """Let the process take at most so many more bytes within this context; then a MemoryError is raised.

    Only Linux can bound private memory; elsewhere this does nothing. The bound is one of the whole process, with all
    its threads, and a lower one that was set from outside is kept.
    """
    if sys.platform != "linux":
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    bounds = [bound for bound in (_data_bytes() + most, soft, hard) if bound != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(bounds), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _data_bytes() -> int:
    """Return how much private memory the process has, in the kernel's count for this bound."""
    for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) * 1024
    raise OSError("The kernel does not say how much memory the process has")
