"""Recorded answers, split into records by day and joined again for the requested days.

A recording of some days is played for any day: the newest recorded day stands for the newest that counts as published,
the one before for the weekday before, and so on; at the oldest it turns round and goes forward again. So a day has one
value however it is asked for, and one day's values are near the next one's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cached_property
from pathlib import Path

WEEKDAYS = frozenset(range(5))
SMALL = Path(__file__).parent.parent / "payloads"
"""Invented answers in the sources' formats, used if there is no real recording."""

_KEPT = 65
_WITHIN = timedelta(days=400)
_OF_ONE_TIME = date(2026, 3, 31)
"""Most were recorded in March 2026. Later days of the others are not used, so that all agree."""

Change = Callable[[str], str]
"""The change of a rate by a fault."""


def as_it_is(rate: str) -> str:
    return rate


@dataclass(frozen=True, kw_only=True)
class Form:
    """How a source writes: regular expressions of a record, of its day, and of the rate that faults change.

    `written` are the forms of days in a record, that of `day` first. `count` is what tells how many records there are.
    """

    record: str
    day: str
    written: tuple[str, ...] = ("%Y-%m-%d",)
    rate: str = "(?P<rate>(?!))"
    count: str = ""
    between: str = ""
    encoding: str = "utf-8"


@dataclass(frozen=True)
class Calendar:
    """Which days have rates: those in `on` up to `newest`; faults move what is written of them by `shift`."""

    newest: date
    shift: timedelta = timedelta()
    on: frozenset[int] = WEEKDAYS

    def days(self, first: date, last: date) -> Iterator[date]:
        last = min(last, self.newest)
        for number in range((last - first).days + 1):
            day = first + timedelta(days=number)
            if day.weekday() in self.on:
                yield day

    def in_force(self, day: date) -> date:
        """Return the last day with rates at or before a day."""
        day = min(day, self.newest)
        while day.weekday() not in self.on:
            day -= timedelta(days=1)
        return day

    def place(self, day: date, recorded: int) -> int:
        """Return the index of the recorded day to use for a day, counted from the newest."""
        place = (_weekdays_until(self.newest) - _weekdays_until(day)) % (2 * recorded)
        return place if place < recorded else 2 * recorded - 1 - place


def _weekdays_until(day: date) -> int:
    weeks, rest = divmod(day.toordinal() - 1, 7)  # the first of January of the year 1 was a Monday
    return weeks * 5 + min(rest, 4)


@dataclass(frozen=True)
class Recording:
    """Recorded answers of one kind; `texts` are of different days or of the same."""

    texts: tuple[str, ...]
    form: Form
    _days: dict[date, list[str]] = field(default_factory=dict, init=False, compare=False)

    def __post_init__(self) -> None:
        for text in self.texts:
            found: dict[date, list[str]] = {}
            for match in re.finditer(self.form.record, text, re.DOTALL | re.MULTILINE):
                day = re.search(self.form.day, match[0])
                if day is not None:
                    found.setdefault(_read(day[1], self.form.written[0]), []).append(match[0])
            self._days.update(found | self._days)  # of a day that two texts are of, the first is played

    @cached_property
    def days(self) -> list[date]:
        """The days that are played, newest first."""
        days = sorted((day for day in self._days if day <= _OF_ONE_TIME), reverse=True) or sorted(self._days)[::-1]
        return [day for day in days if days[0] - day <= _WITHIN][:_KEPT]

    @cached_property
    def around(self) -> tuple[str, str]:
        """What stands before the first record, and after the last."""
        records = list(re.finditer(self.form.record, self.texts[0], re.DOTALL | re.MULTILINE))
        if not records:
            return self.texts[0], ""
        return self.texts[0][: records[0].start()], self.texts[0][records[-1].end() :]

    def records(self, calendar: Calendar, days: Iterator[date], change: Change) -> list[str]:
        return [record for day in days for record in self.of(calendar, day, change)]

    def of(self, calendar: Calendar, day: date, change: Change = as_it_is) -> list[str]:
        """Return the records to use for a day, with its date."""
        recorded = self.days[calendar.place(day, len(self.days))]
        return [self._dated(record, recorded, day + calendar.shift, change) for record in self._days[recorded]]

    def _dated(self, record: str, recorded: date, day: date, change: Change) -> str:
        for form in self.form.written:
            record = record.replace(recorded.strftime(form), day.strftime(form))
        if change is as_it_is:
            return record
        return re.sub(
            self.form.rate, lambda match: _apply_change(match, change), record, flags=re.DOTALL | re.MULTILINE
        )

    def whole(self, records: list[str]) -> str:
        """Put records together as an answer."""
        head, tail = self.around
        if self.form.count:
            head = re.sub(self.form.count, lambda match: f"{match[1]}{len(records)}", head)
        return head + self.form.between.join(records) + tail


def _read(text: str, form: str) -> date:
    return datetime.strptime(text, form).date()  # noqa: DTZ007  a day has no zone


def _apply_change(match: re.Match[str], change: Change) -> str:
    start, end = match.start("rate") - match.start(), match.end("rate") - match.start()
    return match[0][:start] + change(match["rate"]) + match[0][end:]


def inverted(rate: str) -> str:
    """Swap base and quote, with as many digits as are usual."""
    value = Decimal(rate.replace(",", "."))
    return _like(rate, f"{1 / value:.6f}") if value else rate


def hundredfold(rate: str) -> str:
    return _like(rate, f"{Decimal(rate.replace(',', '.')) * 100:f}")


def _like(rate: str, plain: str) -> str:
    return plain.replace(".", ",") if "," in rate else plain


@dataclass(frozen=True)
class RecordingFolder:
    """Where recorded answers are: the folder of real ones, and the small invented ones."""

    folder: Path | None

    def text(self, real: str, small: str, encoding: str = "utf-8") -> str:
        """Return the first of two files that exists; the small one if there is no real one."""
        path = self.folder / real if self.folder and real else None
        path = path if path is not None and path.exists() else SMALL / small
        return path.read_bytes().decode(encoding)

    def has(self, real: str) -> bool:
        return self.folder is not None and (self.folder / real).exists()
