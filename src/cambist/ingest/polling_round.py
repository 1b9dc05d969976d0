"""Polling rounds of a source of fixings, and how far back the next one has to go."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import takewhile

from cambist.ingest.schedule import works_on
from cambist.ingest.source_status import SourceStatus
from cambist.sources.base import Schedule, Source, SourceRequest

_RECENT_DAYS = 4
_LONGEST_CATCH_UP = timedelta(days=366)
"""How far back a service that was down catches up by itself; older days need a backfill."""

_SUSPICIOUS_RUN = 5
"""So many working days in a row without a fixing are no holidays."""

_SUSPICIOUS_SPAN = timedelta(days=28)
"""For how long a source that is requested by month may have nothing at all."""


@dataclass(slots=True)
class PollingRound:
    """The results of one round; `is_full` if it went back as far as the source makes corrections."""

    is_full: bool = True
    has_changed: bool = False
    failures: int = 0
    answered: list[SourceRequest] = field(default_factory=list)
    absent: list[SourceRequest] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether all requests were answered."""
        return not self.failures

    def absence(self, schedule: Schedule, today: date) -> str:
        """Return a message if a source has had nothing for longer than its holidays explain; empty if not."""
        months = [request for request in self.absent if request.first > date.min]
        if months and not self.answered and months[-1].last - months[0].first >= _SUSPICIOUS_SPAN:
            return f"has nothing at all from {months[0].first} to {min(months[-1].last, today)}"
        run = self._run_of_absent_days(schedule, today)
        if len(run) < _SUSPICIOUS_RUN:
            return ""
        return f"has had nothing for {len(run)} working days in a row, since {run[-1]}"

    def _run_of_absent_days(self, schedule: Schedule, today: date) -> list[date]:
        """Return the last working days before today without a fixing, newest first."""
        before = (today - timedelta(days=number) for number in range(1, _LONGEST_CATCH_UP.days))
        silent = takewhile(lambda day: not _covers(self.answered, day), before)
        working = (day for day in silent if works_on(schedule, day))
        return list(takewhile(lambda day: _covers(self.absent, day), working))


@dataclass(slots=True)
class PollRange:
    """How far back a source is polled: a few days; once a day as far as it makes corrections; after a gap all of it.

    `complete_until` is the last day up to which everything was requested and answered, None if nothing is stored.
    """

    source: Source
    complete_until: date | None = None
    last_full_on: date | None = None

    @classmethod
    def after(cls, source: Source, source_status: SourceStatus) -> PollRange:
        """Start where the archive ends, or at the last complete round if that is earlier."""
        stored = source_status.coverage.last if source_status.coverage else None
        days = [day for day in (stored, source_status.complete_on) if day is not None]
        return cls(source, min(days) if stored else None)

    def is_full(self, today: date) -> bool:
        """Return whether today has had no full round yet."""
        return self.last_full_on != today

    def first(self, today: date) -> date:
        """Return the first day to request."""
        reread = timedelta(days=self.source.schedule.reread_days)
        back = reread if self.is_full(today) else min(reread, timedelta(days=_RECENT_DAYS))
        first = today - back
        if self.is_behind(today):
            first = max(self.since - reread, today - _LONGEST_CATCH_UP)
        return max(self.source.first_day, first)

    def is_behind(self, today: date) -> bool:
        """Return whether more is missing than is requested anyway."""
        return self.since < today - timedelta(days=max(self.source.schedule.reread_days, _RECENT_DAYS))

    def is_too_far_behind(self, today: date) -> bool:
        """Return whether more is missing than a round can catch up."""
        return self.since < today - _LONGEST_CATCH_UP

    @property
    def since(self) -> date:
        """The day after which fixings may be missing. If nothing is stored, that is left to a backfill."""
        return self.complete_until or date.max

    def completed(self, today: date) -> None:
        """Record that a round was answered completely."""
        self.complete_until = self.last_full_on = today


def _covers(requests: list[SourceRequest], day: date) -> bool:
    return any(date.min < request.first <= day <= request.last for request in requests)
