"""Reading a CSV file of amounts to convert, and writing it with results.

The first line names the columns. Those that are not `amount`, `from`, `to` or `date` are passed through.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import StringIO
from typing import IO

from cambist.api.faces.bulk.file_text import read_delimited
from cambist.errors import BadParameter, shorten

AMOUNT, BASE, QUOTE, DAY = "amount", "from", "to", "date"
RESULTS = ("result", "rate", "as_of", "error")
"""The columns that are added."""

_COLUMNS = "the first line names the columns: amount, from, to and, if you like, date"


@dataclass(frozen=True, slots=True)
class RowResult:
    """What is added to a row: the converted amount, the rate and its time, or why there is none."""

    result: str = ""
    rate: str = ""
    as_of: str = ""
    error: str = ""


ConvertRow = Callable[[Mapping[str, str]], RowResult]
"""Converts the amount of a row, given its cells by the names `amount`, `from`, `to` and `date`."""


class ConversionFile:
    """A file of amounts to convert. Without a `delimiter` it is the one that its first line has most often.

    A first line such as `sep=;`, by which spreadsheets know the delimiter, is kept as `preamble`.
    Errors: BadParameter if a column is missing, doubled or one of those that are added, and if the text is not CSV.
    """

    def __init__(self, text: str, delimiter: str | None = None) -> None:
        self.preamble, self.text, self.delimiter = read_delimited(text, delimiter)
        rows = self._rows()
        self.header = next(rows, [])
        self._places = _find_columns(self.header)
        self.row_count = sum(1 for _ in rows)

    def __iter__(self) -> Iterator[list[str]]:
        rows = self._rows()
        next(rows)
        return rows

    def _rows(self) -> Iterator[list[str]]:
        reader = csv.reader(StringIO(self.text, newline=""), delimiter=self.delimiter)
        try:
            for row in reader:
                if row:
                    yield row
        except csv.Error as error:
            raise BadParameter(f"Invalid CSV: line {reader.line_num}: {error}") from error

    def write_converted(self, file: IO[str], convert: ConvertRow) -> None:
        """Write every row with its result, with a header."""
        file.write(self.preamble)
        writer = csv.writer(file, delimiter=self.delimiter)
        writer.writerow([*self.header, *RESULTS])
        for row in self:
            found = self._convert(row, convert)
            padding = [""] * (len(self.header) - len(row))
            writer.writerow([*row[: len(self.header)], *padding, found.result, found.rate, found.as_of, found.error])

    def _convert(self, row: list[str], convert: ConvertRow) -> RowResult:
        if len(row) > len(self.header):
            return RowResult(error=f"The row has {len(row)} cells, the first line names {len(self.header)}")
        cells = {name: row[place].strip() if place < len(row) else "" for name, place in self._places.items()}
        empty = [name for name, text in cells.items() if not text and name != DAY]
        return RowResult(error=f"The cell [{empty[0]}] is empty") if empty else convert(cells)


def _find_columns(header: Iterable[str]) -> dict[str, int]:
    names = [name.strip().lower() for name in header]
    if not any(names):
        raise BadParameter(f"There is no CSV: {_COLUMNS}")
    for name in (AMOUNT, BASE, QUOTE, DAY):
        if names.count(name) > 1:
            raise BadParameter(f"The column [{name}] is there {names.count(name)} times")
        if name not in names and name != DAY:
            raise BadParameter(f"Missing column: [{name}]; {_COLUMNS}. It has [{shorten(','.join(names))}]")
    for name in RESULTS:
        if name in names:
            raise BadParameter(f"The column [{name}] is one of those that are added: rename it")
    return {name: names.index(name) for name in (AMOUNT, BASE, QUOTE, DAY) if name in names}


def split_file(file: ConversionFile, rows: int) -> Iterator[str]:
    """Yield a file in parts of so many rows, each a CSV file with the header."""
    part: list[list[str]] = []
    for row in file:
        part.append(row)
        if len(part) == rows:
            yield _join(file, part)
            part = []
    if part:
        yield _join(file, part)


def _join(file: ConversionFile, rows: Iterable[list[str]]) -> str:
    text = StringIO()
    csv.writer(text, delimiter=file.delimiter).writerows([file.header, *rows])
    return text.getvalue()
