"""Days whose month has a name in a language other than English."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

_MONTHS = 12
_GROUPS = {
    "%Y": "(?P<year>[0-9]{4})",
    "%y": "(?P<short>[0-9]{2})",
    "%d": "(?P<day>[0-9]{2})",
    "%-d": "(?P<day>[1-9][0-9]?)",
    "%a": r"[^\W\d]+",
    "%A": r"[^\W\d]+",
    "%%": "%",
}
_DIRECTIVE = re.compile("%-?.", re.DOTALL)
_FIRST_SHORT_YEAR = 1969
"""As in strptime, years of two digits are those from 1969 to 2068."""


class NamedMonths:
    """A format of days with `%B` or `%b`, and the names of the months. Errors: ValueError if they do not fit."""

    def __init__(self, form: str, months: Sequence[str]) -> None:
        names = [[name.strip().casefold() for name in month.split("|")] for month in months]
        self._numbers = {name: number for number, each in enumerate(names, 1) for name in each}
        if len(months) != _MONTHS or "" in self._numbers or len(self._numbers) != sum(map(len, names)):
            raise ValueError("must be the names of twelve months, none of them twice")
        directives = _DIRECTIVE.findall(form)
        if not {"%B", "%b"}.intersection(directives):
            raise ValueError(f"has no effect: the format [{form}] has neither %B nor %b")
        if unknown := [each for each in directives if each not in {*_GROUPS, "%B", "%b"}]:
            raise ValueError(f"cannot be used with [{unknown[0]}]")
        literals = map(re.escape, _DIRECTIVE.split(form.casefold()))
        month = "(?P<month>" + "|".join(sorted(map(re.escape, self._numbers), key=len, reverse=True)) + ")"
        groups = [*(_GROUPS.get(each, month) for each in directives), ""]
        self._pattern = re.compile("".join(map("".join, zip(literals, groups, strict=True))), re.UNICODE)

    def parse(self, text: str) -> date | None:
        """Parse a day; return None if it has another format."""
        found = self._pattern.fullmatch(text.casefold())
        if not found:
            return None
        parts = found.groupdict()
        year = int(parts.get("year") or 0) or _full_year(int(parts["short"]))
        try:
            return date(year, self._numbers[parts["month"]], int(parts["day"]))
        except ValueError:
            return None


def _full_year(short: int) -> int:
    century = _FIRST_SHORT_YEAR - _FIRST_SHORT_YEAR % 100
    return century + short if century + short >= _FIRST_SHORT_YEAR else century + 100 + short
