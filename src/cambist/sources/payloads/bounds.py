"""The bounds of payloads, and counts that need no parser.

Each function raises ValueError with a sentence about the payload. The counts are upper bounds: they are taken from the
bytes, as fast as memory can be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from cambist.sources.base import MAX_PAYLOAD_BYTES

MOST_JSON_VALUES = 2_000_000
MOST_XML_PARTS = 1_000_000
"""Elements, attributes and comments of an XML document."""
MOST_XML_NAMES = 2_000
"""Different names of elements and attributes. A parser repeats the namespace in each."""
LONGEST_XML_NAMESPACE = 300
DEEPEST_XML = 100
MOST_HTML_TAGS = 400_000
DEEPEST_HTML = 1_000
MOST_OPEN_HTML = 5_000
"""Elements that are open at once, counted roughly: sloppy pages do not close all that they open."""
MOST_LINES = 2_000_000
MOST_CELLS = 4_000_000
"""Cells and lines of a CSV."""
WIDEST_LINE = 10_000
"""Cells in a line of a CSV or a workbook."""
MOST_SHEET_CELLS = 2_000_000
"""Lines by columns of all sheets of a workbook, up to the last that is not empty."""
MOST_ZIP_MEMBERS = 1_000

_SEPARATORS = ("[", "{", ",", ":")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_NEEDS_NO_END = frozenset({
    "area", "base", "body", "br", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html", "img", "input", "li",
    "link", "meta", "option", "p", "param", "source", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr",
})  # fmt: skip


def check_size(content: bytes) -> None:
    """Check the number of bytes."""
    if len(content) > MAX_PAYLOAD_BYTES:
        raise ValueError(f"sent {len(content):,} bytes, more than it ever publishes")


def check_lines(text: str) -> None:
    """Check how many lines a text has."""
    _check("lines", max(text.count("\n"), text.count("\r")), MOST_LINES)


def check_json(text: str) -> None:
    """Check how many values a JSON document can have. Its depth is bounded by the parsers."""
    _check("JSON values", sum(map(text.count, _SEPARATORS)), MOST_JSON_VALUES)


def check_csv(text: str, delimiter: str) -> None:
    """Check how many cells a CSV can have."""
    _check("cells", text.count(delimiter) + text.count("\n") + text.count("\r"), MOST_CELLS)


class BoundedLines:
    """The lines of a CSV for its parser, which reads a record as a whole, over several lines if it has quotes.

    `begin_record` must be called after each record. Errors: ValueError in a record that is too wide.
    """

    def __init__(self, lines: Iterable[str], delimiter: str) -> None:
        self._lines = iter(lines)
        self._delimiter = delimiter
        self._count = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self._count += line.count(self._delimiter)
        _check("cells in a line", self._count, WIDEST_LINE)
        return line

    def begin_record(self) -> None:
        """Count the cells of the next record from zero."""
        self._count = 0


def check_html(text: str) -> None:
    """Check how many tags a page has, and roughly how many are open at once: a deep page takes quadratic time."""
    _check("HTML tags", text.count("<"), MOST_HTML_TAGS)
    still_open = 0
    for end, name in _TAG.findall(text):
        if name.lower() not in _NEEDS_NO_END:
            still_open = max(0, still_open - 1) if end else still_open + 1
            _check("open HTML tags", still_open, MOST_OPEN_HTML)


def _check(what: str, count: int, most: int) -> None:
    if count > most:
        raise ValueError(f"sent more than {most:,} {what}, more than it ever publishes")
