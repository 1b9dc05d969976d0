"""Whether any source can be reached: what is told once for all of them, in the same sentence everywhere. Pure."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime

from msgspec import Struct

from cambist.status.source_report import SourceReport, SourceReports

_MANY = 3
"""So many sources in a row that cannot be reached are no coincidence."""


class NoNetwork(Struct, frozen=True, kw_only=True):
    """No source can be reached.

    `newest` is the last day that is stored, and `source` the name of the best source that has it, with `others` beside
    it. `unreached` are the keys of the sources that could not be reached, and `why` the commonest reason.
    """

    newest: date | None
    source: str
    others: int
    unreached: tuple[str, ...]
    why: str

    @property
    def sentence(self) -> str:
        """What people are told."""
        if self.newest is None:
            return "No network: no rates are stored yet"
        others = f" and {self.others} {'other' if self.others == 1 else 'others'}" if self.others else ""
        return f"No network: newest rates of {self.newest.day} {self.newest:%B %Y} ({self.source}{others})"


def no_network(reports: SourceReports | None) -> NoNetwork | None:
    """Return what to tell while no source can be reached; None while one can, or none has been asked.

    Sources are asked at their own times: since the last of them was heard of, several must have failed, or all.
    """
    if reports is None:
        return None
    enabled = [report for report in reports.reports if report.enabled]
    heard = [at for report in enabled for at in (report.last_success, _refused_at(report)) if at is not None]
    last = max(heard, default=None)
    unreached = [
        report
        for report in enabled
        if report.unreachable and report.last_failure and (last is None or report.last_failure > last)
    ]
    if len(unreached) < max(1, min(_MANY, len(enabled))):
        return None
    newest = max((day for report in reports.reports if (day := _newest_day(report))), default=None)
    having = [report.name for report in reports.reports if newest and _newest_day(report) == newest]
    return NoNetwork(
        newest=newest,
        source=having[0] if having else "",
        others=max(0, len(having) - 1),
        unreached=tuple(report.key for report in unreached),
        why=Counter(report.why for report in unreached).most_common(1)[0][0],
    )


def _refused_at(report: SourceReport) -> datetime | None:
    """Return when a source last failed although it could be reached."""
    return None if report.unreachable else report.last_failure


def _newest_day(report: SourceReport) -> date | None:
    days = [report.last, report.newest.date() if report.newest else None]
    return max((day for day in days if day), default=None)
