"""Validation of a declaration's layout and day."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from cambist.errors import shorten
from cambist.history.typed_series import TYPE_NAME
from cambist.sources.declaration.answer_checks import DeclaredCheck
from cambist.sources.declaration.day_format import DayFormat
from cambist.sources.declaration.declaration import Declaration, DeclaredDay
from cambist.sources.declaration.layouts import CsvLayout, HtmlLayout, TableLayout, TreeLayout, XmlLayout
from cambist.sources.declaration.patterns import day_pattern_faults, pattern_faults
from cambist.sources.declaration.tree_path import ANY, TreePath, parse_path
from cambist.sources.declaration.tree_rows import OPTIONAL

Fault = tuple[str, str]
_LONGEST = 200
_END_TAGS = re.compile(r"</[a-z][a-z0-9]*>( ?</?[a-z][a-z0-9]*>)*")
_FORMATS = ("csv", "json", "xml", "html", "workbook")


def layout_faults(declared: Declaration) -> Iterator[Fault]:
    """Yield each wrong field of the layout or of the day, and what is wrong with it."""
    formats = [each for each in _FORMATS if getattr(declared, each) is not None]
    if not formats:
        yield "csv", "is missing, and so are [json] and [xml]: one of them says what the answers look like"
    if len(formats) > 1:
        yield formats[1], f"is a second format, besides [{formats[0]}] already"
    yield from _day(declared)
    if declared.table:
        yield from _table(formats[0], declared.table, declared)
    elif declared.tree:
        yield from _tree(formats[0], declared.tree, declared)
    yield from _nominal(declared, formats[0])
    for number, check in enumerate(declared.checks):
        yield from _check(f"checks[{number}]", check, declared)


def _day(declared: Declaration) -> Iterator[Fault]:
    day = declared.day
    yield from _day_forms(day)
    if day.once and day.of != "block":
        yield "day.once", "has no effect: each block would have to have a day of its own"
    if day.pattern:
        yield from day_pattern_faults("day.pattern", day.pattern)
    is_around = day.of == "document" and declared.table is not None and declared.html is None
    if is_around and not day.pattern:
        yield "day.pattern", "is missing: it says how the day is written in the lines before the table"
    if (day.of == "asked" or is_around) != (day.at is None):
        yield "day.at", "has no effect: the day is the one asked for" if day.at is not None else "is missing"
    if declared.table and day.of == "block":
        yield "day.of", f"[{day.of}] is not possible for a CSV: it must be record, document or asked"
    if is_around and not (declared.table and declared.table.skip):
        yield "day.of", "is the document, but there are no lines before the table: see skip"
    if day.of == "block" and declared.tree and declared.tree.blocks is None:
        yield "day.of", "is the block, but there is no path to blocks"


def _day_forms(day: DeclaredDay) -> Iterator[Fault]:
    if not day.forms or len({*day.forms}) != len(day.forms):
        yield "day.form", "must be formats, each once"
    forms = [("form", each, day.months) for each in day.forms]
    for field, form, months in (*forms, ("published_form", day.published_form, ())):
        try:
            DayFormat(form, months)
        except ValueError as error:
            yield f"day.{'months' if 'twelve' in f'{error}' else field}", f"{error}"


def _table(name: str, table: TableLayout, declared: Declaration) -> Iterator[Fault]:
    if isinstance(table, CsvLayout):
        yield from _delimiter(table.delimiter)
    if isinstance(table, HtmlLayout):
        yield from _selector("html.table", table.table)
        yield from _selector("html.rows", table.rows)
        if len(table.end) > _LONGEST or not _END_TAGS.fullmatch(table.end):
            yield "html.end", f"[{shorten(table.end)}] is not an end tag such as </div>, perhaps with tags after it"
        if declared.day.of == "document":
            yield from _selector("day.at", str(declared.day.at))
    sides = table.rate if isinstance(table.rate, tuple) else (table.rate,)
    for field, column in (("code", table.code), *(("rate", each) for each in sides), ("nominal", table.nominal)):
        if table.layout == "wide" and column is not None:
            yield f"{name}.{field}", "has no effect: in a wide table each currency is a column"
        yield from _column(f"{name}.{field}", column, table)
    if declared.day.of == "record":
        yield from _column("day.at", declared.day.at, table)
    yield from _column("day.published_at", declared.day.published_at, table)
    for rate_type, column in table.types.items():
        yield from _type(name, rate_type, declared)
        yield from _column(f"{name}.types.{shorten(rate_type)}", column, table)
    yield from _header(name, table)
    yield from _wide(name, table, declared) if table.layout == "wide" else _long(name, table, declared)


def _delimiter(mark: str) -> Iterator[Fault]:
    if len(mark) != 1 or mark.isalnum() or mark in {'"', ".", "-", "\r", "\n", "\0"} or not mark.isascii():
        yield "csv.delimiter", f"[{shorten(mark)}] must be one character, such as ; or a tab"


def _selector(field: str, selector: str) -> Iterator[Fault]:
    try:
        LexborHTMLParser("<p>").css(selector)
    except SelectolaxError:
        yield field, f"[{shorten(selector)}] is not a CSS selector, such as table#rates"


def _wide(name: str, table: TableLayout, declared: Declaration) -> Iterator[Fault]:
    if not table.header:
        yield f"{name}.header", "is needed: in a wide table it names the currencies"
    if declared.rates.currency is not None:
        yield "rates.currency", "has no effect: in a wide table the header names the currencies"
    if table.types:
        yield f"{name}.types", "has no effect: in a wide table each currency has one column"


def _long(name: str, table: TableLayout, declared: Declaration) -> Iterator[Fault]:
    if table.rate is None:
        yield f"{name}.rate", "is missing"
    yield from _code(name, table.code, declared)


def _check(field: str, check: DeclaredCheck, declared: Declaration) -> Iterator[Fault]:
    if bool(check.one_of or check.none_of or check.same_as or check.matches) == check.is_count:
        yield field, "needs one_of, none_of, same_as or matches; or at_least or at_most"
    yield from pattern_faults(f"{field}.matches", check.matches, set(), set())
    if len(check.says) > _LONGEST or not check.says.isprintable():
        yield f"{field}.says", f"must be one line of at most {_LONGEST} characters"
    if declared.table:
        if check.of != "record" or check.is_count or check.same_as:
            yield field, "is not possible in a table: it can compare a column of each record with one_of or none_of"
        yield from _column(f"{field}.at", check.at, declared.table)
        return
    if check.of == "block" and declared.tree and declared.tree.blocks is None:
        yield f"{field}.of", "is the block, but there is no path to blocks"
    for name, path in (("at", check.at), ("same_as", check.same_as)):
        if path is not None:
            yield from _path(f"{field}.{name}", str(path), holds_records=check.is_count, is_xml=bool(declared.xml))


def _type(format_name: str, rate_type: str, declared: Declaration) -> Iterator[Fault]:
    field = f"{format_name}.types.{shorten(rate_type)}"
    if not TYPE_NAME.fullmatch(rate_type):
        yield field, "must be 1 to 32 lower-case letters, digits and _, beginning with a letter"
    if rate_type == declared.rate_type:
        yield field, "is the rate_type of the source: only further types are named here"


def _header(name: str, csv: TableLayout) -> Iterator[Fault]:
    for field, texts in (("columns", csv.columns), ("always", csv.always)):
        if texts and not csv.header:
            yield f"{name}.{field}", "has no effect: there is no header"
    if csv.columns and csv.layout == "wide":
        yield f"{name}.columns", "is for long tables: a column for a new currency is no fault"
    for column in csv.always:
        if csv.columns and column not in csv.columns:
            yield f"{name}.always.{shorten(column)}", f"is not one of {name}.columns"


def _column(field: str, column: str | int | None, csv: TableLayout) -> Iterator[Fault]:
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
    sides = tree.rate if isinstance(tree.rate, tuple) else (tree.rate,)
    single = {"inner": tree.inner if isinstance(tree, XmlLayout) else None, "code": tree.code, "nominal": tree.nominal}
    for field, written in (*single.items(), *(("rate", each) for each in sides)):
        if written is not None:
            yield from _path(f"{name}.{field}", written.removesuffix(OPTIONAL) if field == "nominal" else written)
    for rate_type, written in tree.types.items():
        yield from _type(name, rate_type, declared)
        yield from _path(f"{name}.types.{shorten(rate_type)}", written)
    if isinstance(declared.day.at, int):
        yield "day.at", "is a number, but only the columns of a CSV have numbers"
    elif declared.day.at is not None:
        yield from _path("day.at", declared.day.at, is_xml=name == "xml")
    if declared.day.published_at is not None:
        yield from _path(
            "day.published_at", str(declared.day.published_at).removesuffix(OPTIONAL), is_xml=name == "xml"
        )
    if tree.code_of == "block" and (tree.blocks is None or tree.code is None):
        yield f"{name}.code_of", "is the block, but there is no path to blocks and codes"
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
    layout = declared.table or declared.tree
    if layout and layout.nominal is not None and declared.rates.nominal != 1:
        yield f"{name}.nominal", "has no effect: rates.nominal is set"
