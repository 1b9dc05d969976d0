"""Whether any source can be reached: what is told once for all of them, in the same sentence everywhere. Pure."""

from __future__ import annotations

from collections import Counter
from datetime import date

from msgspec import Struct

from cambist.status.source_report import SourceReport, SourceReports

_MANY = 3
"""So many sources in a row that cannot be reached are no coincidence."""

_MOST = 5
"""So many for each that refuses are most."""


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

    Sources are asked at their own times: since the last of them answered, several must have failed, or all. Where some
    have answered only they are counted: the others may be out of reach in any case. Who refuses is there, unless most
    cannot be reached: then a sign-in page is read as what a source sends.
    """
    if reports is None:
        return None
    enabled = [report for report in reports.reports if report.enabled]
    counted = [report for report in enabled if report.last_success] or enabled
    last = max((report.last_success for report in counted if report.last_success), default=None)
    failed = [report for report in counted if report.last_failure and (last is None or report.last_failure > last)]
    lost = [report for report in failed if report.unreachable]
    if len(lost) < max(1, min(_MANY, len(counted)), _MOST * (len(failed) - len(lost))):
        return None
    unreached = [report for report in enabled if report.failures and report.unreachable]
    newest = max((day for report in reports.reports if (day := _newest_day(report))), default=None)
    having = [report.name for report in reports.reports if newest and _newest_day(report) == newest]
    return NoNetwork(
        newest=newest,
        source=having[0] if having else "",
        others=max(0, len(having) - 1),
        unreached=tuple(report.key for report in unreached),
        why=Counter(report.why for report in unreached).most_common(1)[0][0],
    )


def _newest_day(report: SourceReport) -> date | None:
    days = [report.last, report.newest.date() if report.newest else None]
    return max((day for day in days if day), default=None)
