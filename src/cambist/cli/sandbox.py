"""`cambist sandbox`: simulate faults of the sources in a sandbox."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cambist.admin.operators.parsing import parse_day
from cambist.cli.options import DataFolder, read_folder_settings

if TYPE_CHECKING:
    from cambist.admin.installation.sandbox import FaultsAdmin
    from cambist.sandbox.faults import Faults

app = typer.Typer(
    add_completion=False, help="Simulate failing sources, to test clients of a sandbox.", no_args_is_help=True
)
fault = typer.Typer(
    help="Set, show and clear faults. A running sandbox applies them within a second.", no_args_is_help=True
)
app.add_typer(fault, name="fault")


@fault.command()
def stale(
    codes: Annotated[str, typer.Argument(help="Codes such as EUR,JPY, or all.")],
    *,
    data: DataFolder = None,
) -> None:
    """Freeze the quotes of these codes; the others continue to change."""
    _print_faults(_admin(data).freeze(codes.split(",")))


@fault.command()
def missing(
    days: Annotated[str, typer.Argument(help="Days such as 2026-10-05,2026-10-06.")],
    *,
    data: DataFolder = None,
) -> None:
    """Remove the fixings of these days, in addition to the days removed before."""
    chosen = {day for part in days.split(",") if (day := parse_day("day", part.strip()))}
    admin = _admin(data)
    _print_faults(admin.remove_days(admin.read().missing | chosen))


@fault.command()
def outlier(
    code: Annotated[str, typer.Argument(help="A code such as EUR.")],
    factor: Annotated[float, typer.Argument(help="The factor, such as 1.5; 1 ends the fault.")],
    *,
    data: DataFolder = None,
) -> None:
    """Multiply the price of a code by a wrong factor."""
    _print_faults(_admin(data).distort(code, factor))


@fault.command()
def slow(
    seconds: Annotated[float, typer.Argument(help="Delay in seconds; 0 ends the fault.")],
    *,
    data: DataFolder = None,
) -> None:
    """Delay all quotes."""
    _print_faults(_admin(data).delay(seconds))


@fault.command()
def clear(*, data: DataFolder = None) -> None:
    """End all faults."""
    _admin(data).clear()
    typer.echo("Nothing goes wrong now.")


@fault.command()
def show(*, data: DataFolder = None) -> None:
    """Show the current faults, from the file in the sandbox's folder."""
    _print_faults(_admin(data).read())


def _print_faults(faults: Faults) -> None:
    from cambist.registry.sandbox.sandbox_faults import faults_as_toml

    typer.echo(faults_as_toml(faults).rstrip("\n") or "Nothing goes wrong.")


def _admin(data: Path | None) -> FaultsAdmin:
    from cambist.admin.installation.sandbox import FaultsAdmin
    from cambist.clock import utc_now

    return FaultsAdmin(read_folder_settings(data, sandbox=True), utc_now)
