"""The lines of a sheet in a declared Excel workbook, XLSX or XLS."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from io import BytesIO
from zipfile import BadZipFile, ZipFile, is_zipfile

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook

from cambist.sources.base import MAX_PAYLOAD_BYTES
from cambist.sources.declaration.layouts import WorkbookLayout
from cambist.sources.declaration.table_rows import TableContent
from cambist.sources.parsing import PayloadReader

_SIGNS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
"""The first bytes of XLSX and XLS."""


class WorkbookOpener:
    """Reads one sheet. Days become ISO dates, numbers have the fewest digits that stand for them."""

    def __init__(self, layout: WorkbookLayout, reader: PayloadReader) -> None:
        self._layout = layout
        self._reader = reader

    def __call__(self, content: bytes) -> TableContent:
        """Return the cells and the skipped lines. Errors: SourceBroken."""
        rows = [[_text(cell) for cell in row] for row in self._sheet(content).to_python(skip_empty_area=False)]
        if len(rows) <= self._layout.skip:
            raise self._reader.broken(f"the table has no more than the {self._layout.skip} lines to skip")
        filled = (row if any(row) else [] for row in rows[self._layout.skip :])
        return TableContent(filled, [" ".join(" ".join(row).split()) for row in rows[: self._layout.skip]])

    def _sheet(self, content: bytes) -> CalamineSheet:
        check_workbook_size(content, self._reader)
        try:
            book = CalamineWorkbook.from_filelike(BytesIO(content))
            sheet = self._layout.sheet
            if isinstance(sheet, str):
                return book.get_sheet_by_name(sheet)
            return book.get_sheet_by_index(sheet - 1)
        except (CalamineError, OSError, ValueError, IndexError, KeyError) as error:
            raise self._reader.broken(f"the workbook cannot be read: {error}") from error


def read_sheets(content: bytes, reader: PayloadReader) -> dict[str, list[list[str]]]:
    """Return the lines of every sheet by its name, with cells as `WorkbookOpener` reads them. Errors: SourceBroken."""
    check_workbook_size(content, reader)
    try:
        book = CalamineWorkbook.from_filelike(BytesIO(content))
        sheets = {name: book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in book.sheet_names}
    except (CalamineError, OSError, ValueError, IndexError, KeyError) as error:
        raise reader.broken(f"the workbook cannot be read: {error}") from error
    return {name: [[_text(cell) for cell in row] for row in rows] for name, rows in sheets.items()}


def check_workbook_size(content: bytes, reader: PayloadReader) -> None:
    """Refuse what is not a workbook, and one that is larger unpacked than any source's. Errors: SourceBroken."""
    if len(content) > MAX_PAYLOAD_BYTES or not content.startswith(_SIGNS):
        raise reader.broken("what it sent is not a workbook, or too large")
    try:
        if is_zipfile(BytesIO(content)):
            with ZipFile(BytesIO(content)) as packed:
                unpacked = sum(each.file_size for each in packed.infolist())
            if unpacked > MAX_PAYLOAD_BYTES:
                raise reader.broken(f"the workbook has {unpacked:,} bytes, more than it ever publishes")
    except (BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise reader.broken(f"the workbook cannot be read: {error}") from error


def _text(cell: object) -> str:
    if isinstance(cell, bool):
        return str(cell)
    if isinstance(cell, float):
        return f"{Decimal(repr(cell)):f}".removesuffix(".0")
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == datetime.min.time() else cell.isoformat()
    return cell.isoformat() if isinstance(cell, date) else str(cell)
