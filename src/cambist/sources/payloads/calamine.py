"""The library that reads workbooks: what it returns as texts, what it raises as ValueError."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from io import BytesIO

from python_calamine import CalamineError, CalamineWorkbook

Sheets = dict[str, list[list[str]]]


def read_sheets(content: bytes, chosen: str | int | None) -> Sheets:
    """Return the lines of the sheet with a name, or a number from 1, or of all sheets. Errors: ValueError."""
    try:
        book = CalamineWorkbook.from_filelike(BytesIO(content))
        names = [book.sheet_names[chosen - 1]] if isinstance(chosen, int) else [chosen] if chosen else book.sheet_names
        return {name: _lines(book, name) for name in names}
    except (CalamineError, OSError, IndexError, KeyError) as error:
        raise ValueError(f"the workbook cannot be read: {error}") from error
    except BaseException as error:
        # The library's own failures are no Exception, so nothing else catches them.
        if type(error).__name__ != "PanicException":
            raise
        raise ValueError("the workbook cannot be read: its parts contradict each other") from error


def _lines(book: CalamineWorkbook, name: str) -> list[list[str]]:
    lines = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
    return [[_text(cell) for cell in line] for line in lines]


def _text(cell: object) -> str:
    if isinstance(cell, bool):
        return str(cell)
    if isinstance(cell, float):
        return f"{Decimal(repr(cell)):f}".removesuffix(".0")
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == datetime.min.time() else cell.isoformat()
    return cell.isoformat() if isinstance(cell, date) else str(cell)
