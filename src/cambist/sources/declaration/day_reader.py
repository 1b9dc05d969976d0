"""The days of a declared source, and the times at which it published its rates."""

from __future__ import annotations

import re
from datetime import date, datetime
from zoneinfo import ZoneInfo

from cambist.errors import shorten
from cambist.sources.declaration.day_format import DayFormat
from cambist.sources.declaration.declaration import DeclaredDay
from cambist.sources.parsing import PayloadReader

_LONGEST_TEXT = 20_000
"""Characters: no more of what stands around a table is searched for its day."""


class DayReader:
    """Reads the texts of days in a source's zone."""

    def __init__(self, day: DeclaredDay, days: tuple[date, date | None], zone: ZoneInfo, reader: PayloadReader) -> None:
        """Read days from the first of `days` to the last, None for a source that goes on."""
        self._formats = [DayFormat(form, day.months) for form in day.forms]
        self._published = DayFormat(day.published_form)
        self._pattern = re.compile(day.pattern) if day.pattern else None
        self._skipped_since = day.skipped_since if day.earlier == "skip" else days[0]
        self._first_day, self._last_day = days
        self._zone = zone
        self._reader = reader

    def read(self, text: str) -> date | None:
        """Return a day; None for one before the first that is to be skipped. Errors: SourceBroken."""
        day = self._parse(self._matched(text))
        if day is not None and self._skipped_since <= day < self._first_day:
            return None
        if day is None or day < self._first_day:
            raise self._reader.broken(f"[{shorten(text)}] is not a date since {self._first_day}")
        if self._last_day is not None and day > self._last_day:
            raise self._reader.broken(f"[{shorten(text)}] is after the last day of the source, {self._last_day}")
        return day

    def asked(self, text: str) -> date:
        """Return the day that was requested. Errors: SourceBroken."""
        try:
            return date.fromisoformat(text)
        except ValueError:
            raise self._reader.broken("the answer has no day, and none was requested") from None

    def published_at(self, text: str | None) -> datetime | None:
        """Return when a rate was published; None if that is not said in the declared format."""
        return None if text is None else self._published.parse_moment(text, self._zone)

    def _parse(self, text: str) -> date | None:
        days = (each.parse(text, self._zone) for each in self._formats)
        return next((day for day in days if day is not None), None)

    def _matched(self, text: str) -> str:
        if self._pattern is None:
            return text
        found = {match[1] for match in self._pattern.finditer(text[:_LONGEST_TEXT])}
        if len(found) != 1:
            raise self._reader.broken(f"the day is there {len(found)} times in [{shorten(text)}], not once")
        return found.pop()
