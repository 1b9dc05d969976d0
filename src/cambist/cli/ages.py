"""How commands write an age: short, in its largest unit."""

from __future__ import annotations

from datetime import timedelta

_UNITS = (
    ("d", timedelta(days=1), 2),
    ("h", timedelta(hours=1), 1),
    ("min", timedelta(minutes=1), 1),
)
"""A unit, its length, and from how many on it is used: 30 hours say more than one day."""


def written_age(age: timedelta) -> str:
    """Write an age such as 22d, 3h, 5min or 12.3s; whole units are cut off, not rounded. A clock ahead is 0.0s."""
    for name, unit, least in _UNITS:
        if age >= unit * least:
            return f"{age // unit}{name}"
    tenths = max(age, timedelta()) // timedelta(milliseconds=100)
    return f"{tenths / 10:.1f}s"
