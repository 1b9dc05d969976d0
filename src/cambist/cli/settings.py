"""`cambist settings`: what may be chosen, and what is."""

from __future__ import annotations

import os
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from cambist.settings import FILE_VARIABLE, PREFIX, described, read_settings, written


def settings(*, as_json: Annotated[bool, typer.Option("--json", help="Write them as JSON.")] = False) -> None:
    """Show every setting, its variable and its value now.

    Settings come from defaults, then the TOML file that CAMBIST_CONFIG names, then variables, then the flags of a
    command. An unknown name is refused.
    """
    chosen = read_settings(os.environ, {})
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(chosen, enc_hook=str)).decode())
        return
    table = Table(
        "Setting", "Variable", "Value", "What it is", caption=f"File: {os.environ.get(FILE_VARIABLE, 'none')}"
    )
    for name, description in described().items():
        table.add_row(name, PREFIX + name.upper(), written(getattr(chosen, name)), description)
    Console().print(table)
