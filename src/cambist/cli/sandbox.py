"""`cambist sandbox`: simulate faults of the sources in a sandbox."""

from __future__ import annotations

import os
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from cambist.accounts.names import echo, nearest
from cambist.admin.parsing import parse_day
from cambist.cli.options import DataFolder
from cambist.errors import BadParameter
from cambist.settings import read_settings

if TYPE_CHECKING:
    from cambist.registry.sandbox_faults import FaultsFile
    from cambist.sandbox.faults import Faults

app = typer.Typer(help="Simulate failing sources, to test clients of a sandbox.", no_args_is_help=True)
fault = typer.Typer(
    help="Set, show and clear faults. A running sandbox applies them within a second.", no_args_is_help=True
)
app.add_typer(fault, name="fault")

_ALL = "all"
_MAX_DELAY_SECONDS = 86_400


@fault.command()
def stale(
    codes: Annotated[str, typer.Argument(help="Codes such as EUR,JPY, or all.")],
    *,
    data: DataFolder = None,
) -> None:
    """Freeze the quotes of these codes; the others continue to change."""
    from cambist.clock import utc_now

    chosen = _ALL if codes.strip().lower() == _ALL else tuple(dict.fromkeys(map(_code, codes.split(","))))
    _set(data, {"stale": chosen, "since": utc_now()})


@fault.command()
def missing(
    days: Annotated[str, typer.Argument(help="Days such as 2026-10-05,2026-10-06.")],
    *,
    data: DataFolder = None,
) -> None:
    """Remove the fixings of these days, in addition to the days removed before."""
    chosen = {parse_day("day", part.strip()) for part in days.split(",")}
    _set(data, {"missing": _file(data).read().missing | chosen})


@fault.command()
def outlier(
    code: Annotated[str, typer.Argument(help="A code such as EUR.")],
    factor: Annotated[float, typer.Argument(help="The factor, such as 1.5; 1 ends the fault.")],
    *,
    data: DataFolder = None,
) -> None:
    """Multiply the price of a code by a wrong factor."""
    if not (isfinite(factor) and factor > 0):
        raise BadParameter(f"Invalid factor: [{factor}], it takes a number above 0")
    outliers = {**_file(data).read().outlier, _code(code): factor}
    _set(data, {"outlier": {name: value for name, value in outliers.items() if value != 1}})


@fault.command()
def slow(
    seconds: Annotated[float, typer.Argument(help="Delay in seconds; 0 ends the fault.")],
    *,
    data: DataFolder = None,
) -> None:
    """Delay all quotes."""
    if not 0 <= seconds <= _MAX_DELAY_SECONDS:
        raise BadParameter(f"Invalid seconds: [{seconds:g}], it takes 0 to {_MAX_DELAY_SECONDS}")
    _set(data, {"slow": seconds})


@fault.command()
def clear(*, data: DataFolder = None) -> None:
    """End all faults."""
    from cambist.sandbox.faults import Faults

    _file(data).write(Faults())
    typer.echo("Nothing goes wrong now.")


@fault.command()
def show(*, data: DataFolder = None) -> None:
    """Show the current faults, from the file in the sandbox's folder."""
    _print_faults(_file(data).read())


def _set(data: Path | None, changes: dict[str, Any]) -> None:
    file = _file(data)
    faults = msgspec.structs.replace(file.read(), **changes)
    file.write(faults)
    _print_faults(faults)


def _print_faults(faults: Faults) -> None:
    from cambist.registry.sandbox_faults import faults_as_toml

    typer.echo(faults_as_toml(faults).rstrip("\n") or "Nothing goes wrong.")


def _file(data: Path | None) -> FaultsFile:
    from cambist.registry.sandbox_snapshots import faults_file

    return faults_file(read_settings(os.environ, {"data": data, "sandbox": True}))


def _code(text: str) -> str:
    """Parse a code. Errors: BadParameter that names the nearest known code."""
    from cambist.registry.sandbox_snapshots import simulated_codes

    code = text.strip().upper()
    if code not in simulated_codes():
        raise BadParameter(f"The sandbox never quotes [{echo(code)}]; {nearest(code, simulated_codes())}")
    return code
