"""Rows of a declared table: long, a line for each rate; or wide, a column for each currency."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from cambist.errors import shorten
from cambist.sources.declaration.answer_checks import check_text
from cambist.sources.declaration.declaration import Declaration
from cambist.sources.declaration.layouts import Column, TableLayout
from cambist.sources.declaration.raw_rate import RawRate
from cambist.sources.parsing import PayloadReader


@dataclass(frozen=True, slots=True)
class TableContent:
    """The cells of a table line by line, without the lines to skip, and the text around it that may have its day."""

    lines: Iterable[list[str]]
    around: list[str] = field(default_factory=list)


TableOpener = Callable[[bytes], TableContent]


class _Places(NamedTuple):
    """Where the parts of one rate are in a line."""

    day: int | None
    code: int | None
    rate: int
    nominal: int | None
    rate_type: str = ""
    other_rate: int | None = None
    published_at: int | None = None


class TableRowParser:
    """Parses one layout; `open_table` returns the content of an answer."""

    def __init__(
        self, layout: TableLayout, declared: Declaration, reader: PayloadReader, open_table: TableOpener
    ) -> None:
        self._layout = layout
        self._is_day_around = declared.day.of == "document"
        self._day = declared.day.at if declared.day.of == "record" else None
        self._published_at = declared.day.published_at
        self._ignore = frozenset(declared.rates.ignore)
        self._only = frozenset(declared.rates.only)
        self._checks = declared.checks
        self._is_stripped = declared.rates.strip
        self._reader = reader
        self._open_table = open_table

    def rows(self, content: bytes) -> Iterator[RawRate]:
        """Yield the rates in their order. Errors: SourceBroken."""
        table, layout = self._open_table(content), self._layout
        lines = self._lines(table.lines)
        first = next(lines, None)
        if first is None:
            raise self._reader.broken("the table holds nothing")
        header = first if layout.header else []
        self._check_header(header)
        rates = [*self._rates(header, len(first))]
        always = [(self._place(name, header, len(first)) or 0, name, text) for name, text in layout.always.items()]
        checks = [(self._place(each.at, header, len(first)) or 0, each) for each in self._checks]
        around = "\n".join(table.around) if self._is_day_around else None
        for cells in lines if header else chain([first], lines):
            self._check_line(cells, len(first), always)
            for place, check in checks:
                check_text(check, cells[place], None, {"line": ",".join(cells)}, self._reader)
            for places in rates:
                name = header[places.rate] if layout.layout == "wide" else _cell(cells, places.code)
                if name is None or self._is_read(name):
                    yield _raw_rate(cells, places, name, around)

    def _is_read(self, name: str) -> bool:
        return name not in self._ignore and (not self._only or name in self._only)

    def _lines(self, lines: Iterable[list[str]]) -> Iterator[list[str]]:
        """Yield the cells of each line that is not blank."""
        for cells in lines:
            stripped = [cell.strip() for cell in cells] if self._is_stripped else cells
            if not (self._layout.blank_lines and stripped in ([], [""])):
                yield stripped

    def _check_header(self, header: list[str]) -> None:
        if self._layout.columns and header != [*self._layout.columns]:
            raise self._reader.broken(f"the table does not begin with its header: [{shorten(','.join(header))}]")

    def _check_line(self, cells: list[str], width: int, always: Iterable[tuple[int, str, str]]) -> None:
        line = shorten(",".join(cells))
        if len(cells) != width:
            raise self._reader.broken(f"the line [{line}] has {len(cells)} cells instead of {width}")
        for place, name, text in always:
            if cells[place] != text:
                raise self._reader.broken(f"the line [{line}] has {name} [{shorten(cells[place])}] and not [{text}]")

    def _rates(self, header: list[str], width: int) -> Iterator[_Places]:
        """Yield the columns of each rate of a line."""
        layout = self._layout
        day, published_at = (self._place(each, header, width) for each in (self._day, self._published_at))
        if layout.layout == "wide":
            for place in range(width):
                if place not in (day, published_at) and self._is_read(header[place]):
                    yield _Places(day, place, place, None, published_at=published_at)
            return
        code, nominal = self._place(layout.code, header, width), self._place(layout.nominal, header, width)
        sides = layout.rate if isinstance(layout.rate, tuple) else (layout.rate, None)
        rate, other = (self._place(each, header, width) for each in sides)
        yield _Places(day, code, rate or 0, nominal, "", other, published_at)
        for name, column in layout.types.items():
            place = self._place(column, header, width) or 0
            yield _Places(day, code, place, nominal, name, published_at=published_at)

    def _place(self, column: Column | None, header: list[str], width: int) -> int | None:
        if column is None:
            return None
        is_there = column <= width if isinstance(column, int) else header.count(column) == 1
        if not is_there:
            raise self._reader.broken(
                f"the table has no column [{shorten(str(column))}], or two of them: [{shorten(','.join(header))}]"
            )
        return column - 1 if isinstance(column, int) else header.index(column)


def _raw_rate(cells: list[str], places: _Places, name: str | None, around: str | None) -> RawRate:
    day = around if around is not None else _cell(cells, places.day)
    other, published_at = _cell(cells, places.other_rate), _cell(cells, places.published_at)
    return RawRate(day, name, cells[places.rate], _cell(cells, places.nominal), places.rate_type, other, published_at)


def _cell(cells: list[str], place: int | None) -> str | None:
    return None if place is None else cells[place]
