"""`cambist`: the operator's commands."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from cambist import __version__
from cambist.cli import (
    account,
    backfill,
    feeds,
    fixing,
    key,
    openapi,
    plans,
    quarantine,
    sandbox,
    serve,
    settings,
    usage,
    watch,
)
from cambist.errors import CambistError

app = typer.Typer(
    name="cambist",
    help="Exchange rates, crypto prices and metals prices that say where they come from.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
app.command()(serve.serve)
app.command()(backfill.backfill)
app.add_typer(account.app, name="account")
app.add_typer(key.app, name="key")
app.add_typer(plans.app, name="plans")
app.add_typer(sandbox.app, name="sandbox")
app.add_typer(feeds.app, name="feeds")
app.add_typer(quarantine.app, name="quarantine")
app.command()(usage.usage)
app.command()(watch.watch)
app.command()(fixing.fixing)
app.command()(settings.settings)
app.command()(openapi.openapi)


def _version(asked: bool) -> None:  # noqa: FBT001  Typer hands a flag's value over by position
    if asked:
        typer.echo(f"cambist {__version__}")
        raise typer.Exit


@app.callback()
def callback(
    version: Annotated[  # noqa: FBT002
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which version this is.")
    ] = False,
) -> None:
    """Exchange rates, crypto prices and metals prices that say where they come from."""


def main() -> None:
    """Run a command; what cannot be done is said in one sentence on standard error."""
    try:
        app()
    except (CambistError, OSError) as error:
        typer.echo(f"cambist: {error}", err=True)
        sys.exit(2)
