"""`cambist upgrade`: bring a data folder to this release."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from cambist.cli.options import AsJson, DataFolder
from cambist.cli.output import print_json
from cambist.errors import BadParameter
from cambist.settings import read_settings

if TYPE_CHECKING:
    from cambist.admin.data_folder.upgrade import UpgradePlan

_MB = 1 << 20

Check = Annotated[bool, typer.Option("--check", help="Say what would be done, and change nothing.")]
WithoutCopy = Annotated[
    bool, typer.Option("--without-copy", help="Keep no copy of the database beside it. Make a backup before.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask whether there is a backup of a database on a server.")]


def upgrade(
    *,
    check: Check = False,
    without_copy: WithoutCopy = False,
    yes: Yes = False,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Migrate the database of a stopped service to this release.

    Each start does the same by itself. With --check, see before what it would do: the schemas, the space that it needs,
    and whether settings, plans or declarations would be refused; exit with 1 if something would.
    """
    from cambist.admin.data_folder.upgrade import plan_upgrade, upgrade_database

    options = {"data": data}
    plan = plan_upgrade(os.environ, options, with_copy=not without_copy)
    if as_json and check:
        print_json(asdict(plan))
    elif check:
        _print_plan(plan)
    if check or plan.problems:
        _end(plan, check=check)
        return
    if plan.is_running:
        raise BadParameter("A service uses the data folder: stop it, and run the command again")
    if plan.size is None and plan.steps and not yes:
        from cambist.cli.confirmation import confirm

        confirm("No copy is made of a database on a server. Have you made a backup?", "upgrade it")
    upgrade_database(read_settings(os.environ, options), with_copy=not without_copy)
    if as_json:
        print_json(asdict(plan))
    elif plan.steps:
        copied = f" What it was before is in {plan.copy}." if plan.copy else ""
        typer.echo(f"The database was migrated from schema {plan.schema} to {plan.target}.{copied}")
    else:
        typer.echo(f"The database has schema {plan.schema} already: nothing to do.")


def _end(plan: UpgradePlan, *, check: bool) -> None:
    """Exit with 1 if this release would be refused. Errors: BadParameter without --check."""
    if plan.problems and not check:
        raise BadParameter(f"Not upgraded: {plan.problems[0]}")
    if plan.problems or _lacks_space(plan):
        raise typer.Exit(1)


def _lacks_space(plan: UpgradePlan) -> bool:
    return plan.needed is not None and plan.free is not None and plan.free < plan.needed


def _print_plan(plan: UpgradePlan) -> None:
    typer.echo(f"release: {plan.release}")
    if plan.steps:
        typer.echo(f"database: schema {plan.schema or 'none'}, to be migrated to {plan.target}")
        for step in plan.steps:
            typer.echo(f"  {step}")
    else:
        typer.echo(f"database: schema {plan.schema}, nothing to migrate")
    if plan.size is None:
        typer.echo("copy: none of a database on a server; make a backup with the release that runs now")
    elif plan.copy:
        typer.echo(f"copy: {plan.copy}")
    if plan.size is not None:
        needed = f", the upgrade needs {(plan.needed or 0) / _MB:.0f} MB" if plan.needed else ""
        typer.echo(f"space: database {plan.size / _MB:.0f} MB{needed}, free {(plan.free or 0) / _MB:.0f} MB")
    if _lacks_space(plan):
        typer.echo("  too little: free some space, or use --without-copy after a backup on another disk")
    typer.echo(f"service: {'running, stop it before the upgrade' if plan.is_running else 'stopped'}")
    for problem in plan.problems:
        typer.echo(f"problem: {problem}")
    if not plan.problems:
        typer.echo("settings, plans and declarations: accepted")
