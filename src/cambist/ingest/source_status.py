"""Health: what is known of how each source does, gathered as it happens and told in a bulletin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import chain

from cambist.history.fixing import Coverage
from cambist.pricing.source_kind import Pace
from cambist.sources.base import Source
from cambist.status.source_report import SourceReport, SourceReports

_LATE_AFTER = {
    Pace.REALTIME: timedelta(minutes=2),
    Pace.INTRADAY: timedelta(hours=6),
    Pace.DAILY: timedelta(days=5),
    Pace.MONTHLY: timedelta(days=62),
}


_TOLD_FOR = timedelta(days=7)
"""How long the status says what could not be read of a delivery that no other has replaced."""

_MOST_TOLD = 20


@dataclass(slots=True)
class SourceStatus:
    """How one source does; `complete_on` is the last day on which all that was asked of it was answered."""

    source: Source
    enabled: bool
    why: str = ""
    last_success: datetime | None = None
    last_failure: datetime | None = None
    failures: int = 0
    newest: datetime | None = None
    codes: int = 0
    waiting: int = 0
    coverage: Coverage | None = None
    complete_on: date | None = None
    _left_out: dict[str, tuple[datetime, tuple[str, ...]]] = field(default_factory=dict)

    def record_success(self, now: datetime) -> None:
        """Note that the source was asked and answered as it should."""
        self.last_success, self.failures, self.why = now, 0, ""

    def record_failure(self, now: datetime, why: str) -> None:
        """Note that it did not."""
        self.last_failure, self.why = now, why
        self.failures += 1

    def record_left_out(self, origin: str, sentences: tuple[str, ...], now: datetime) -> None:
        """Note what could not be read of a delivery; the next from there takes its place, and in time it is gone."""
        self._left_out[origin] = now, sentences
        self._left_out = {
            key: (at, each) for key, (at, each) in self._left_out.items() if each and now - at < _TOLD_FOR
        }

    def record_market_time(self, as_of: datetime) -> None:
        """Note the market's time of something that it said."""
        if self.newest is None or as_of > self.newest:
            self.newest = as_of

    def report(self, ticks: int, refused: Mapping[str, int]) -> SourceReport:
        """Put it all together."""
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
            enabled=self.enabled,
            why=self.why,
            last_success=self.last_success,
            last_failure=self.last_failure,
            failures=self.failures,
            newest=self.newest,
            late_after=_LATE_AFTER[source.pace],
            codes=self.codes,
            pairs=coverage.pairs if coverage else 0,
            first=coverage.first if coverage else None,
            last=coverage.last if coverage else None,
            waiting=self.waiting,
            complete_on=self.complete_on,
            left_out=tuple(dict.fromkeys(chain.from_iterable(each for _, each in self._left_out.values())))[
                :_MOST_TOLD
            ],
            ticks=ticks,
            refused=dict(refused),
        )


@dataclass(slots=True)
class SourceStatuses:
    """The pulses of all sources."""

    by_source: dict[str, SourceStatus] = field(default_factory=dict)

    @classmethod
    def for_sources(cls, sources: Iterable[Source], off: Mapping[str, str]) -> SourceStatuses:
        """Begin with all sources; `off` says why those are off that are."""
        return cls({one.key: SourceStatus(one, one.key not in off, off.get(one.key, "")) for one in sources})

    def resume(self, source_reports: SourceReports | None) -> None:
        """Go on from the last bulletin of before the start."""
        for report in source_reports.reports if source_reports else ():
            if report.key in self.by_source:
                self.by_source[report.key].complete_on = report.complete_on

    @property
    def is_offline(self) -> bool:
        """Whether no source has answered yet: then it is more likely the network than each of them."""
        return all(source_status.last_success is None for source_status in self.by_source.values())

    def report(
        self,
        now: datetime,
        ticks: Mapping[str, int],
        refused: Mapping[str, Mapping[str, int]],
        book_version: int = 0,
        book_at: datetime | None = None,
    ) -> SourceReports:
        """Report on all."""
        reports = (
            source_status.report(ticks.get(key, 0), refused.get(key, {}))
            for key, source_status in self.by_source.items()
        )
        return SourceReports(now, tuple(reports), book_version, book_at)
