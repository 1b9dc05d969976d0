"""The ECB: its real history, from an installed package, continued until today."""

from __future__ import annotations

import io
import re
import zipfile
from datetime import date, timedelta
from functools import cached_property
from pathlib import Path

from currency_converter import CURRENCY_FILE
from faults import Reply
from official import SourceCall, tag
from recordings import Calendar, Change, as_it_is

_FILES = r"^www\.ecb\.europa\.eu/stats/eurofxref/eurofxref-(?P<name>hist-90d\.xml|hist\.zip|daily\.xml)"
_AGREES = date(2026, 3, 20)
"""Most other recordings are of the days before, so the rates after the real history start there and all agree."""

_WINDOW = 65
_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" '
    'xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">\n\t<gesmes:subject>Reference rates</gesmes:subject>\n'
    "\t<gesmes:Sender>\n\t\t<gesmes:name>European Central Bank</gesmes:name>\n\t</gesmes:Sender>\n\t<Cube>\n"
)
_TAIL = "\t</Cube>\n</gesmes:Envelope>\n"


class Ecb:
    """Answers with the XML of 90 days and the zip of all."""

    key = "ecb"

    @cached_property
    def _lines(self) -> list[str]:
        with zipfile.ZipFile(Path(CURRENCY_FILE)) as archive:
            return archive.read(archive.namelist()[0]).decode("ascii").splitlines()

    @cached_property
    def _codes(self) -> list[str]:
        return self._lines[0].rstrip(",").split(",")[1:]

    @cached_property
    def _history(self) -> dict[date, list[str]]:
        rows = (line.rstrip(",").split(",") for line in self._lines[1:])
        return {date.fromisoformat(row[0]): row[1:] for row in rows}

    @cached_property
    def _window(self) -> list[list[str]]:
        return [self._history[day] for day in sorted(self._history) if day <= _AGREES][: -_WINDOW - 1 : -1]

    def row(self, calendar: Calendar, day: date) -> list[str] | None:
        """Return a day's rates in the order of the columns: real ones, or invented ones that continue them."""
        if day <= max(self._history):
            return self._history.get(day)
        return self._window[calendar.place(day, len(self._window))]

    def rates(self, calendar: Calendar) -> dict[str, float]:
        """Return units per euro on the newest day."""
        row = self.row(calendar, calendar.newest) or self._window[0]
        return {code: float(text) for code, text in zip(self._codes, row, strict=True) if text != "N/A"}

    def answer(self, asked: SourceCall) -> Reply | None:
        match = re.search(_FILES, asked.text)
        if match is None:
            return None
        newest = asked.calendar.newest
        if match["name"] == "hist.zip":
            body, media = self._zip(asked), "application/zip"
        else:
            first = newest - timedelta(days=90) if "90d" in match["name"] else newest
            body, media = self._xml(asked, first).encode(), "text/xml"
        return Reply(body, media, headers=tag(body))

    def _xml(self, asked: SourceCall, first: date) -> str:
        days = [day for day in asked.calendar.days(first, asked.calendar.newest) if self.row(asked.calendar, day)]
        return _HEAD + "".join(self._cube(asked, day) for day in reversed(days)) + _TAIL

    def _cube(self, asked: SourceCall, day: date) -> str:
        row = _apply_change(self.row(asked.calendar, day) or [], asked.change)
        rates = "".join(
            f'<Cube currency="{code}" rate="{rate}"/>'
            for code, rate in zip(self._codes, row, strict=True)
            if rate != "N/A"
        )
        return f'\t\t<Cube time="{day + asked.calendar.shift}">{rates}</Cube>\n'

    def _zip(self, asked: SourceCall) -> bytes:
        calendar = asked.calendar
        since = max(self._history) + timedelta(days=1)
        rows = {day: self.row(calendar, day) or [] for day in calendar.days(since, calendar.newest)} | self._history
        lines = [
            ",".join((str(day + calendar.shift), *_apply_change(rows[day], asked.change), ""))
            for day in sorted(rows)[::-1]
        ]
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            member = zipfile.ZipInfo("eurofxref-hist.csv", (2026, 1, 1, 0, 0, 0))  # the same bytes give the same tag
            archive.writestr(member, "\n".join((self._lines[0], *lines, "")))
        return packed.getvalue()


def _apply_change(row: list[str], change: Change) -> list[str]:
    """Change the dollar, which is the first column."""
    return row if change is as_it_is or not row or row[0] == "N/A" else [change(row[0]), *row[1:]]
