"""Rows of a declared CSV: long, a line for each rate; or wide, a column for each currency."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from cambist.errors import shorten
from cambist.sources.declaration.declaration import Column, CsvLayout
from cambist.sources.declaration.raw_rate import RawRate
from cambist.sources.parsing import PayloadReader


class CsvRowParser:
    """Parses one layout; `day` is the column of days, None if lines have no day."""

    def __init__(self, layout: CsvLayout, day: Column | None, ignore: Collection[str], reader: PayloadReader) -> None:
        self._layout = layout
        self._day = day
        self._ignore = ignore
        self._reader = reader

    def rows(self, content: bytes) -> Iterator[RawRate]:
        """Yield the rates in their order. Errors: SourceBroken."""
        lines = self._lines(content)
        first = next(lines, None)
        if first is None:
            raise self._reader.broken("the table holds nothing")
        header = first if self._layout.header else []
        columns = [*self._columns(header, len(first))]
        for cells in lines if header else self._prepend(first, lines):
            if len(cells) != len(first):
                raise self._reader.broken(
                    f"the line [{shorten(self._layout.delimiter.join(cells))}] has {len(cells)} cells "
                    f"instead of {len(first)}"
                )
            for day, code, rate, nominal in columns:
                name = header[code] if self._layout.layout == "wide" and code is not None else _cell(cells, code)
                if name is None or name not in self._ignore:
                    yield RawRate(_cell(cells, day), name, cells[rate], _cell(cells, nominal))

    def _lines(self, content: bytes) -> Iterator[list[str]]:
        """Yield the cells of each line that is not blank, after the lines to skip."""
        text = self._reader.text(content, self._layout.encoding)
        if not (text.endswith("\n") or self._layout.open_end):
            raise self._reader.broken("the table is cut off: its last line does not end")
        lines = text.split("\n", self._layout.skip)
        if len(lines) <= self._layout.skip:
            raise self._reader.broken(f"the table has no more than the {self._layout.skip} lines to skip")
        for cells in self._reader.csv_rows(lines[-1], self._layout.delimiter):
            stripped = [cell.strip() for cell in cells]
            if stripped not in ([], [""]):
                yield stripped

    def _columns(self, header: list[str], width: int) -> Iterator[tuple[int | None, int | None, int, int | None]]:
        """Yield the columns of day, code, rate and nominal for each rate of a line."""
        layout = self._layout
        day = self._place(self._day, header, width)
        if layout.layout == "wide":
            places = (place for place in range(width) if place != day and header[place] not in self._ignore)
            yield from ((day, place, place, None) for place in places)
            return
        rate = self._place(layout.rate, header, width) or 0
        yield day, self._place(layout.code, header, width), rate, self._place(layout.nominal, header, width)

    def _place(self, column: Column | None, header: list[str], width: int) -> int | None:
        if column is None:
            return None
        is_there = column <= width if isinstance(column, int) else header.count(column) == 1
        if not is_there:
            raise self._reader.broken(
                f"the table has no column [{shorten(str(column))}], or two of them: [{shorten(','.join(header))}]"
            )
        return column - 1 if isinstance(column, int) else header.index(column)

    @staticmethod
    def _prepend(first: list[str], others: Iterator[list[str]]) -> Iterator[list[str]]:
        yield first
        yield from others


def _cell(cells: list[str], place: int | None) -> str | None:
    return None if place is None else cells[place]
