"""Run a backfill with progress bars, and print what it stored."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cambist.admin.sources.backfill import RECOMMENDED, BackfillAdmin, BackfillResult
from cambist.cli.output import print_json
from cambist.cli.printed_tables import print_table
from cambist.clock import utc_now
from cambist.errors import BadParameter
from cambist.ingest.backfill import BackfillProgress
from cambist.settings import Settings

_COLUMNS = ("Source", "Parts", "Filed before", "Added", "Corrected", "Failed", "Longest gaps")


def run_backfill(settings: Settings, source: str, since: date | None, *, as_json: bool) -> bool:
    """Backfill one source or all, and print the result; return whether nothing failed. Errors: BadParameter."""
    if since is not None and since > utc_now().date():
        raise BadParameter(f"Invalid --from: [{since}] lies ahead, it takes a day up to today")
    if not settings.data.exists():
        raise BadParameter(f"There is no data folder {settings.data}: run [cambist serve] once, or name --data")
    admin = BackfillAdmin(settings, os.environ, utc_now)
    try:
        results = _backfill(admin, source, since)
    finally:
        admin.close()
    _print_result(results, as_json=as_json)
    return not any(result.progress.failed for result in results)


def _backfill(admin: BackfillAdmin, source: str, since: date | None) -> list[BackfillResult]:
    adapters = admin.choose_adapters(source)
    if source == RECOMMENDED:
        requests, seconds = admin.remaining(adapters, since)
        about = f"{requests:,} requests to {len(adapters)} sources, about {max(1, round(seconds / 60))} min"
        typer.echo(f"cambist: {about}; interrupt it when you like, it continues where it stopped.", err=True)
    with _progress_bars() as bars:
        tasks = {
            adapter.source.key: bars.add_task(adapter.source.key, total=None, visible=False) for adapter in adapters
        }

        def update(progress: BackfillProgress) -> None:
            bars.update(
                tasks[progress.key], completed=progress.done, total=progress.parts, visible=not progress.is_over
            )

        return admin.run(adapters, since, update)


def _progress_bars() -> Progress:
    """Return progress bars on standard error, which disappear at the end."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description:>18}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _print_result(results: Sequence[BackfillResult], *, as_json: bool) -> None:
    if as_json:
        print_json([_record(result) for result in results])
        return
    all_progress = [result.progress for result in results]
    unreachable = [progress for progress in all_progress if progress.is_silent]
    if len(unreachable) == len(all_progress) > 1:
        typer.echo(f"cambist: No source can be reached: {unreachable[0].failed[0]}", err=True)
        return
    print_table(_COLUMNS, [[*_record(result).values()] for result in results if not result.progress.is_silent])
    for progress in all_progress:
        for failure in progress.failed[: 1 if progress.is_silent else 3]:
            typer.echo(f"{progress.key}: {failure}", err=True)
        for sentence in dict.fromkeys(progress.left_out[:3]):
            typer.echo(f"{progress.key}: left out: {sentence}", err=True)


def _record(result: BackfillResult) -> dict[str, object]:
    progress = result.progress
    return {
        "source": progress.key,
        "parts": progress.parts,
        "filed_before": progress.skipped,
        "added": progress.added,
        "corrected": progress.corrected,
        "failed": len(progress.failed),
        "gaps": [f"{first} to {last}" for first, last in result.gaps],
    }
