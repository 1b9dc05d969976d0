"""`cambist settings`: what may be chosen, and what is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Annotated, Any, get_args, get_type_hints

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from cambist.settings import FILE_VARIABLE, PREFIX, Settings, read_settings


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
    for name, description in described():
        table.add_row(name, PREFIX + name.upper(), _written(getattr(chosen, name)), description)
    Console().print(table)


def described() -> Iterator[tuple[str, str]]:
    """Give every setting with its description."""
    hints = get_type_hints(Settings, include_extras=True)
    for name in Settings.__struct_fields__:
        meta = next(extra for extra in get_args(hints[name]) if isinstance(extra, msgspec.Meta))
        yield name, meta.description or ""


def _written(value: Any) -> str:
    return msgspec.json.encode(value, enc_hook=str).decode().strip('"')
