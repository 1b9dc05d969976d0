"""The day, the two days and the year that a request names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from cambist.errors import BadParameter, NoRate, shorten

_DAY = re.compile(r"([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})", re.ASCII)


def read_day(text: str, today: date, name: str = "date") -> date:
    """Return the day of a parameter, today without one or after it. Errors: BadParameter."""
    if not text.strip():
        return today
    found = _DAY.fullmatch(text.strip())
    try:
        if found:
            day, month, year = map(int, found.groups())
            return min(date(year, month, day), today)
    except ValueError:
        pass
    raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes the form 31.12.2025")


def read_days(names: tuple[str, str], query: Mapping[str, str], today: date) -> tuple[date, date]:
    """Return the first and the last day that two parameters name, the last today without it. Errors: BadParameter."""
    start, end = names
    if not query.get(start, "").strip():
        raise BadParameter(f"Invalid {start}: it takes the form 31.12.2025")
    first, last = (read_day(query.get(name, ""), today, name) for name in names)
    if first > last:
        raise BadParameter(f"Invalid {start}: [{first:%d.%m.%Y}] is after [{last:%d.%m.%Y}], the day in {end}")
    return first, last


def read_year(name: str, query: Mapping[str, str], today: date) -> tuple[date, date]:
    """Return the first and the last day of the year that a parameter names, until today; of this year without it.

    Errors: BadParameter, NoRate for a year to come.
    """
    text = query.get(name, "").strip() or str(today.year)
    if not (text.isascii() and text.isdigit() and len(text) == len("2025") and int(text) > 0):
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes a year such as 2025")
    if int(text) > today.year:
        raise NoRate(f"There are no rates of [{text}] yet")
    return date(int(text), 1, 1), min(date(int(text), 12, 31), today)
