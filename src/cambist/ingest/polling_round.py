"""A round: a source is asked for all that is due at once; what it answered tells how far back the next must reach."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import takewhile

from cambist.ingest.schedule import works_on
from cambist.ingest.source_status import SourceStatus
from cambist.sources.base import Schedule, Source, SourceRequest

_RECENT_DAYS = 4
_LONGEST_CATCH_UP = timedelta(days=366)
"""How far back a service that was down catches up by itself; older days are for a backfill."""

_SUSPICIOUS_RUN = 5
"""How many working days in a row without anything are no holidays."""

_SUSPICIOUS_SPAN = timedelta(days=28)
"""How long a source may have nothing at all that is asked of months."""


@dataclass(slots=True)
class PollingRound:
    """What was asked and how it went; `is_full` where everything was asked in which corrections are looked for."""

    is_full: bool = True
    has_changed: bool = False
    failures: int = 0
    answered: list[SourceRequest] = field(default_factory=list)
    absent: list[SourceRequest] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether all that was asked was answered."""
        return not self.failures

    def nothing_there(self, schedule: Schedule, today: date) -> str:
        """Say that a source has had nothing for longer than its holidays explain; empty where it has not."""
        months = [request for request in self.absent if request.first > date.min]
        if months and not self.answered and months[-1].last - months[0].first >= _SUSPICIOUS_SPAN:
            return f"has nothing at all from {months[0].first} to {min(months[-1].last, today)}"
        run = self._run_of_absent_days(schedule, today)
        if len(run) < _SUSPICIOUS_RUN:
            return ""
        return f"has had nothing for {len(run)} working days in a row, since {run[-1]}"

    def _run_of_absent_days(self, schedule: Schedule, today: date) -> list[date]:
        """Give the working days before today without anything, the newest first, up to the first that has something."""
        before = (today - timedelta(days=number) for number in range(1, _LONGEST_CATCH_UP.days))
        silent = takewhile(lambda day: not _covers(self.answered, day), before)
        working = (day for day in silent if works_on(schedule, day))
        return list(takewhile(lambda day: _covers(self.absent, day), working))


@dataclass(slots=True)
class PollRange:
    """How far back a source is asked: a few days, once a day all in which corrections come, after a gap all of it.

    `behind` is the last day of which it is sure that everything up to it was asked and answered.
    """

    source: Source
    behind: date | None = None
    read_again_on: date | None = None

    @classmethod
    def after(cls, source: Source, source_status: SourceStatus) -> PollRange:
        """Begin where the archive ends, or where the last complete round was if that is earlier."""
        held = source_status.coverage.last if source_status.coverage else None
        known = [day for day in (held, source_status.complete_on) if day is not None]
        return cls(source, min(known) if held else None)

    def is_full(self, today: date) -> bool:
        """Say whether corrections are looked for today for the first time."""
        return self.read_again_on != today

    def first(self, today: date) -> date:
        """Give the first day to ask for."""
        reread = timedelta(days=self.source.schedule.reread_days)
        back = reread if self.is_full(today) else min(reread, timedelta(days=_RECENT_DAYS))
        first = today - back
        if self.is_behind(today):
            first = max(self.since - reread, today - _LONGEST_CATCH_UP)
        return max(self.source.first_day, first)

    def is_behind(self, today: date) -> bool:
        """Say whether more is missing than is asked for anyway."""
        return self.since < today - timedelta(days=max(self.source.schedule.reread_days, _RECENT_DAYS))

    def is_too_far_behind(self, today: date) -> bool:
        """Say whether more is missing than is caught up by itself."""
        return self.since < today - _LONGEST_CATCH_UP

    @property
    def since(self) -> date:
        """The day from which on something may be missing; where nothing is here that is for a backfill."""
        return self.behind or date.max

    def completed(self, today: date) -> None:
        """Note that a round was answered whole."""
        self.behind = self.read_again_on = today


def _covers(requests: list[SourceRequest], day: date) -> bool:
    return any(date.min < request.first <= day <= request.last for request in requests)
