"""`cambist settings`: what may be chosen, and what is."""

from __future__ import annotations

import os
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from cambist.settings import FILE_VARIABLE, PREFIX, described, read_settings, written


def settings(*, as_json: Annotated[bool, typer.Option("--json", help="Write them as JSON.")] = False) -> None:
    """Show every setting, its variable and its value now.

    Settings come from defaults, then the TOML file that CAMBIST_CONFIG names, then variables, then the flags of a
    command. An unknown name is refused.
    """
    chosen = read_settings(os.environ, {})
    shown = {name: _hidden(name, value) for name, value in msgspec.structs.asdict(chosen).items()}
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(shown, enc_hook=str)).decode())
        return
    table = Table(caption=f"File: {os.environ.get(FILE_VARIABLE, 'none')}")
    # A variable is typed as it is shown: on a narrow terminal the rest is folded.
    table.add_column("Setting, variable", no_wrap=True)
    for column in ("Value", "What it is"):
        table.add_column(column, overflow="fold")
    for name, description in described().items():
        table.add_row(f"{name}\n{PREFIX}{name.upper()}", escape(written(shown[name])), escape(description))
    Console().print(table)


def _hidden(name: str, value: object) -> object:
    """Give a value as it may be shown: of a source's key only whether it is set; `tls_key` is a file's name."""
    is_key = name.endswith("_key") and name != "tls_key"
    return "set" if is_key and value else value
