"""The clocks. The edges of the service read them; everything inside gets the time as an argument."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

WallClock = Callable[[], float]
"""A clock that returns seconds since 1970, such as `time.time`."""


def utc_now() -> datetime:
    """Return the current time, in UTC."""
    return datetime.now(UTC)


Uptime = tuple[str, float]
"""Which start of the machine it is, and the seconds since: all processes read the same, and nobody can set it."""

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def uptime() -> Uptime:
    """Return the time since the start of the machine, suspensions included where the system tells them."""
    try:
        start = _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:  # other systems than Linux
        start = "-"
    return start, time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
