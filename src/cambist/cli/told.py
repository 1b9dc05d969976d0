"""How commands tell what they did: a table or a line for people, JSON for machines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

Record = Mapping[str, Any]

_WIDEST_WORD = 18
_BORDERS = 3


def tell(record: Record | Sequence[Record], sentence: str, *, as_json: bool) -> None:
    """Write what was done: the record for machines, or a sentence."""
    if as_json:
        tell_json(record)
    else:
        typer.echo(sentence)


def tell_json(record: Record | Sequence[Record]) -> None:
    """Write a record as JSON."""
    typer.echo(msgspec.json.format(msgspec.json.encode(record)).decode())


def tell_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table; nothing in it is markup, and no word is cut off."""
    console, cells = Console(), [[plain(value) for value in row] for row in rows]
    table = Table()
    widths = _widths([columns, *cells], console.width - _BORDERS * len(columns) - 1)
    for column, width in zip(columns, widths, strict=True):
        table.add_column(column, overflow="fold", width=width)
    for row in cells:
        table.add_row(*map(escape, row))
    console.print(table)


def _widths(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Share the room among the columns: each gets its longest word, then the one that lacks most the next place.

    Rich alone shrinks columns in proportion, and would break a number in two beside a column of many words.
    """
    wanted = [max(map(len, column)) for column in zip(*rows, strict=True)]
    words = [" ".join(column).split(" ") for column in zip(*rows, strict=True)]
    widths = [min(_WIDEST_WORD, max(map(len, each), default=0)) for each in words]
    for _ in range(room - sum(widths)):
        lacks = [want - width for want, width in zip(wanted, widths, strict=True)]
        widths[lacks.index(max(lacks))] += 1 if max(lacks) > 0 else 0
    return widths


def tell_key(record: Record, key: str, sentence: str, *, as_json: bool) -> None:
    """Write a key, the only time that it is shown: alone on standard output, so that a script can take it."""
    if as_json:
        tell_json({**record, "key": key})
        return
    typer.echo(f"{sentence} The key is shown only now:", err=True)
    typer.echo(key)


def plain(value: object) -> str:
    """Write a value as a table shows it; nothing for none."""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, list | tuple):
        return ", ".join(plain(each) for each in value)
    return "" if value is None else str(value)
