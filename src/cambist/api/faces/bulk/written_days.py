"""Days as spreadsheets and banks write them: `30.10.2026`, `10/30/2026`. Their order is declared, never guessed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from cambist.api.questions.parameters import Param
from cambist.errors import BadParameter, shorten

_ORDERS = ("dmy", "mdy", "ymd")
_ACCEPTED = "dmy, mdy or ymd, or a form such as DD.MM.YYYY"
_FORM = re.compile("[./ -]?".join(["%?(d+|m+|y+)"] * 3))
_DAY = re.compile(r"(\d{1,4})([./-]) ?(\d{1,2})\2 ?(\d{1,4})", re.ASCII)
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_SHORT, _LONG = 2, 4
_FIRST_YEAR = 1970
"""Two digits are a year from here on: history begins then."""


@dataclass(frozen=True, slots=True)
class WrittenDay:
    """A day, and how it was written, so that another one can be written alike."""

    day: date
    order: str = ""
    separator: str = "-"
    year_digits: int = _LONG

    def write(self, day: date) -> str:
        """Return another day in the form of this one; without an order as YYYY-MM-DD."""
        parts = {"d": f"{day.day:02}", "m": f"{day.month:02}", "y": str(day.year)[-self.year_digits :]}
        return self.separator.join(parts[part] for part in self.order or "ymd")


def day_order(name: str, **options: Any) -> Param:
    """Declare the order in which days are written: `dmy`, `mdy`, `ymd`, or a form such as `DD.MM.YYYY`."""
    return Param(name, _parse_order, default=None, selects_data=False, **options)


def _parse_order(name: str, text: str) -> str:
    found = _FORM.fullmatch(text.lower())
    order = "".join(part[0] for part in found.groups()) if found else text.lower()
    if order not in _ORDERS:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes {_ACCEPTED}")
    return order


def read_written_day(text: str, order: str | None) -> WrittenDay | None:
    """Return a day that is written as declared; None if it is in no such form, such as an ISO 8601 day.

    Errors: BadParameter if there is no such day, and if the order is not declared.
    """
    if _ISO.fullmatch(text) or not (found := _DAY.fullmatch(text)):
        return None
    if order is None:
        raise _undeclared(text, found)
    day = _day(found, order)
    if day is None:
        raise BadParameter(f"Invalid date: [{text}] is no day with dates={order}{_others(found)}")
    return WrittenDay(day, order, found[2], len(_parts(found, order)["y"]))


def _parts(found: re.Match[str], order: str) -> dict[str, str]:
    return dict(zip(order, (found[1], found[3], found[4]), strict=True))


def _day(found: re.Match[str], order: str) -> date | None:
    parts = _parts(found, order)
    if max(len(parts["d"]), len(parts["m"])) > _SHORT or len(parts["y"]) not in (_SHORT, _LONG):
        return None
    year = int(parts["y"])
    if len(parts["y"]) == _SHORT:
        year = _FIRST_YEAR + (year - _FIRST_YEAR) % 100
    try:
        return date(year, int(parts["m"]), int(parts["d"]))
    except ValueError:
        return None


def _readings(found: re.Match[str]) -> Iterator[tuple[str, date]]:
    for order in _ORDERS:
        day = _day(found, order)
        if day is not None:
            yield order, day


def _others(found: re.Match[str]) -> str:
    readings = [f"{day} with dates={order}" for order, day in _readings(found)]
    return f": it is {' or '.join(readings)}" if readings else ""


def _undeclared(text: str, found: re.Match[str]) -> BadParameter:
    readings = [*_readings(found)]
    if not readings:
        return BadParameter(f"Invalid date: [{text}], it takes a day as YYYY-MM-DD, such as 2024-02-29")
    if len({day for _, day in readings}) == 1:
        order, day = readings[0]
        return BadParameter(f"Invalid date: [{text}], declare dates={order} if it is {day}, or write YYYY-MM-DD")
    both = " and as ".join(f"{day}, with dates={order}" for order, day in readings)
    return BadParameter(f"Invalid date: [{text}] can be read as {both}: declare one of them")
