"""Periods of SDMX: days, weeks, months, quarters, half-years and years."""

from __future__ import annotations

import re
from calendar import monthrange
from contextlib import suppress
from datetime import date, timedelta

from cambist.errors import BadParameter, shorten

FREQUENCIES = {"D": "P1D", "M": "P1M", "Q": "P3M", "H": "P6M", "A": "P1Y"}
"""The codes of the frequencies, each with the length of its periods."""

_MONTHS = {"M": 1, "Q": 3, "H": 6, "A": 12}
_MARKS = {"Q": "Q", "H": "S"}
_ALLOWED = "YYYY, YYYY-S1, YYYY-Q1, YYYY-MM, YYYY-W01 or YYYY-MM-DD"
_ONE_DAY = timedelta(days=1)
_PATTERN = re.compile(
    r"(?P<year>[0-9]{4})(-(?P<month>[0-9]{2})(-(?P<day>[0-9]{2})(T[0-9:.]+(Z|[+-][0-9:]+)?)?)?"
    r"|-W(?P<week>[0-9]{2})|-(?P<mark>[QS])(?P<part>[1-4]))?"
)


def period_days(name: str, text: str) -> tuple[date, date]:
    """Return the first and last day of a period that a parameter names, such as 2026, 2026-Q1, 2026-03 or 2026-03-27.

    Errors: BadParameter.
    """
    found = _PATTERN.fullmatch(text)
    with suppress(ValueError, OverflowError):
        if found is not None:
            return _days(found)
    raise BadParameter(f"Invalid {name}: [{shorten(text)}], use {_ALLOWED}")


def _days(found: re.Match[str]) -> tuple[date, date]:
    year = int(found["year"])
    if found["day"]:
        day = date(year, int(found["month"]), int(found["day"]))
        return day, day
    if found["week"]:
        monday = date.fromisocalendar(year, int(found["week"]), 1)
        return monday, monday + 6 * _ONE_DAY
    length = {"Q": 3, "S": 6}[found["mark"]] if found["mark"] else 1 if found["month"] else 12
    month = int(found["month"]) if found["month"] else (int(found["part"] or 1) - 1) * length + 1
    first = date(year, month, 1)
    return first, _month_end(year, month + length - 1)


def period_of(frequency: str, day: date) -> str:
    """Return the period of a frequency that contains a day, as SDMX writes it."""
    if frequency == "D":
        return str(day)
    if frequency == "M":
        return f"{day:%Y-%m}"
    if frequency == "A":
        return f"{day:%Y}"
    return f"{day:%Y}-{_MARKS[frequency]}{(day.month - 1) // _MONTHS[frequency] + 1}"


def bounds(frequency: str, day: date) -> tuple[date, date]:
    """Return the first and last day of the period of a frequency that contains a day."""
    if frequency == "D":
        return day, day
    length = _MONTHS[frequency]
    first = day.replace(month=(day.month - 1) // length * length + 1, day=1)
    return first, _month_end(first.year, first.month + length - 1)


def _month_end(year: int, month: int) -> date:
    """Return the last day of a month. Errors: ValueError if it is none of a year."""
    return date(year, month, monthrange(year, month)[1])
