"""Tables: as wide as the terminal, blocks of lines where it is too narrow, and never wrapped in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.console import Console

_BORDERS = 3
_LONGEST_WORD = 40
"""A longer one, such as an address, is broken all the same."""

_WIDEST_PIPE = 100_000


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> None:
    """Write a table, in which nothing is markup and no word is broken.

    On a terminal that is too narrow for it, each row is a block of lines; in a pipe each row is one line, however long.
    """
    cells = [[plain(value) for value in row] for row in rows]
    if not sys.stdout.isatty():
        _draw(columns, cells, [None] * len(columns), caption)
        return
    room = console().width - _BORDERS * len(columns) - 1
    least = _longest_words([columns, *cells])
    if sum(least) > room:
        _tell_blocks(columns, cells, caption)
    else:
        _draw(columns, cells, _shared(room, least, _longest_lines([columns, *cells])), caption)


def console() -> Console:
    """Make a console on standard output: as wide as the terminal, or wide enough for any table in a pipe."""
    from rich.console import Console

    return Console() if sys.stdout.isatty() else Console(width=_WIDEST_PIPE)


def _draw(columns: Sequence[str], cells: Sequence[Sequence[str]], widths: Sequence[int | None], caption: str) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(caption=caption or None)
    for column, width in zip(columns, widths, strict=True):
        table.add_column(column, overflow="fold", width=width)
    for row in cells:
        table.add_row(*map(Text, row))
    console().print(table)


def _tell_blocks(columns: Sequence[str], cells: Sequence[Sequence[str]], caption: str) -> None:
    widest = max(map(len, columns))
    blocks = ("\n".join(f"{name:{widest}}  {cell}" for name, cell in zip(columns, row, strict=True)) for row in cells)
    typer.echo("\n\n".join([*blocks, *([caption] if caption else [])]))


def _longest_words(rows: Sequence[Sequence[str]]) -> list[int]:
    columns = [" ".join(column).split() for column in zip(*rows, strict=True)]
    return [min(_LONGEST_WORD, max(map(len, words), default=0)) for words in columns]


def _longest_lines(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(len(line) for cell in column for line in cell.split("\n")) for column in zip(*rows, strict=True)]


def _shared(room: int, least: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """Share the room among the columns: each gets its longest word, then the one that lacks most the next place.

    Rich alone shrinks columns in proportion, and would break a number in two beside a column of many words.
    """
    widths = list(least)
    for _ in range(room - sum(widths)):
        lacks = [want - width for want, width in zip(wanted, widths, strict=True)]
        widths[lacks.index(max(lacks))] += 1 if max(lacks) > 0 else 0
    return widths


def plain(value: object) -> str:
    """Write a value as a table shows it; nothing for none."""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, list | tuple):
        return ", ".join(plain(each) for each in value)
    return "" if value is None else str(value)
