"""Days as central banks write them, in English whatever the locale of the process."""

from __future__ import annotations

from datetime import date

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
"""The short English names of the months."""


def short_day(day: date) -> str:
    """Write a day as `17 Mar 2026`."""
    return f"{day:%d} {MONTHS[day.month - 1]} {day:%Y}"
