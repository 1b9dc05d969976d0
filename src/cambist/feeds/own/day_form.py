"""How a source writes days: the forms of `strftime`, in English whatever the machine's language, and exactly."""

from __future__ import annotations

import re
from datetime import date, datetime
from zoneinfo import ZoneInfo

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_PATTERNS = {
    "%Y": "(?P<year>[0-9]{4})",
    "%y": "(?P<short_year>[0-9]{2})",
    "%m": "(?P<month>0[1-9]|1[0-2])",
    "%-m": "(?P<month>[1-9]|1[0-2])",
    "%b": f"(?P<name>{'|'.join(name[:3] for name in _MONTHS)})",
    "%B": f"(?P<name>{'|'.join(_MONTHS)})",
    "%d": "(?P<day>0[1-9]|[12][0-9]|3[01])",
    "%-d": "(?P<day>[1-9]|[12][0-9]|3[01])",
    "%a": f"(?:{'|'.join(name[:3] for name in _WEEKDAYS)})",
    "%A": f"(?:{'|'.join(_WEEKDAYS)})",
    "%H": "(?:[01][0-9]|2[0-3])",
    "%M": "[0-5][0-9]",
    "%S": "(?:[0-5][0-9]|60)",
    "%f": "[0-9]{1,9}",
    "%z": "(?:Z|[+-][0-9]{2}:?[0-9]{2})",
    "%%": "%",
}
_ONCE = ({"%Y", "%y"}, {"%m", "%-m", "%b", "%B"}, {"%d", "%-d"})
_ONLY_READ = {"%a", "%A", "%H", "%M", "%S", "%f", "%z"}
_MOMENTS = {"unix": (11, 1), "unix_ms": (14, 1000)}
"""Seconds or thousandths since 1970, with the most digits that a moment of this age of the world can have."""
_DIRECTIVE = re.compile("(%-?.)", re.DOTALL)


class DayForm:
    """One form: reads a day that was written like it, and writes one. Errors: ValueError saying what is wrong."""

    def __init__(self, form: str) -> None:
        self.form = form
        self._parts = _DIRECTIVE.split(form)
        directives = self._parts[1::2]
        if form in _MOMENTS:
            return
        if unknown := [each for each in directives if each not in _PATTERNS]:
            raise ValueError(f"has an unknown part [{unknown[0]}]; there are {' '.join(_PATTERNS)}, unix and unix_ms")
        if "%" in "".join(self._parts[::2]) or any(sum(map(directives.count, one)) != 1 for one in _ONCE):
            raise ValueError(f"[{form}] does not hold a year, a month and a day once each")
        parts = (_PATTERNS[part] if place % 2 else re.escape(part) for place, part in enumerate(self._parts))
        self._pattern = re.compile("".join(parts), re.ASCII | re.IGNORECASE)

    @property
    def can_be_written(self) -> bool:
        """Whether it is of days alone, as an address holds them."""
        return self.form not in _MOMENTS and not _ONLY_READ & set(self._parts[1::2])

    def read(self, text: str, zone: ZoneInfo) -> date | None:
        """Give the day as it is written, None where it is no day of this form; a moment's day is that of `zone`."""
        if self.form in _MOMENTS:
            return self._of_a_moment(text, zone)
        found = self._pattern.fullmatch(text)
        try:
            return _day(found.groupdict()) if found else None
        except ValueError:
            return None

    def write(self, day: date) -> str:
        """Write a day."""
        written = {
            "%Y": f"{day.year:04}",
            "%y": f"{day.year % 100:02}",
            "%m": f"{day.month:02}",
            "%-m": str(day.month),
            "%b": _MONTHS[day.month - 1][:3],
            "%B": _MONTHS[day.month - 1],
            "%d": f"{day.day:02}",
            "%-d": str(day.day),
            "%%": "%",
        }
        return "".join(written[part] if place % 2 else part for place, part in enumerate(self._parts))

    def _of_a_moment(self, text: str, zone: ZoneInfo) -> date | None:
        digits, parts = _MOMENTS[self.form]
        if not (text.isascii() and text.isdigit() and len(text) <= digits and str(int(text)) == text):
            return None
        return datetime.fromtimestamp(int(text) // parts, zone).date()


def _day(found: dict[str, str | None]) -> date:
    if short := found.get("short_year"):
        # As POSIX reads two digits.
        year = int(short) + (1900 if int(short) >= 69 else 2000)
    else:
        year = int(found["year"] or 0)
    name = (found.get("name") or "").capitalize()
    month = next(number for number, each in enumerate(_MONTHS, 1) if each.startswith(name)) if name else 0
    return date(year, month or int(found["month"] or 0), int(found["day"] or 0))
