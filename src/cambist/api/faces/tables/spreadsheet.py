"""Tables as XLSX workbooks, row by row."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import IO, Any

import xlsxwriter

from cambist.api.answer.answer_table import DATE, TEXT, AnswerTable, Cell, Column

_CREATED = datetime(2000, 1, 1, tzinfo=UTC)
"""Stands in the file as its date, so that the same answer always gives the same bytes."""
_DAY_FORMAT = "yyyy-mm-dd"
_WIDTH = 14


def write_xlsx(table: AnswerTable, file: IO[bytes]) -> None:
    """Write a table as the only sheet of a workbook, with dates as dates and numbers as numbers (float64).

    Rows are kept in a temporary file until the workbook is complete, not in memory.
    """
    workbook = xlsxwriter.Workbook(file, {"constant_memory": True, "strings_to_numbers": False})
    workbook.set_properties({"created": _CREATED.replace(tzinfo=None), "author": "Cambist"})
    sheet = workbook.add_worksheet("Cambist")
    sheet.freeze_panes(1, 0)
    sheet.set_column(0, len(table.columns) - 1, _WIDTH)
    sheet.write_row(0, 0, [column.name for column in table.columns], workbook.add_format({"bold": True}))
    writers = [_writer(column, sheet, workbook) for column in table.columns]
    for row, cells in enumerate(table.rows, start=1):
        for place, (write, cell) in enumerate(zip(writers, cells, strict=True)):
            if cell is not None:
                write(row, place, cell)
    workbook.close()


def _writer(column: Column, sheet: Any, workbook: Any) -> Callable[[int, int, Cell], None]:
    if column.kind is TEXT:
        return lambda row, place, cell: sheet.write_string(row, place, str(cell))
    if column.kind is DATE:
        form = workbook.add_format({"num_format": _DAY_FORMAT})
        return lambda row, place, cell: sheet.write_datetime(row, place, date.fromisoformat(str(cell)), form)
    return lambda row, place, cell: sheet.write_number(row, place, float(str(cell)))
