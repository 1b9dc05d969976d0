"""The wall clock. The edges of the service read it; everything inside gets the time as an argument."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

WallClock = Callable[[], float]
"""A clock that returns seconds since 1970, such as `time.time`."""


def utc_now() -> datetime:
    """Return the current time, in UTC."""
    return datetime.now(UTC)
