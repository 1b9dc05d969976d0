"""`cambist feeds`: list the sources, show their status, and try a declaration."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from cambist.admin.operators.parsing import parse_day
from cambist.cli.formats import format_age
from cambist.cli.options import AsJson, DataFolder, read_folder_settings
from cambist.cli.output import print_json
from cambist.cli.printed_tables import print_table

if TYPE_CHECKING:
    from cambist.admin.sources.declaration_dry_run import DryRunResult
    from cambist.admin.sources.source_list import ListedSource
    from cambist.status.source_report import SourceReport, SourceReports

app = typer.Typer(help="List the sources, show their status, try a declaration of your own.", no_args_is_help=True)

_OUTDATED_AFTER = timedelta(seconds=15)
"""The ingest process writes its report every second: an older one means that it does not run."""


@app.command("list")
def list_feeds(*, data: DataFolder = None, as_json: AsJson = False) -> None:
    """List every source by rank, whether it is on, and why it is off."""
    from cambist.admin.sources.source_list import list_sources

    found = list_sources(read_folder_settings(data), os.environ)
    if as_json:
        print_json([_listed_record(each) for each in found])
        return
    columns = ("Source", "Name", "State", "Pace", "Redistribution", "Known from", "Why off")
    print_table(columns, (_listed_row(each) for each in found))


@app.command()
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


@app.command("try")
def try_feed(
    file: Annotated[Path, typer.Argument(help="TOML file that declares a source of your own.")],
    *,
    first: Annotated[str | None, typer.Option("--from", help="First day to request. Default: the newest days.")] = None,
    payload: Annotated[Path | None, typer.Option(help="Read this saved answer instead of asking the source.")] = None,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Check a declaration, request its source once, and show what was read. Nothing is stored."""
    from cambist.admin.sources.declaration_dry_run import DeclarationDryRun
    from cambist.clock import utc_now

    dry_run = DeclarationDryRun(read_folder_settings(data), os.environ, utc_now().date())
    since = parse_day("--from", first)
    result = dry_run.fetch(file, since) if payload is None else dry_run.read(file, payload, since)
    if as_json:
        print_json(_result_record(result))
    else:
        typer.echo("\n".join(_result_lines(result)))


def _listed_record(each: ListedSource) -> dict[str, Any]:
    source = each.source
    return {
        "key": source.key,
        "name": source.name,
        "on": not each.disabled_reason,
        "why_off": each.disabled_reason,
        "pace": source.pace,
        "rate_type": source.rate_type,
        "redistribution": source.redistribution,
        "licence": source.licence,
        "terms": source.terms,
        "home": source.home,
        "covers": source.covers,
    }


def _listed_row(each: ListedSource) -> Sequence[object]:
    source, state = each.source, "off" if each.disabled_reason else "on"
    known_from = source.known_from or ""
    return [source.key, source.name, state, source.pace, source.redistribution, known_from, each.disabled_reason]


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


def _result_record(result: DryRunResult) -> dict[str, Any]:
    return {
        "key": result.source.key,
        "name": result.source.name,
        "origin": result.origin,
        "asked": {"first": result.request.first, "last": result.request.last},
        "read": msgspec.to_builtins(result.summary),
    }


def _result_lines(result: DryRunResult) -> Iterator[str]:
    source, summary = result.source, result.summary
    yield f"{source.name} would be the source [{source.key}]: {source.covers}."
    # The days that a saved answer was requested for are not known.
    days = f", for {result.request.first} to {result.request.last}" if result.origin == result.request.origin else ""
    yield f"From {result.origin}{days}."
    yield f"Read: {summary.fixings:,} rates of {summary.first} to {summary.last}, such as"
    yield from (f"  {line}" for line in summary.sample)
    if summary.unknown:
        yield f"No table knows: {', '.join(summary.unknown)}."
    yield from (f"Warning: {warning}." for warning in summary.warnings)
    yield "Nothing was kept."
