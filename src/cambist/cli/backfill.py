"""`cambist backfill`: fill the archive with all that the sources have."""

from __future__ import annotations

import os
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cambist.app.backfilling import ALL, Backfilling, Filled
from cambist.cli.given import AsJson, Data, day
from cambist.cli.told import tell_json, tell_table
from cambist.errors import BadParameter
from cambist.ingest.backfill import Course
from cambist.server.desk import utc_now
from cambist.settings import read_settings


def backfill(
    source: Annotated[str, typer.Argument(help="Key of a source, or all that are on.")] = ALL,
    *,
    first: Annotated[str | None, typer.Option("--from", help="First day, such as 1999-01-04.")] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Fill the archive with the history of a source, or of all, beside a running service or without one.

    Cut off at any point, it goes on there when it is run again: what has been filed is not asked for again.
    """
    settings = read_settings(os.environ, {"data": data})
    if not settings.data.exists():
        raise BadParameter(f"There is no data folder {settings.data}: run [cambist serve] once, or name --data")
    since = day("--from", first)
    backfilling = Backfilling(settings, os.environ, utc_now)
    try:
        feeds = backfilling.chosen(source)
        with _bar() as bar:
            tasks = {feed.source.key: bar.add_task(feed.source.key, total=None) for feed in feeds}

            def told(course: Course) -> None:
                bar.update(tasks[course.key], completed=course.done, total=course.parts)

            filled = backfilling.run(feeds, since, told)
    finally:
        backfilling.close()
    _tell(filled, as_json=as_json)
    if any(each.course.failed for each in filled):
        raise typer.Exit(1)


def _bar() -> Progress:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description:>18}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, disable=not console.is_terminal)


def _tell(filled: list[Filled], *, as_json: bool) -> None:
    if as_json:
        tell_json([_record(each) for each in filled])
        return
    columns = ("Source", "Parts", "Filed before", "Added", "Corrected", "Quarantined", "Failed", "Longest gaps")
    tell_table(columns, [[*_record(each).values()] for each in filled])
    for each in filled:
        for failure in each.course.failed[:3]:
            typer.echo(f"{each.course.key}: {failure}", err=True)


def _record(each: Filled) -> dict[str, object]:
    course = each.course
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
