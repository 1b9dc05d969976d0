"""A table: what an answer is in every format but JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from msgspec import UNSET, Raw

Cell = str | int | None


class ColumnKind(Enum):
    """What a column has: texts, ISO dates, numbers as texts with all their digits, or whole numbers."""

    TEXT = "text"
    DATE = "date"
    NUMBER = "number"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    kind: ColumnKind = ColumnKind.TEXT


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """Columns and rows; the rows are computed while they are read, and can be read once.

    Each row has a cell for each column: a text or, in a column of whole numbers, an int; None if there is no value.
    `unavailable` lists the codes that the request named and the table does not have.
    """

    columns: tuple[Column, ...]
    rows: Iterable[tuple[Cell, ...]]
    unavailable: tuple[str, ...] = ()


def cell_of(value: object) -> Cell:
    """Return a field of a JSON answer as a cell: a number with its digits, nothing where it is absent or null."""
    if value is UNSET or value is None:
        return None
    return bytes(value).decode() if isinstance(value, Raw) else str(value)


TEXT, DATE, NUMBER, COUNT = ColumnKind.TEXT, ColumnKind.DATE, ColumnKind.NUMBER, ColumnKind.COUNT
