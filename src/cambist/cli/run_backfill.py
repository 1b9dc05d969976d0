"""Run a backfill with progress bars, and print what it stored."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cambist.admin.backfill import BackfillAdmin, BackfillResult
from cambist.cli.output import print_json
from cambist.cli.tables import print_table
from cambist.clock import utc_now
from cambist.errors import BadParameter
from cambist.ingest.backfill import BackfillProgress
from cambist.settings import Settings

_COLUMNS = ("Source", "Parts", "Filed before", "Added", "Corrected", "Quarantined", "Failed", "Longest gaps")


def run_backfill(settings: Settings, source: str, since: date | None, *, as_json: bool) -> bool:
    """Backfill one source or all, and print the result; return whether nothing failed. Errors: BadParameter."""
    if since is not None and since > utc_now().date():
        raise BadParameter(f"Invalid --from: [{since}] lies ahead, it takes a day up to today")
    if not settings.data.exists():
        raise BadParameter(f"There is no data folder {settings.data}: run [cambist serve] once, or name --data")
    backfilling = BackfillAdmin(settings, os.environ, utc_now)
    try:
        filled = _backfill(backfilling, source, since)
    finally:
        backfilling.close()
    _print_result(filled, as_json=as_json)
    return not any(each.progress.failed for each in filled)


def _backfill(backfilling: BackfillAdmin, source: str, since: date | None) -> list[BackfillResult]:
    adapters = backfilling.choose_adapters(source)
    with _progress() as progress:
        tasks = {
            adapter.source.key: progress.add_task(adapter.source.key, total=None, visible=False) for adapter in adapters
        }

        def update(course: BackfillProgress) -> None:
            progress.update(tasks[course.key], completed=course.done, total=course.parts, visible=not course.is_over)

        return backfilling.run(adapters, since, update)


def _progress() -> Progress:
    """Return progress bars on standard error, which disappear at the end."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description:>18}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _print_result(filled: Sequence[BackfillResult], *, as_json: bool) -> None:
    if as_json:
        print_json([_record(each) for each in filled])
        return
    courses = [each.progress for each in filled]
    unreachable = [course for course in courses if course.is_silent]
    if len(unreachable) == len(courses) > 1:
        typer.echo(f"cambist: No source can be reached: {unreachable[0].failed[0]}", err=True)
        return
    print_table(_COLUMNS, [[*_record(each).values()] for each in filled if not each.progress.is_silent])
    for course in courses:
        for failure in course.failed[: 1 if course.is_silent else 3]:
            typer.echo(f"{course.key}: {failure}", err=True)
        for sentence in dict.fromkeys(course.left_out[:3]):
            typer.echo(f"{course.key}: left out: {sentence}", err=True)


def _record(each: BackfillResult) -> dict[str, object]:
    course = each.progress
    return {
        "source": course.key,
        "parts": course.parts,
        "filed_before": course.skipped,
        "added": course.added,
        "corrected": course.corrected,
        "quarantined": course.refused,
        "failed": len(course.failed),
        "gaps": [f"{first} to {last}" for first, last in each.gaps],
    }
