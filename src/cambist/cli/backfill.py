"""`cambist backfill`: store the history that the sources publish."""

from __future__ import annotations

from typing import Annotated

import typer

from cambist.admin.operators.parsing import parse_day
from cambist.cli.completed_words import complete_sources
from cambist.cli.options import AsJson, DataFolder, read_folder_settings
from cambist.errors import BadParameter, shorten


def backfill(
    source: Annotated[
        str,
        typer.Argument(help="Key of a source, or all for every source that is on.", autocompletion=complete_sources),
    ] = "all",
    *,
    first: Annotated[str | None, typer.Option("--from", help="First day, such as 1999-01-04.")] = None,
    recommended: Annotated[
        bool, typer.Option("--recommended", help="The free official histories that take few requests.")
    ] = False,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Fetch the history of a source, or of all sources, and store it in the archive.

    The service may be running. If the command is interrupted, run it again: it continues where it stopped. It ends
    early if no source can be reached, and exits with 1 if anything failed.
    """
    settings = read_folder_settings(data)
    since = parse_day("--from", first)
    if recommended and source != "all":
        raise BadParameter(f"[{shorten(source)}] and --recommended exclude each other")
    from cambist.cli.run_backfill import run_backfill

    source = "recommended" if recommended else source
    if not run_backfill(settings, source, since, as_json=as_json):
        raise typer.Exit(1)
