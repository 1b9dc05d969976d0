"""Tables as CSV and as NDJSON."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from io import TextIOWrapper
from typing import IO

import msgspec

from cambist.api.answer.answer_table import COUNT, NUMBER, TEXT, AnswerTable, Cell

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""With these a spreadsheet takes a text for a formula."""

_encode_json = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class CsvOptions:
    """The character between the whole and the decimals of a number, and the one between two cells."""

    decimal: str = "."
    delimiter: str = ","


def write_csv(table: AnswerTable, file: IO[bytes], options: CsvOptions) -> None:
    """Write a table as CSV in UTF-8, with a header and lines that end with CR and LF, as RFC 4180 has it."""
    text = TextIOWrapper(file, "utf-8", newline="", write_through=False)
    writer = csv.writer(text, delimiter=options.delimiter)
    writer.writerow([column.name for column in table.columns])
    writer.writerows(table.rows if _is_plain(table, options) else _safe_rows(table, options.decimal))
    text.detach()  # flushes, and leaves the file open


def _is_plain(table: AnswerTable, options: CsvOptions) -> bool:
    """Return whether no cell has to be looked at before it is written."""
    return options.decimal == "." and not any(column.kind is TEXT for column in table.columns)


def _safe_rows(table: AnswerTable, decimal: str) -> Iterator[list[Cell]]:
    kinds = [column.kind for column in table.columns]
    for row in table.rows:
        yield [
            _safe_cell(cell, is_number=kind is NUMBER, decimal=decimal) for cell, kind in zip(row, kinds, strict=True)
        ]


def _safe_cell(cell: Cell, *, is_number: bool, decimal: str) -> Cell:
    if not isinstance(cell, str):
        return cell
    if is_number:
        return cell.replace(".", decimal)
    return f"'{cell}" if cell.startswith(_FORMULA_STARTS) else cell


def write_ndjson(table: AnswerTable, file: IO[bytes]) -> None:
    """Write a table as one JSON object a line; numbers have all their digits."""
    names = [_encode_json(column.name).decode() for column in table.columns]
    is_number = [column.kind in (NUMBER, COUNT) for column in table.columns]
    template = "{" + ",".join([f"{name.replace('%', '%%')}:%s" for name in names]) + "}\n"
    for row in table.rows:
        cells = [_json_cell(cell, is_number=number) for cell, number in zip(row, is_number, strict=True)]
        file.write((template % tuple(cells)).encode())


def _json_cell(cell: Cell, *, is_number: bool) -> str:
    if cell is None:
        return "null"
    return str(cell) if is_number else _encode_json(cell).decode()
