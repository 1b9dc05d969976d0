"""`cambist backfill`: fill the archive with all that the sources have."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from cambist.cli.given import AsJson, Data, day
from cambist.settings import read_settings


def backfill(
    source: Annotated[str, typer.Argument(help="Key of a source, or all that are on.")] = "all",
    *,
    first: Annotated[str | None, typer.Option("--from", help="First day, such as 1999-01-04.")] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Fill the archive with the history of a source, or of all, beside a running service or without one.

    Cut off at any point, it goes on there when it is run again: what has been filed is not asked for again. It stops
    early where no source can be reached, and exits with 1 where anything failed.
    """
    settings = read_settings(os.environ, {"data": data})
    since = day("--from", first)
    from cambist.cli.backfilling import run

    if not run(settings, source, since, as_json=as_json):
        raise typer.Exit(1)
