"""Validation of a declaration's layout and day."""

from __future__ import annotations

from collections.abc import Iterator

from cambist.errors import shorten
from cambist.sources.declaration.day_format import DayFormat
from cambist.sources.declaration.declaration import CsvLayout, Declaration, TreeLayout
from cambist.sources.declaration.tree_path import ANY, TreePath, parse_path
from cambist.sources.declaration.tree_rows import OPTIONAL

Fault = tuple[str, str]
_FORMATS = ("csv", "json", "xml")


def layout_faults(declared: Declaration) -> Iterator[Fault]:
    """Yield each wrong field of the layout or of the day, and what is wrong with it."""
    formats = [each for each in _FORMATS if getattr(declared, each) is not None]
    if not formats:
        yield "csv", "is missing, and so are [json] and [xml]: one of them says what the answers look like"
    if len(formats) > 1:
        yield formats[1], f"is a second format, besides [{formats[0]}] already"
    yield from _day(declared)
    if declared.csv:
        yield from _csv(declared.csv, declared)
    elif declared.tree:
        yield from _tree(formats[0], declared.tree, declared)
    yield from _nominal(declared, formats[0])


def _day(declared: Declaration) -> Iterator[Fault]:
    day = declared.day
    try:
        DayFormat(day.form)
    except ValueError as error:
        yield "day.form", f"{error}"
    if (day.of == "asked") != (day.at is None):
        yield "day.at", "has no effect: the day is the one asked for" if day.at is not None else "is missing"
    if declared.csv and day.of in {"block", "document"}:
        yield "day.of", f"[{day.of}] is not possible for a CSV: it must be record or asked"
    if day.of == "block" and declared.tree and declared.tree.blocks is None:
        yield "day.of", "is the block, but there is no path to blocks"


def _csv(csv: CsvLayout, declared: Declaration) -> Iterator[Fault]:
    mark = csv.delimiter
    if len(mark) != 1 or mark.isalnum() or mark in {'"', ".", "-", "\r", "\n", "\0"} or not mark.isascii():
        yield "csv.delimiter", f"[{shorten(mark)}] must be one character, such as ; or a tab"
    for field, column in (("code", csv.code), ("rate", csv.rate), ("nominal", csv.nominal)):
        if csv.layout == "wide" and column is not None:
            yield f"csv.{field}", "has no effect: in a wide table each currency is a column"
        yield from _column(f"csv.{field}", column, csv)
    yield from _column("day.at", declared.day.at, csv)
    if csv.layout == "wide":
        if not csv.header:
            yield "csv.header", "is needed: in a wide table it names the currencies"
        if declared.rates.currency is not None:
            yield "rates.currency", "has no effect: in a wide table the header names the currencies"
    else:
        if csv.rate is None:
            yield "csv.rate", "is missing"
        yield from _code("csv", csv.code, declared)


def _column(field: str, column: str | int | None, csv: CsvLayout) -> Iterator[Fault]:
    if isinstance(column, int) and column < 1:
        yield field, f"[{column}] is not a column: columns are counted from 1"
    if isinstance(column, str) and not csv.header:
        yield field, f"[{shorten(column)}] is a column's name, but there is not a header: take its number"


def _code(format_name: str, code: str | int | None, declared: Declaration) -> Iterator[Fault]:
    if code is None and declared.rates.currency is None:
        yield f"{format_name}.code", "is missing, and so is rates.currency: one of them says whose rate it is"
    if code is not None and declared.rates.currency is not None:
        yield "rates.currency", f"has no effect: {format_name}.code says whose rate it is"


def _tree(name: str, tree: TreeLayout, declared: Declaration) -> Iterator[Fault]:
    for field in ("blocks", "records"):
        written = getattr(tree, field)
        if written is not None:
            yield from _path(f"{name}.{field}", written, holds_records=True)
    for field in ("code", "rate", "nominal"):
        written = getattr(tree, field)
        if written is not None:
            yield from _path(f"{name}.{field}", written.removesuffix(OPTIONAL) if field == "nominal" else written)
    if isinstance(declared.day.at, int):
        yield "day.at", "is a number, but only the columns of a CSV have numbers"
    elif declared.day.at is not None:
        yield from _path("day.at", declared.day.at, is_xml=name == "xml")
    yield from _code(name, tree.code, declared)


def _path(field: str, written: str, *, holds_records: bool = False, is_xml: bool | None = None) -> Iterator[Fault]:
    try:
        path = parse_path(written)
    except ValueError as error:
        yield field, f"{error}"
        return
    if holds_records and not path.can_hold_records:
        yield field, f"[{shorten(written)}] cannot contain records"
    yield from _path_faults(field, path, is_xml=field.startswith("xml.") if is_xml is None else is_xml)


def _path_faults(field: str, path: TreePath, *, is_xml: bool) -> Iterator[Fault]:
    if not is_xml and (path.attribute or ANY in path.steps):
        yield field, f"[{path}] is a path for XML: JSON has neither @attributes nor *"
    if is_xml and path.steps and isinstance(path.steps[0], int):
        yield field, f"[{path}] begins with an index: in XML an element's name comes first"


def _nominal(declared: Declaration, name: str) -> Iterator[Fault]:
    layout = declared.csv or declared.tree
    if layout and layout.nominal is not None and declared.rates.nominal != 1:
        yield f"{name}.nominal", "has no effect: rates.nominal is set"
