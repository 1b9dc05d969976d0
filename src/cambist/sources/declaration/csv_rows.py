"""The lines of a declared CSV."""

from __future__ import annotations

from cambist.sources.declaration.layouts import CsvLayout
from cambist.sources.declaration.table_rows import TableContent
from cambist.sources.parsing import PayloadReader


class CsvOpener:
    """Reads texts with the declared separator."""

    def __init__(self, layout: CsvLayout, reader: PayloadReader) -> None:
        self._layout = layout
        self._reader = reader

    def __call__(self, content: bytes) -> TableContent:
        """Return the cells and the skipped lines. Errors: SourceBroken."""
        layout, text = self._layout, self._reader.text(content, self._layout.encoding)
        if not (text.endswith("\n") or layout.open_end):
            raise self._reader.broken("the table is cut off: it does not end with a line end")
        lines = text.split("\n", layout.skip)
        if len(lines) <= layout.skip:
            raise self._reader.broken(f"the table has no more than the {layout.skip} lines to skip")
        cells = self._reader.csv_rows(lines[-1], layout.delimiter)
        return TableContent(cells, [line.strip() for line in lines[:-1]])
