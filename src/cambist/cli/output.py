"""How commands tell what they did: a line for people, JSON for machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import typer

Record = Mapping[str, Any]


def report(record: Record | Sequence[Record], sentence: str, *, as_json: bool) -> None:
    """Write what was done: the record for machines, or a sentence."""
    if as_json:
        print_json(record)
    else:
        typer.echo(sentence)


def print_json(record: Record | Sequence[Record]) -> None:
    """Write a record as JSON."""
    typer.echo(msgspec.json.format(msgspec.json.encode(record)).decode())


def print_key(record: Record, key: str, sentence: str, *, as_json: bool) -> None:
    """Write a key, the only time that it is shown: alone on standard output, so that a script can take it."""
    if as_json:
        print_json({**record, "key": key})
        return
    typer.echo(f"{sentence} The key is shown only now:", err=True)
    typer.echo(key)
