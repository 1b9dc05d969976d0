"""The report of a check as Markdown: what one can send to whoever maintains the sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from msgspec import Struct

from cambist import __version__
from cambist.admin.source_check.comparison import CheckedSource, Verdict


class CheckReport(Struct, frozen=True):
    """The report of one check: when, by which version, and what was found of each source."""

    version: str
    checked_at: datetime
    sources: tuple[CheckedSource, ...]

    @property
    def is_as_expected(self) -> bool:
        """Whether every source sent what is expected of it."""
        return all(each.verdict is Verdict.AS_EXPECTED for each in self.sources)


def make_report(sources: Sequence[CheckedSource], at: datetime) -> CheckReport:
    """Return the report of a check at a moment."""
    return CheckReport(__version__, at, tuple(sources))


def markdown(report: CheckReport) -> str:
    """Return a report as Markdown."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: CheckReport) -> Iterator[str]:
    counts = {verdict: sum(each.verdict is verdict for each in report.sources) for verdict in Verdict}
    yield "# Check of sources"
    yield ""
    found = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    yield f"Cambist {report.version}, {report.checked_at:%Y-%m-%d %H:%M} UTC, {len(report.sources)} sources: {found}."
    yield ""
    yield "| source | verdict | status | content type | bytes | seconds | rates | newest | codes | compared |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for each in report.sources:
        cells = (
            each.key,
            each.verdict,
            each.status,
            each.content_type,
            f"{each.bytes:,}",
            f"{each.seconds:.1f}",
            f"{each.fixings:,}",
            str(each.newest or ""),
            str(len(each.codes)),
            str(each.compared),
        )
        yield f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"
    for each in report.sources:
        if each.remarks or each.unlisted:
            yield from _details(each)


def _details(each: CheckedSource) -> Iterator[str]:
    yield ""
    yield f"## {each.key}: {each.name}"
    yield ""
    yield f"Asked: `{each.url}`"
    yield ""
    yield from (f"- {remark}" for remark in each.remarks)
    if each.unlisted:
        yield f"- not listed, but sent: {', '.join(each.unlisted)}"
