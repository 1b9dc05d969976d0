"""The days that a request names: the newest table, `today`, a day, two days, or `last` and a number of tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from cambist.api.faces.dialects.bank_rates import REACH
from cambist.errors import BadParameter, shorten

OF_CURRENCY, OF_TABLE = (367, 255), (93, 67)
"""The most days of a period, and the most publications after `last`: of one currency, and of whole tables."""

_ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class TablePeriod:
    """The first and the last day, and how many of the newest publications between them are meant; None for all."""

    first: date
    last: date
    most: int | None = None


def read_period(path: Mapping[str, str], today: date, most_days: int, most_counted: int) -> TablePeriod:
    """Return the period of a path. In Warsaw it may be tomorrow already. Errors: BadParameter."""
    day, end, newest = path.get("day"), path.get("end"), today + _ONE_DAY
    if day is None:
        return TablePeriod(today - REACH, newest, 1)
    if day.lower() == "last" and end is not None:
        count = _count(end, most_counted)
        return TablePeriod(newest - 2 * count * _ONE_DAY - REACH, newest, count)
    if day.lower() == "today" and end is None:
        return TablePeriod(today, today)
    first = _day(day)
    last = first if end is None else _day(end)
    if first > last:
        raise BadParameter(f"Invalid date range: [{first}] is after [{last}]")
    if last > newest:
        raise BadParameter(f"Invalid date range: [{last}] is in the future, the last day is [{today}]")
    if (last - first).days > most_days:
        days = (last - first).days
        raise BadParameter(f"Limit of {most_days} days has been exceeded: [{days}], ask for parts of the period")
    return TablePeriod(first, last)


def _count(text: str, most: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(most)) and int(text) > 0):
        raise BadParameter(f"Invalid number of publications: [{shorten(text)}], it takes 1 to {most}")
    if int(text) > most:
        raise BadParameter(f"Maximum size of {most} data series has been exceeded: [{text}]")
    return int(text)


def _day(text: str) -> date:
    try:
        if len(text) == len("2026-03-02"):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise BadParameter(f"Invalid date: [{shorten(text)}], it takes the form 2026-03-02")
