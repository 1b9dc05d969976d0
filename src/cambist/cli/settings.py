"""`cambist settings`: what may be chosen, and what is."""

from __future__ import annotations

import os
from typing import Annotated

import msgspec
import typer

from cambist.cli.tables import print_table
from cambist.settings import FILE_VARIABLE, PREFIX, described, read_settings, written


def settings(*, as_json: Annotated[bool, typer.Option("--json", help="Write them as JSON.")] = False) -> None:
    """Show every setting with its variable and current value.

    Settings come from defaults, then the TOML file that CAMBIST_CONFIG names, then variables, then the flags of a
    command. An unknown name is refused.
    """
    chosen = read_settings(os.environ, {})
    shown = {name: _hidden(name, value) for name, value in msgspec.structs.asdict(chosen).items()}
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(shown, enc_hook=str)).decode())
        return
    rows = (
        (f"{name}\n{PREFIX}{name.upper()}", written(shown[name]), description)
        for name, description in described().items()
    )
    columns = ("Setting, variable", "Value", "What it is")
    print_table(columns, rows, caption=f"File: {os.environ.get(FILE_VARIABLE, 'none')}")


def _hidden(name: str, value: object) -> object:
    """Give a value as it may be shown: of a source's key only whether it is set; `tls_key` is a file's name."""
    is_key = name.endswith("_key") and name != "tls_key"
    return "set" if is_key and value else value
