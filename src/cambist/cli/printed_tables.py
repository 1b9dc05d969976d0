"""Tables: as wide as the terminal or COLUMNS says; blocks of lines if that is narrow.

In a pipe without COLUMNS each row is one line, however long: no width is made up.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import typer

from cambist.cli.formats import format_cell

if TYPE_CHECKING:
    from rich.console import Console

_CHARACTERS_PER_BORDER = 3
_MAX_WORD_LENGTH = 40
"""Longer words, such as addresses, may be broken."""

_PIPE_WIDTH = 100_000


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> None:
    """Print a table. Its cells are plain text without markup, and no word is broken.

    If a terminal, or the variable COLUMNS, is too narrow, each row becomes a block of lines.
    """
    cells = [[format_cell(value) for value in row] for row in rows]
    if not _has_width():
        _print_grid(columns, cells, [None] * len(columns), caption)
        return
    available = console().width - _CHARACTERS_PER_BORDER * len(columns) - 1
    min_widths = _longest_words([columns, *cells])
    if sum(min_widths) > available:
        _print_blocks(columns, cells, caption)
    else:
        widths = _share_width(available, min_widths, _longest_lines([columns, *cells]))
        _print_grid(columns, cells, widths, caption)


def console() -> Console:
    """Return a console on standard output: as wide as the terminal or COLUMNS, or else wide enough for any table."""
    from rich.console import Console

    return Console() if _has_width() else Console(width=_PIPE_WIDTH)


def _has_width() -> bool:
    """Return whether the output has a width: that of a terminal, or the one that COLUMNS names."""
    columns = os.environ.get("COLUMNS", "")
    return sys.stdout.isatty() or (columns.isdecimal() and int(columns) > 0)


def _print_grid(
    columns: Sequence[str], cells: Sequence[Sequence[str]], widths: Sequence[int | None], caption: str
) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(caption=caption or None)
    for column, width in zip(columns, widths, strict=True):
        table.add_column(column, overflow="fold", width=width)
    for row in cells:
        table.add_row(*map(Text, row))
    console().print(table)


def _print_blocks(columns: Sequence[str], cells: Sequence[Sequence[str]], caption: str) -> None:
    widest = max(map(len, columns))
    blocks = ("\n".join(f"{name:{widest}}  {cell}" for name, cell in zip(columns, row, strict=True)) for row in cells)
    typer.echo("\n\n".join([*blocks, *([caption] if caption else [])]))


def _longest_words(rows: Sequence[Sequence[str]]) -> list[int]:
    columns = [" ".join(column).split() for column in zip(*rows, strict=True)]
    return [min(_MAX_WORD_LENGTH, max(map(len, words), default=0)) for words in columns]


def _longest_lines(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(len(line) for cell in column for line in cell.split("\n")) for column in zip(*rows, strict=True)]


def _share_width(available: int, min_widths: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """Return the widths of the columns: first the longest word of each, then what is left goes where most is missing.

    Rich alone shrinks columns in proportion, and would break a number in two beside a column of many words.
    """
    widths = list(min_widths)
    for _ in range(available - sum(widths)):
        missing = [want - width for want, width in zip(wanted, widths, strict=True)]
        widths[missing.index(max(missing))] += 1 if max(missing) > 0 else 0
    return widths
