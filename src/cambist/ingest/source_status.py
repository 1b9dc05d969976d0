"""Source statuses: when each source last answered or failed, and what is stored from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import chain

from cambist.history.dispute import Disputes, HeldFixings
from cambist.history.fixing import Coverage
from cambist.pricing.source_kind import Pace
from cambist.sources.base import Source
from cambist.status.network import no_network
from cambist.status.source_activity import ActivityCounts, SourceActivity
from cambist.status.source_report import SourceReport, SourceReports

_LATE_AFTER = {
    Pace.REALTIME: timedelta(minutes=2),
    Pace.INTRADAY: timedelta(hours=6),
    Pace.DAILY: timedelta(days=5),
    Pace.MONTHLY: timedelta(days=62),
}


_LEFT_OUT_SHOWN_FOR = timedelta(days=7)
"""How long the status shows what could not be read in a delivery, unless a later delivery replaces it."""

_MOST_LEFT_OUT_SHOWN = 20


@dataclass(slots=True)
class SourceStatus:
    """The status of one source; `complete_on` is the last day on which all requests to it were answered."""

    source: Source
    enabled: bool
    why: str = ""
    last_success: datetime | None = None
    last_failure: datetime | None = None
    failures: int = 0
    unreachable: bool = False
    newest: datetime | None = None
    codes: int = 0
    held: HeldFixings = field(default_factory=HeldFixings)
    coverage: Coverage | None = None
    complete_on: date | None = None
    activity: ActivityCounts = field(default_factory=ActivityCounts)
    _left_out: dict[str, tuple[datetime, tuple[str, ...]]] = field(default_factory=dict)

    def record_success(self, now: datetime) -> None:
        """Record that the source answered as it should."""
        self.last_success, self.failures, self.why, self.unreachable = now, 0, "", False
        self.activity.record_answer(now)

    def record_failure(self, now: datetime, why: str, *, unreachable: bool = False) -> None:
        """Record that it did not, or could not be reached."""
        self.last_failure, self.why, self.unreachable = now, why, unreachable
        self.failures += 1
        self.activity.record_failure(now)

    def record_left_out(self, origin: str, messages: tuple[str, ...], now: datetime) -> None:
        """Record what could not be read in a delivery, until the next delivery of the same origin or for a week."""
        self._left_out[origin] = now, messages
        self._left_out = {
            key: (at, each) for key, (at, each) in self._left_out.items() if each and now - at < _LEFT_OUT_SHOWN_FOR
        }

    def record_market_time(self, as_of: datetime) -> None:
        """Record the market time of a fixing or tick."""
        if self.newest is None or as_of > self.newest:
            self.newest = as_of

    def report(self, ticks: int, refused: Mapping[str, int]) -> SourceReport:
        """Return the report on this source, with its counts of ticks."""
        source, coverage = self.source, self.coverage
        return SourceReport(
            key=source.key,
            name=source.name,
            home=source.home,
            terms=source.terms,
            licence=source.licence,
            redistribution=source.redistribution,
            pace=source.pace,
            rate_type=source.rate_type,
            covers=source.covers,
            compiled=source.compiled,
            alias=source.alias,
            anchor=source.anchor,
            first_day=source.first_day,
            rate_types=source.rate_types,
            brings=source.brings,
            enabled=self.enabled,
            why=self.why,
            last_success=self.last_success,
            last_failure=self.last_failure,
            failures=self.failures,
            unreachable=self.unreachable,
            newest=self.newest,
            late_after=_LATE_AFTER[source.pace],
            codes=self.codes,
            pairs=coverage.pairs if coverage else 0,
            first=coverage.first if coverage else None,
            last=coverage.last if coverage else None,
            held=self.held.count,
            held_since=self.held.since,
            only_held=self.held.all,
            complete_on=self.complete_on,
            left_out=tuple(dict.fromkeys(chain.from_iterable(each for _, each in self._left_out.values())))[
                :_MOST_LEFT_OUT_SHOWN
            ],
            ticks=ticks,
            refused=dict(refused),
        )


@dataclass(slots=True)
class SourceStatuses:
    """The statuses of all sources, and the disputes between them; `has_no_network` as the last report says."""

    by_source: dict[str, SourceStatus] = field(default_factory=dict)
    disputes: Disputes = field(default_factory=Disputes)
    has_no_network: bool = False

    @classmethod
    def for_sources(cls, sources: Iterable[Source], off: Mapping[str, str]) -> SourceStatuses:
        """Return new statuses; `off` has the reason for each source that is switched off."""
        return cls({one.key: SourceStatus(one, one.key not in off, off.get(one.key, "")) for one in sources})

    def resume(self, source_reports: SourceReports | None) -> None:
        """Continue from the last reports before a restart."""
        for report in source_reports.reports if source_reports else ():
            if report.key in self.by_source:
                self.by_source[report.key].complete_on = report.complete_on

    def resume_activity(self, recorded: SourceActivity | None, now: datetime) -> None:
        """Continue the counts of the last 24 hours from before a restart."""
        for key, slots in recorded.sources.items() if recorded else ():
            if key in self.by_source:
                self.by_source[key].activity.resume(slots, now)

    def activity(self, now: datetime) -> SourceActivity:
        """Return the counts of the last 24 hours, with the fixings that are held now."""
        enabled = {key: status for key, status in self.by_source.items() if status.enabled}
        for status in enabled.values():
            status.activity.record_held(now, status.held.count)
        return SourceActivity(now, {key: status.activity.last_day(now) for key, status in enabled.items()})

    @property
    def is_offline(self) -> bool:
        """Whether no source has answered yet: then the network is a likelier cause than every single source."""
        return all(source_status.last_success is None for source_status in self.by_source.values())

    def report(
        self,
        now: datetime,
        ticks: Mapping[str, int],
        refused: Mapping[str, Mapping[str, int]],
        book_version: int = 0,
        book_at: datetime | None = None,
    ) -> SourceReports:
        """Return the reports on all sources."""
        reports = (
            source_status.report(ticks.get(key, 0), refused.get(key, {}))
            for key, source_status in self.by_source.items()
        )
        made = SourceReports(now, tuple(reports), book_version, book_at, disputes=self.disputes)
        self.has_no_network = no_network(made) is not None
        return made
