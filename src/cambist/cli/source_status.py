"""`cambist sources status`: how each source is doing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec
import typer

from cambist.cli.formats import format_age
from cambist.cli.options import AsJson, DataFolder, read_folder_settings
from cambist.cli.output import print_json
from cambist.cli.printed_tables import print_table

if TYPE_CHECKING:
    from cambist.status.source_report import SourceReport, SourceReports

_OUTDATED_AFTER = timedelta(seconds=15)
"""The ingest process writes its report every second: an older one means that it does not run."""


def status(*, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Show the status of every source, from the service's last report.

    Asked: time since its last answer. Lag: age of its newest data. Codes: number of codes it covers. Since: its first
    year in the archive. Held: how many of its newest fixings are held. Why: the last error, why it is off, or why ticks
    were refused.
    """
    from cambist.admin.sources.source_list import read_source_reports
    from cambist.clock import utc_now

    source_reports, now = read_source_reports(read_folder_settings(data)), utc_now()
    if as_json:
        sources = [_report_record(report, now) for report in source_reports.reports]
        print_json({**_source_reports_record(source_reports), "sources": sources})
        return
    columns = ("Source", "State", "Asked", "Lag", "Codes", "Since", "Held", "Why")
    print_table(columns, (_report_row(report, now) for report in source_reports.reports))
    age = now - source_reports.written_at
    if age > _OUTDATED_AFTER:
        typer.echo(f"Nobody asks the sources now: this is what was so {format_age(age)} ago.")


def _source_reports_record(source_reports: SourceReports) -> dict[str, Any]:
    return {name: value for name, value in msgspec.structs.asdict(source_reports).items() if name != "reports"}


def _report_record(report: SourceReport, now: datetime) -> dict[str, Any]:
    lag = report.lag(now)
    seconds = None if lag is None else lag.total_seconds()
    return {**msgspec.structs.asdict(report), "state": report.condition(now), "lag_seconds": seconds}


def _report_row(report: SourceReport, now: datetime) -> Sequence[object]:
    lag = report.lag(now)
    return [
        report.key,
        report.condition(now),
        "" if report.last_success is None else format_age(now - report.last_success),
        "" if lag is None else format_age(lag),
        report.codes or "",
        f"{report.first:%Y}" if report.first else "",
        report.held or "",
        "; ".join(_reasons(report)),
    ]


def _reasons(report: SourceReport) -> Iterator[str]:
    if report.why:
        yield report.why
    for sentence in report.left_out:
        yield f"left out: {sentence}"
    for reason, count in report.refused.items():
        yield f"{count:,} ticks {reason}"
