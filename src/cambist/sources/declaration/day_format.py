"""The formats of days, as in `strftime`. Names are English: the process never sets another locale."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from cambist.sources.declaration.month_names import NamedMonths

_ONCE = ({"%Y", "%y"}, {"%m", "%-m", "%b", "%B"}, {"%d", "%-d"})
PARTS = ("year", "month", "day")
_ONLY_READ = {"%a", "%A", "%H", "%M", "%S", "%f", "%z"}
_KNOWN = ("%Y", "%y", "%m", "%-m", "%b", "%B", "%d", "%-d", *sorted(_ONLY_READ), "%%")
_MOMENTS = {"unix": (11, 1), "unix_ms": (14, 1000)}
"""By format: the most digits of a moment, and its units per second (since 1970)."""
_DIRECTIVE = re.compile("%-?(.)", re.DOTALL)
_BELOW_MICROSECONDS = re.compile(r"(?<=\.[0-9]{6})[0-9]{1,3}")


class DayFormat:
    """One format of days. Errors: ValueError if the format is wrong.

    `months` are the names of the months instead of the English ones, each with its variants: `sep|sept`.
    """

    def __init__(self, form: str, months: Sequence[str] = ()) -> None:
        self.form = form
        self._names = NamedMonths(form, months) if months else None
        directives = _directives(form)
        self._only_read = _ONLY_READ.intersection(directives)
        if form in _MOMENTS:
            return
        _refuse_unknown(directives)
        rest = _DIRECTIVE.sub("", form)
        if "%" in rest or "\0" in rest or any(sum(map(directives.count, one)) != 1 for one in _ONCE):
            raise ValueError(f"[{form}] does not hold a year, a month and a day once each")
        self._parsed_form = _DIRECTIVE.sub(r"%\1", form)

    @property
    def can_be_written(self) -> bool:
        """Whether it only has parts of a day, so that a URL can contain it."""
        return self.form not in _MOMENTS and not self._only_read

    def parse(self, text: str, zone: ZoneInfo) -> date | None:
        """Parse a day; return None if it has another format. The day of a moment, with `%z` too, is that in `zone`."""
        if self.form in _MOMENTS:
            return self._day_of_moment(text, zone)
        if self._names:
            return self._names.parse(text)
        if "%f" in self._only_read:
            text = _BELOW_MICROSECONDS.sub("", text)
        try:
            moment = datetime.strptime(text, self._parsed_form)  # noqa: DTZ007  without %z it is in the source's zone
            day = (moment.astimezone(zone) if moment.tzinfo else moment).date()
        except (ValueError, OverflowError):
            return None
        # strptime accepts missing zeros and extra blanks; fractions and zones have several valid forms.
        is_exact = self._only_read & {"%f", "%z"} or moment.strftime(self.form).casefold() == text.casefold()
        return day if is_exact else None

    def parse_moment(self, text: str, zone: ZoneInfo) -> datetime | None:
        """Parse a time in `zone`, or in the zone that it names, to the second (UTC); None if it has another format."""
        if self.form in _MOMENTS:
            day = self._day_of_moment(text, zone)
            return datetime.fromtimestamp(int(text) // _MOMENTS[self.form][1], UTC) if day else None
        if "%f" in self._only_read:
            text = _BELOW_MICROSECONDS.sub("", text)
        try:
            moment = datetime.strptime(text, self._parsed_form)  # noqa: DTZ007  its zone follows
            return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC).replace(microsecond=0)
        except (ValueError, OverflowError):
            return None

    def format(self, day: date) -> str:
        """Format a day."""
        return day.strftime(self.form)

    def _day_of_moment(self, text: str, zone: ZoneInfo) -> date | None:
        digits, parts = _MOMENTS[self.form]
        if not (text.isascii() and text.isdigit() and len(text) <= digits and str(int(text)) == text):
            return None
        return datetime.fromtimestamp(int(text) // parts, zone).date()


def parts_written(form: str) -> set[str]:
    """Return the parts of a day (`year`, `month`, `day`) that a format writes. Errors: ValueError for other parts."""
    directives = _directives(form)
    if form not in _MOMENTS:
        _refuse_unknown(directives)
    if form in _MOMENTS or _ONLY_READ.intersection(directives):
        raise ValueError(f"contains a time of day: [{form}]")
    return {name for name, one in zip(PARTS, _ONCE, strict=True) if one.intersection(directives)}


def _directives(form: str) -> list[str]:
    return [found[0] for found in _DIRECTIVE.finditer(form)]


def _refuse_unknown(directives: list[str]) -> None:
    if unknown := [each for each in directives if each not in _KNOWN]:
        raise ValueError(f"has an unknown part [{unknown[0]}]; there are {' '.join(_KNOWN)}, unix and unix_ms")
