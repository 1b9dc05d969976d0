"""How commands print their results: a sentence for people, or JSON for programs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import typer

Record = Mapping[str, Any]


def print_result(record: Record | Sequence[Record], sentence: str, *, as_json: bool) -> None:
    """Print the record as JSON, or the sentence."""
    if as_json:
        print_json(record)
    else:
        typer.echo(sentence)


def styled(text: str, **style: Any) -> str:
    """Return a text with a style of `typer.style`, for `typer.echo`: plain if NO_COLOR is set, or in a pipe."""
    return text if os.environ.get("NO_COLOR") else typer.style(text, **style)


def print_json(record: Record | Sequence[Record]) -> None:
    """Print a record as JSON."""
    typer.echo(msgspec.json.format(msgspec.json.encode(record)).decode())


def print_key(record: Record, key: str, sentence: str, *, as_json: bool) -> None:
    """Print a new API key. Without JSON, standard output has only the key, so that scripts can read it."""
    if as_json:
        print_json({**record, "key": key})
        return
    typer.echo(f"{sentence} The key is shown only now:", err=True)
    typer.echo(key)
