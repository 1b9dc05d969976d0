"""Run an export with a progress bar, or verify one, and print the result."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date
from pathlib import Path

import msgspec
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cambist.admin.export.export_folder import verify_export
from cambist.admin.export.exporter import Exporter, ExportResult
from cambist.admin.export.manifest import SourceTerms
from cambist.admin.export.plan import ExportPlan
from cambist.admin.export.site import SiteWriter, is_site, verify_site
from cambist.cli.output import print_json
from cambist.cli.series import first_day, last_day
from cambist.clock import utc_now
from cambist.errors import BadParameter
from cambist.settings import Settings
from cambist.sources.base import Redistribution

SITE = "site"
"""The format that is a folder of static files."""


def period(since: str, until: str | None) -> tuple[date, date]:
    """Return the first and the last day of an export. Errors: BadParameter."""
    start = date.fromisoformat(first_day(since) or "")
    end = date.fromisoformat(last_day(until) or str(utc_now().date()))
    if start > end:
        raise BadParameter(f"Invalid --since: [{start}] is after the last day, {end}")
    return start, end


def run_export(settings: Settings, folder: Path, plan: ExportPlan, *, as_json: bool) -> None:
    """Export, and print what was written and left out. Errors: CambistError, Unwritable."""
    exporter = Exporter(settings, utc_now())
    console = Console(stderr=True)
    columns = (TextColumn("Years"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        task = bars.add_task("years", total=None)
        result = exporter.run(folder, plan, lambda done, total: bars.update(task, completed=done, total=total))
    if as_json:
        print_json({"written": result.written, "manifest": result.manifest})
        return
    rows = sum(file.rows for file in result.manifest.files)
    files, written = len(result.manifest.files), len(result.written)
    typer.echo(f"{folder}: {rows} rates in {files} files, of which {written} were written now.")
    _print_terms(result)


def run_site(settings: Settings, folder: Path, plan: ExportPlan, *, as_json: bool) -> None:
    """Write a site, and print what it has and what was left out. Errors: CambistError, Unwritable."""
    writer = SiteWriter(settings, utc_now())
    console = Console(stderr=True)
    columns = (TextColumn("Days"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        task = bars.add_task("days", total=None)
        site = writer.write(folder, plan, lambda done, total: bars.update(task, completed=done, total=total))
    if as_json:
        print_json(msgspec.to_builtins(site))
        return
    typer.echo(f"{folder}: {len(site.days)} days, the newest of them {max(site.days)}. Serve the folder as it is.")
    _print_terms_of(site.sources, site.left_out)


def _print_terms(result: ExportResult) -> None:
    manifest = result.manifest
    _print_terms_of(manifest.sources, {key for file in manifest.files for key in file.left_out})


def _print_terms_of(sources: Iterable[SourceTerms], left_out: Collection[str]) -> None:
    """Say on standard error which sources were left out, and which may not simply be passed on."""
    for source in sources:
        if source.key in left_out:
            typer.echo(f"{source.key}: left out, its terms forbid to pass its rates on: {source.terms}", err=True)
        elif source.redistribution != Redistribution.ALLOWED:
            typer.echo(f"{source.key}: passing its rates on is {source.redistribution}: {source.terms}", err=True)


def run_verify(folder: Path, *, as_json: bool) -> bool:
    """Print what differs between a folder and its manifest; return whether nothing does. Errors: BadParameter."""
    differences = verify_site(folder) if is_site(folder) else verify_export(folder)
    if as_json:
        print_json({"differences": differences})
    else:
        typer.echo("\n".join(differences) or f"{folder}: every file is as it was written.")
    return not differences
