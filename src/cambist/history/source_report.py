"""The report on a source: what it is, how it does, what is here of it. Written by ingest, shown by everybody else."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from enum import StrEnum

from msgspec import Struct


class Condition(StrEnum):
    """How a source does."""

    FRESH = "fresh"
    LATE = "late"
    FAILING = "failing"
    WAITING = "waiting"
    OFF = "off"


class SourceReport(Struct, frozen=True, kw_only=True):
    """A source's facts and how it does. Times are UTC.

    `why` says why it is off or what failed last; `newest` is the newest market time heard of it, `late_after` how old
    that may be before the source is late. `codes` counts what it has in the book, `pairs` what the archive holds, from
    `first` to `last`. `waiting` counts its fixings in quarantine, `refused` its ticks that were refused, by reason.
    `complete_on` is the last day on which all that was asked of it was answered. `left_out`
    says which cells and columns of its last deliveries could not be read.
    """

    key: str
    name: str
    home: str
    terms: str
    licence: str
    redistribution: str
    pace: str
    rate_type: str
    covers: str
    enabled: bool
    why: str = ""
    last_success: datetime | None = None
    last_failure: datetime | None = None
    failures: int = 0
    newest: datetime | None = None
    late_after: timedelta = timedelta(days=4)
    codes: int = 0
    pairs: int = 0
    first: date | None = None
    last: date | None = None
    waiting: int = 0
    ticks: int = 0
    refused: dict[str, int] = {}
    complete_on: date | None = None
    left_out: tuple[str, ...] = ()

    def condition(self, now: datetime) -> Condition:
        """Say how the source does at a moment."""
        if not self.enabled:
            return Condition.OFF
        if self.failures and (self.last_success is None or (self.last_failure or now) > self.last_success):
            return Condition.FAILING
        if self.newest is None:
            return Condition.WAITING
        return Condition.LATE if now - self.newest > self.late_after else Condition.FRESH

    def lag(self, now: datetime) -> timedelta | None:
        """Say how old the newest that was heard of it is; None where nothing was."""
        return None if self.newest is None else max(now - self.newest, timedelta())


class SourceReports(Struct, frozen=True):
    """The reports on all sources at one moment, and how ingest itself does."""

    written_at: datetime
    reports: tuple[SourceReport, ...]
    book_version: int = 0
    book_at: datetime | None = None
    environment: str = "live"
