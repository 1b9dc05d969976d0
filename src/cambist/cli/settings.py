"""`cambist settings`: show every setting and its current value."""

from __future__ import annotations

import os
from typing import Annotated

import msgspec
import typer

from cambist.cli.printed_tables import print_table
from cambist.settings import FILE_VARIABLE, PREFIX, read_settings, setting_descriptions, shown, written


def settings(*, as_json: Annotated[bool, typer.Option("--json", help="Write the output as JSON.")] = False) -> None:
    """Show every setting with its variable and current value.

    Each source of settings overrides the one before: defaults, the TOML file that CAMBIST_CONFIG names, environment
    variables, the flags of a command. An unknown name is refused.
    """
    current = read_settings(os.environ, {})
    values = {name: shown(name, value) for name, value in msgspec.structs.asdict(current).items()}
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(values, enc_hook=str)).decode())
        return
    rows = (
        (f"{name}\n{PREFIX}{name.upper()}", written(values[name]), description)
        for name, description in setting_descriptions().items()
    )
    columns = ("Setting, variable", "Value", "What it is")
    print_table(columns, rows, caption=f"File: {os.environ.get(FILE_VARIABLE, 'none')}")
