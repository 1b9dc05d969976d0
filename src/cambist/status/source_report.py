"""The report on a source: what it publishes, whether it works, and what is stored of it.

The ingest process writes it every second; the API, the health server and the CLI show it.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from cambist.history.dispute import Disputes


class Condition(StrEnum):
    """Whether a source works: `late` has nothing recent, `held` has nothing recent that is believed.

    `waiting` has nothing yet, `off` is disabled.
    """

    FRESH = "fresh"
    LATE = "late"
    HELD = "held"
    FAILING = "failing"
    WAITING = "waiting"
    OFF = "off"


class SourceReport(Struct, frozen=True, kw_only=True):
    """What is known about a source at one moment. Times are UTC.

    `why` is the reason why the source is disabled, or its last error. `newest` is the newest market time received from
    it, and the source is late when that is older than `late_after`. It is `unreachable` if its last failure was that it
    could not be reached, or did not answer in time. `codes` counts its codes in the rate book, `pairs`
    its pairs in the archive, whose days run from `first` to `last`. `held` counts its newest fixings that are held, the
    first of them since the day `held_since`, and `only_held` says that all are. `refused` counts its refused ticks by
    reason. `complete_on` is the last day on which all its requests were answered. `left_out` lists the cells and
    columns of its last deliveries that could not be read. A `compiled` source compiles the rates of others. `anchor` is
    the currency that all its pairs share, `first_day` the first day that it has, and `alias` a code for the
    anchor; `rate_types` are the further types of rates that it publishes beside its own `rate_type`.
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
    unreachable: bool = False
    newest: datetime | None = None
    late_after: timedelta = timedelta(days=4)
    codes: int = 0
    pairs: int = 0
    first: date | None = None
    last: date | None = None
    held: int = 0
    held_since: date | None = None
    only_held: bool = False
    ticks: int = 0
    refused: dict[str, int] = {}
    complete_on: date | None = None
    left_out: tuple[str, ...] = ()
    compiled: bool = False
    alias: str = ""
    anchor: str = ""
    first_day: date | None = None
    rate_types: tuple[str, ...] = ()
    brings: tuple[str, ...] = ()

    def condition(self, now: datetime) -> Condition:
        """Return the condition of the source at a moment."""
        if not self.enabled:
            return Condition.OFF
        if self.failures and (self.last_success is None or (self.last_failure or now) > self.last_success):
            return Condition.FAILING
        if self.newest is None:
            return Condition.WAITING
        if now - self.newest > self.late_after:
            return Condition.LATE
        return Condition.HELD if self.only_held else Condition.FRESH

    def lag(self, now: datetime) -> timedelta | None:
        """Return the age of the newest market time received; None if nothing was received yet."""
        return None if self.newest is None else max(now - self.newest, timedelta())


class SourceReports(Struct, frozen=True):
    """The reports on all sources at one moment, with the version and time of the latest rate book, and the disputes."""

    written_at: datetime
    reports: tuple[SourceReport, ...]
    book_version: int = 0
    book_at: datetime | None = None
    environment: str = "live"
    disputes: Disputes = Disputes()
