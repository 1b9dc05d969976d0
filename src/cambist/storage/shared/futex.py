"""Wait for a change of a number in shared memory without looking again and again: futexes, which Linux has.

On other systems, and where the kernel refuses, a wait is a short sleep.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import platform
import sys
from time import sleep

_POLL_SECONDS = 0.01
_WAIT, _WAKE, _ALL = 0, 1, 2**31 - 1
_BITS = 1 << 32
_CALLS = {"x86_64": 202, "aarch64": 98, "riscv64": 98}
"""The number of the system call by machine."""

_EXPECTED = {errno.EAGAIN, errno.ETIMEDOUT, errno.EINTR}
_CALL = _CALLS.get(platform.machine()) if sys.platform == "linux" and sys.maxsize > _BITS else None
_LIBRARY = ctypes.CDLL(None, use_errno=True) if _CALL else None


class _Timeout(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class Futex:
    """Four bytes at a place of mapped memory that processes share."""

    def __init__(self, memory: mmap.mmap, offset: int) -> None:
        self._number = ctypes.c_uint32.from_buffer(memory, offset)
        self._address = ctypes.byref(self._number)
        self._is_refused = _LIBRARY is None

    def value(self) -> int:
        """Return the number."""
        return self._number.value

    def wake(self) -> None:
        """Change the number, and end the waits of all processes."""
        self._number.value = (self._number.value + 1) % _BITS
        if _LIBRARY is not None:
            _LIBRARY.syscall(_CALL, self._address, _WAKE, _ALL, None, None, 0)

    def wait(self, seen: int, seconds: float) -> None:
        """Wait until the number is not `seen`, but not longer than some seconds; it may end before, too."""
        if _LIBRARY is None or self._is_refused:
            sleep(min(seconds, _POLL_SECONDS))
            return
        timeout = _Timeout(int(seconds), int(seconds % 1 * 1_000_000_000))
        failed = _LIBRARY.syscall(_CALL, self._address, _WAIT, seen, ctypes.byref(timeout), None, 0)
        self._is_refused = failed != 0 and ctypes.get_errno() not in _EXPECTED
