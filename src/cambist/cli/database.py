"""`cambist database`: move the database to a server, and back."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cambist.cli.options import AsJson
from cambist.cli.output import print_json
from cambist.cli.printed_tables import print_table

app = typer.Typer(add_completion=False, help="Move the database to another place.", no_args_is_help=True)


@app.callback()
def database() -> None:
    """Move the database to another place."""


@app.command()
def copy(
    source: Annotated[str, typer.Argument(metavar="FROM", help="Data folder, or URL of a database.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="Data folder, or URL of an empty database.")],
    *,
    as_json: AsJson = False,
) -> None:
    """Copy a database into another: from a data folder into PostgreSQL, or back.

    Stop the service first. Each row is compared afterwards, and the first database does not change. If the command is
    interrupted, run it again: it continues where it stopped. A second database with other data is refused.
    """
    from cambist.admin.data_folder.database_copy import copy_database

    console = Console(stderr=True)
    columns = (TextColumn("{task.description:>18}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        task = bars.add_task("", total=None)
        copied = copy_database(
            source,
            target,
            lambda _, total: bars.update(task, total=total),
            lambda table, rows: bars.update(task, advance=rows, description=table),
        )
    if as_json:
        print_json(copied)
        return
    print_table(["Table", "Rows, copied and compared"], [*copied.items(), ("total", sum(copied.values()))])
