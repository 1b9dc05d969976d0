"""The lines of a table in a declared HTML page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from cambist.errors import shorten
from cambist.sources.declaration.layouts import HtmlLayout
from cambist.sources.declaration.table_rows import TableContent
from cambist.sources.parsing import PayloadReader

_BLANKS = re.compile(r"\s+")
_CELLS = {"td", "th"}
_WIDEST = 100
"""The most columns that one cell may span."""


class HtmlOpener:
    """Reads the table of a page that the declared selector matches, and no other."""

    def __init__(self, layout: HtmlLayout, day_selector: str, reader: PayloadReader) -> None:
        self._layout = layout
        self._day_selector = day_selector
        self._reader = reader

    def __call__(self, content: bytes) -> TableContent:
        """Return the cells, and the text of the element that has the day. Errors: SourceBroken."""
        text = self._reader.text(content, self._layout.encoding)
        # Parsers repair whatever comes; only the end of the page shows that all of it came.
        end, page_text = self._layout.end.lower(), _BLANKS.sub(" ", text).strip().lower()
        if not page_text.endswith(end) or page_text.count(end) != 1:
            raise self._reader.broken(f"the page is cut off, or not one: it ends [{shorten(text[-60:])}]")
        page = self._reader.html(text)
        table = self._only(page, self._layout.table)
        rows = [row for row in table.css(self._layout.rows) if _is_of(row, table)]
        if len(rows) <= self._layout.skip:
            raise self._reader.broken(f"the table has no more than the {self._layout.skip} lines to skip")
        around = [_text(self._only(page, self._day_selector))] if self._day_selector else []
        return TableContent(self._cells(rows[self._layout.skip :]), around)

    def _only(self, page: LexborHTMLParser, selector: str) -> LexborNode:
        found = page.css(selector)
        if len(found) != 1:
            raise self._reader.broken(f"the page has {len(found)} elements [{selector}] instead of one")
        return found[0]

    def _cells(self, rows: list[LexborNode]) -> Iterator[list[str]]:
        for row in rows:
            cells: list[str] = []
            for cell in row.iter():
                if cell.tag in _CELLS:
                    cells += [_text(cell)] * self._span(cell)
            yield cells

    def _span(self, cell: LexborNode) -> int:
        """Return how many columns a cell spans. Errors: SourceBroken if it spans lines."""
        down, across = (cell.attributes.get(name) or "1" for name in ("rowspan", "colspan"))
        if down != "1" or not (across.isascii() and across.isdigit() and 1 <= int(across[:4]) <= _WIDEST):
            raise self._reader.broken(f"the cell [{shorten(_text(cell))}] spans [{down}] lines, [{across}] columns")
        return int(across)


def _is_of(row: LexborNode, table: LexborNode) -> bool:
    """Return whether a row belongs to the table itself, not to a table in one of its cells."""
    parent = row.parent
    while parent is not None and parent.tag != "table":
        parent = parent.parent
    return parent is not None and parent.mem_id == table.mem_id


def _text(node: LexborNode) -> str:
    return _BLANKS.sub(" ", node.text(deep=True)).strip()
