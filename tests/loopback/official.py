"""The official daily sources: their requests, and their answers from recordings."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Protocol

from choices import DAYS, TABLES, cbr_sources, choice_sources
from faults import Fault, Reply
from ranges import RANGES
from recordings import WEEKDAYS, Calendar, Change, Form, Recording, RecordingFolder

_PUBLISHED_BY = timedelta(hours=17)
"""The time (UTC) from which a day's rates are published; earlier, they would be dated ahead of the clock."""

_A_QUARTER = timedelta(days=90)


@dataclass(frozen=True)
class SourceCall:
    """A request: host, path, query and body as one decoded text."""

    text: str
    calendar: Calendar
    change: Change


class Source(Protocol):
    """Who answers: None where the text is none that it knows."""

    key: str

    def answer(self, asked: SourceCall) -> Reply | None: ...


def call_now(text: str, fault: Fault, now: datetime | None = None) -> SourceCall:
    """Return the call of a source with this fault at this moment."""
    newest = ((now or datetime.now(UTC)) - _PUBLISHED_BY).date()
    calendar = Calendar(newest)
    return SourceCall(text, replace(calendar, newest=calendar.in_force(newest), shift=fault.shift), fault.change)


@dataclass(frozen=True, kw_only=True)
class Published:
    """A source that is played from recordings.

    `at` is a regular expression of what is asked, with groups `first` and `last`, `day` or `year` of days written as
    `dates`, and `pick` where there are several recordings, which `files` gives with the real and the small file of
    each. One that is `in_force` answers about any day with the rates that hold on it. `nothing` is the status of an
    answer without records.
    """

    key: str
    at: str
    files: Mapping[str, Sequence[tuple[str, str]]]
    form: Form
    media: str
    recording_folder: RecordingFolder
    dates: str = "%Y-%m-%d"
    on: frozenset[int] = WEEKDAYS
    in_force: bool = False
    nothing: int = 200
    tagged: bool = False

    def answer(self, asked: SourceCall) -> Reply | None:
        match = re.search(self.at, asked.text)
        if match is None:
            return None
        groups = match.groupdict()
        pick = groups.get("pick") or next(iter(self.files))
        recording = self.recording(pick if pick in self.files else next(iter(self.files)))
        calendar = replace(asked.calendar, on=self.on)
        first, last = self._span(groups, calendar.newest)
        days = iter((calendar.in_force(last),)) if self.in_force else calendar.days(first, last)
        records = recording.records(calendar, days, asked.change) if pick in self.files else []
        if not records and self.nothing != 200:
            return Reply(b"", self.media, self.nothing)
        whole = recording.whole(records)
        if pick not in self.files:
            whole = whole.replace(next(iter(self.files)), pick)
        body = whole.encode(self.form.encoding)
        return Reply(body, self.media, headers=tag(body) if self.tagged else {})

    def recording(self, pick: str) -> Recording:
        """Load a recording at its first request."""
        kept = _READ.setdefault((self.key, self.at, self.recording_folder.folder), {})
        if pick not in kept:
            texts = tuple(
                self.recording_folder.text(real, small, self.form.encoding) for real, small in self.files[pick]
            )
            kept[pick] = Recording(texts, self.form)
        return kept[pick]

    def _span(self, groups: Mapping[str, str | None], newest: date) -> tuple[date, date]:
        if groups.get("year"):
            year = int(groups["year"] or 0)
            return date(year, 1, 1), date(year, 12, 31)
        if groups.get("day"):
            day = self._read(groups["day"])
            return day, day
        if groups.get("first"):
            return self._read(groups["first"]), self._read(groups["last"])
        return newest - _A_QUARTER, newest

    def _read(self, text: str | None) -> date:
        return datetime.strptime(text or "", self.dates).replace(tzinfo=UTC).date()


_READ: dict[object, dict[str, Recording]] = {}


def tag(body: bytes) -> dict[str, str]:
    """Return the ETag header of an answer."""
    return {"ETag": f'"{hashlib.sha256(body).hexdigest()[:16]}"'}


def official_sources(recording_folder: RecordingFolder) -> list[Published]:
    """Return all sources that answer from recordings."""
    declared = (*RANGES, *DAYS, *TABLES, *choice_sources(recording_folder), *cbr_sources(recording_folder))
    return [Published(recording_folder=recording_folder, **each) for each in declared]
