"""How large the sheets of an XLSX are, found without reading their cells: readers allocate lines by columns at once."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cambist.sources.payloads.bounds import MOST_SHEET_CELLS, WIDEST_LINE

_TAG = re.compile(rb"<(?:[^\s<>/:=\"']+:)?(?P<kind>row|c)(?=[\s/>])(?P<head>[^<>]*+)(?P<end>>?)")
_HEAD = re.compile(rb"(?:\s+[^\s<>/=\"']+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*+\s*/?")
"""The attributes of a tag. Readers go on where these end; so what looks different may hide a cell and is refused."""
_PLACE = re.compile(rb"(?:^|[\s\"'])r\s*=\s*[\"'](?P<letters>[A-Za-z]*)(?P<digits>[0-9]*)")
_LAST_ROW = 1_048_576
_LAST_COLUMN = 16_384


def check_sheet(name: str, content: bytes) -> int:
    """Return the lines by columns of a sheet. Errors: ValueError if there are too many.

    A file that is no sheet has none. Cells without content do not count, as readers leave them out.
    """
    last_row, last_column = 0, 0
    for row, column in _cells(content):
        last_row, last_column = max(last_row, row), max(last_column, column)
        if last_column > WIDEST_LINE or last_row * last_column > MOST_SHEET_CELLS:
            raise ValueError(
                f"the sheet [{name[:60]}] has {last_row:,} lines and {last_column:,} columns, more than any"
            )
    return last_row * last_column


def _cells(content: bytes) -> Iterator[tuple[int, int]]:
    """Yield the row and column of each cell; one that does not say its place is the next one of its line."""
    row, column = 0, 0
    for tag in _TAG.finditer(content):
        if not tag["end"] or not _HEAD.fullmatch(tag["head"]):
            raise ValueError("the workbook has markup that none of its publisher's has")
        place = _PLACE.search(tag["head"])
        letters, digits = (place["letters"], place["digits"]) if place else (b"", b"")
        if tag["kind"] == b"row":
            row, column = _number(digits) or row + 1, 0
            continue
        row = _number(digits) or max(row, 1)
        column = _column(letters) or column + 1
        if not tag["head"].endswith(b"/"):
            yield row, column


def _number(digits: bytes) -> int:
    return int(digits) if 0 < len(digits) <= 7 else _LAST_ROW + 1 if digits else 0


def _column(letters: bytes) -> int:
    if len(letters) > 3:
        return _LAST_COLUMN + 1
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - 64
    return number
