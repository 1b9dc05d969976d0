"""The layouts of answers that a declaration can describe: tables and trees."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Column = str | int
"""A column: the text of its header cell, or its number from 1."""


class DeclaredTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the file. Unknown fields are refused."""


class TableLayout(DeclaredTable, frozen=True, kw_only=True):
    """A line for each rate (long), or a line for each day with a column for each currency (wide)."""

    layout: Literal["long", "wide"]
    skip: Annotated[int, Meta(ge=0, le=1000)] = 0
    header: bool = True
    columns: tuple[str, ...] = ()
    always: dict[str, str] = {}
    blank_lines: bool = True
    code: Column | None = None
    rate: Column | tuple[Column, Column] | None = None
    nominal: Column | None = None
    types: dict[str, Column] = {}


class CsvLayout(TableLayout, frozen=True, kw_only=True):
    """`[csv]`: a text with a separator."""

    encoding: str = "utf-8"
    delimiter: str = ","
    open_end: bool = False


class HtmlLayout(TableLayout, frozen=True, kw_only=True):
    """`[html]`: a table of a page. `table` is the CSS selector of this table alone, `rows` that of its lines."""

    table: str
    rows: str = "tr"
    end: str = "</html>"
    encoding: str = "utf-8"


class WorkbookLayout(TableLayout, frozen=True, kw_only=True):
    """`[workbook]`: a sheet of an Excel workbook, XLSX or XLS."""

    sheet: str | int = 1


class TreeLayout(DeclaredTable, frozen=True, kw_only=True):
    """The shared fields of `[json]` and `[xml]`: records, optionally within blocks, and paths within a record."""

    records: str
    rate: str | tuple[str, str]
    blocks: str | None = None
    code: str | None = None
    code_of: Literal["record", "block"] = "record"
    nominal: str | None = None
    types: dict[str, str] = {}


class JsonLayout(TreeLayout, frozen=True, kw_only=True):
    """`[json]`: a JSON document."""

    encoding: str = "utf-8"
    nominal_is_number: bool = False


class XmlLayout(TreeLayout, frozen=True, kw_only=True):
    """`[xml]`: an XML document with this outermost element; it may be the text of an element of the answer, `inner`."""

    root: str
    inner: str | None = None
