"""`cambist problems`: what is wrong now, who knows of it, what was wrong, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cambist.cli.formats import format_age
from cambist.cli.options import AsJson, DataFolder, read_folder_settings
from cambist.cli.output import print_json, print_result
from cambist.cli.printed_tables import print_table

if TYPE_CHECKING:
    from cambist.admin.operators.problems import OpenProblem, ProblemAdmin
    from cambist.status.alarm import Acknowledgement, EndedAlarm

app = typer.Typer(
    add_completion=False, help="Show what is wrong, acknowledge it, and say what to do about it.", no_args_is_help=True
)

Key = Annotated[str, typer.Argument(help="Key of the problem such as source:ecb: see `cambist problems list`.")]


@app.command("list")
def list_problems(*, data: DataFolder = None, as_json: AsJson = False) -> None:
    """List the problems of now: first those that nobody has acknowledged."""
    from cambist.admin.operators.problems import problem_record

    found = _open(data).problems()
    if as_json:
        print_json([problem_record(each) for each in found])
    elif found:
        print_table(("Since", "Key", "Problem", "Acknowledged"), [_row(each) for each in found])
    else:
        typer.echo("There is no problem now")


@app.command()
def history(*, data: DataFolder = None, as_json: AsJson = False) -> None:
    """List the problems of the last 30 days that have ended, newest first."""
    from cambist.admin.operators.problems import ended_record

    found = _open(data).history()
    if as_json:
        print_json([ended_record(each) for each in found])
    elif found:
        print_table(("Since", "Lasted", "Key", "Problem", "Acknowledged"), [_ended_row(each) for each in found])
    else:
        typer.echo("No problem has ended within the last 30 days")


@app.command()
def acknowledge(
    key: Key,
    *,
    note: Annotated[str, typer.Option(help="What you know or do about it; others see it.")] = "",
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Record that a problem is known. It stays in the list until it ends; if it becomes worse, it is new again."""
    from cambist.admin.operators.problems import problem_record

    found = _open(data).acknowledge(key, note)
    print_result(problem_record(found), f"The problem {key} is acknowledged.", as_json=as_json)


@app.command()
def withdraw(key: Key, *, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Take an acknowledgement back."""
    from cambist.admin.operators.problems import problem_record

    found = _open(data).withdraw(key)
    print_result(problem_record(found), f"The problem {key} is not acknowledged any more.", as_json=as_json)


@app.command()
def runbook(
    kind: Annotated[
        str | None, typer.Argument(help="Kind of problem: what stands before the colon of its key. Default: all.")
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Say what a kind of problem means, what clients see, and what to do."""
    from dataclasses import asdict

    from cambist.admin.operators.runbook import runbook_entries

    entries = runbook_entries(kind)
    if as_json:
        print_json([asdict(entry) for entry in entries])
        return
    for entry in entries:
        typer.echo(f"{entry.title} ({entry.kind})\n\n{entry.meaning}\n\nClients see: {entry.clients_see}\n")
        for number, step in enumerate(entry.steps, 1):
            typer.echo(f"{number}. {step}")
        typer.echo("")


def _open(data: Path | None) -> ProblemAdmin:
    from cambist.admin.operators.problems import ProblemAdmin
    from cambist.clock import utc_now
    from cambist.storage.data_directory import DataDirectory

    settings = read_folder_settings(data)
    DataDirectory(settings.data).check_served()
    return ProblemAdmin(settings, utc_now)


def _row(problem: OpenProblem) -> Sequence[object]:
    trouble = problem.alarm.trouble
    return f"{problem.alarm.since:%Y-%m-%d %H:%M}", trouble.key, trouble.text, _acknowledged(problem.acknowledged)


def _ended_row(ended: EndedAlarm) -> Sequence[object]:
    lasted = format_age(ended.ended_at - ended.since)
    return f"{ended.since:%Y-%m-%d %H:%M}", lasted, ended.key, ended.text, _acknowledged(ended.acknowledged)


def _acknowledged(made: Acknowledgement | None) -> str:
    if made is None:
        return "no"
    return f"by {made.who}, {made.at:%Y-%m-%d %H:%M}" + (f": {made.note}" if made.note else "")
