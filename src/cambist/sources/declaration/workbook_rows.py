"""The lines of a sheet in a declared Excel workbook, XLSX or XLS."""

from __future__ import annotations

from cambist.sources.declaration.layouts import WorkbookLayout
from cambist.sources.declaration.table_rows import TableContent
from cambist.sources.parsing import PayloadReader
from cambist.sources.payloads.workbook import read_workbook


class WorkbookOpener:
    """Reads one sheet. Days become ISO dates, numbers have the fewest digits that stand for them."""

    def __init__(self, layout: WorkbookLayout, reader: PayloadReader) -> None:
        self._layout = layout
        self._reader = reader

    def __call__(self, content: bytes) -> TableContent:
        """Return the cells and the skipped lines. Errors: SourceBroken."""
        with self._reader.bounded():
            (rows,) = read_workbook(content, self._layout.sheet).values()
        if len(rows) <= self._layout.skip:
            raise self._reader.broken(f"the table has no more than the {self._layout.skip} lines to skip")
        filled = (row if any(row) else [] for row in rows[self._layout.skip :])
        return TableContent(filled, [" ".join(" ".join(row).split()) for row in rows[: self._layout.skip]])


def read_sheets(content: bytes, reader: PayloadReader) -> dict[str, list[list[str]]]:
    """Return the lines of every sheet by its name, with cells as `WorkbookOpener` reads them. Errors: SourceBroken."""
    with reader.bounded():
        return read_workbook(content)
