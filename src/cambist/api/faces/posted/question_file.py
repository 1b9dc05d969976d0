"""Files in place of JSON questions: rows of CSV or XLSX are what the question lists, and parameters its terms."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from io import StringIO
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from cambist.api.faces.bulk.file_text import FileParams, read_delimited, read_text
from cambist.api.faces.bulk.written_amounts import read_number
from cambist.api.faces.tables.formats import CSV, FORMATS, TableFormat
from cambist.api.questions.parameters import ParamsReader
from cambist.api.questions.symbol_parameters import split_list
from cambist.errors import BadParameter, shorten
from cambist.sources.payloads.workbook import read_workbook
from cambist.suggestions import near_names
from cambist.validation import explain_validation_error

XLSX = next(each for each in FORMATS if each.suffix == "xlsx")

_ZIP, _OLD_WORKBOOK = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_FORM = "application/x-www-form-urlencoded"
"""What curl says of a body of which it is told nothing."""

_MOST_ROWS = 20_000
_MISTYPED_EDITS = 2


@dataclass(frozen=True, slots=True)
class FileQuestion:
    """A question that was read from a file, the format of it, and the columns that nobody reads."""

    question: Any
    written_as: TableFormat
    decimal: str
    delimiter: str
    ignored: tuple[str, ...]


_file_params = ParamsReader(FileParams)


def format_of(content_type: str, content: bytes) -> TableFormat | None:
    """Return the format of a body that is a file; None if it is to be read as JSON. Errors: BadParameter."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind.startswith("multipart/"):
        raise BadParameter("The body is a form: send the file itself, with curl by --data-binary @FILE")
    if content.startswith(_OLD_WORKBOOK):
        raise BadParameter("The body is a workbook of the old format: save it as XLSX or CSV")
    if content.startswith(_ZIP) or kind in XLSX.media_types:
        return XLSX
    is_unnamed = kind == _FORM and not content.lstrip().startswith((b"{", b"["))
    return CSV if kind in CSV.media_types or is_unnamed else None


def read_file(kind: type[Struct], lines: str, written_as: TableFormat, content: bytes, query: Any) -> FileQuestion:
    """Return a question whose list `lines` is a file, and whose other fields are parameters. Errors: BadParameter."""
    terms = terms_of(kind)
    (record,) = get_args(terms.pop(lines))
    params: FileParams = _file_params.read(query)
    for name in query:
        if name not in terms and name not in _file_params.names:
            known = ", ".join(sorted({*terms, *_file_params.names}))
            raise BadParameter(f"Unknown parameter: [{shorten(name)}], there are {known}; the rows are in the body")
    if written_as is XLSX:
        rows, params = _sheet(content), msgspec.structs.replace(params, decimal=".")
    else:
        rows, params = _table(content, params)
    columns, ignored = _columns(record, rows[0] if rows else [])
    listed = [_record(record, columns, row, params.decimal, number) for number, row in enumerate(rows[1:], 2)]
    asked = {
        name: split_list(text) if get_origin(terms[name]) is list else text
        for name, text in query.items()
        if name in terms
    }
    try:
        question = msgspec.convert({**asked, lines: listed}, kind, strict=False)
    except msgspec.ValidationError as error:
        path, reason = explain_validation_error(error)
        raise BadParameter(f"Invalid {path or 'parameters'}: {reason}") from error
    return FileQuestion(question, written_as, params.decimal or ".", params.delimiter or ",", ignored)


def _sheet(content: bytes) -> list[list[str]]:
    """Return the rows of the first sheet. Errors: BadParameter."""
    try:
        (lines,) = read_workbook(content, 1).values()
    except ValueError as error:
        raise BadParameter(f"The workbook cannot be read: {error}") from error
    return _within(row for row in lines if any(row))


def _table(content: bytes, params: FileParams) -> tuple[list[list[str]], FileParams]:
    """Return the rows of a CSV file, and with what its cells are separated. Errors: BadParameter."""
    _, text, delimiter = read_delimited(read_text(content, params.encoding), params.delimiter)
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter)
    try:
        rows = _within(row for row in reader if any(row))
    except csv.Error as error:
        raise BadParameter(f"Invalid CSV: line {reader.line_num}: {error}") from error
    return rows, msgspec.structs.replace(params, delimiter=delimiter)


def _within(rows: Iterable[Sequence[str]]) -> list[list[str]]:
    kept: list[list[str]] = []
    for row in rows:
        if len(kept) > _MOST_ROWS:
            raise BadParameter(f"Too many rows: a file has at most {_MOST_ROWS}")
        kept.append([cell.strip() for cell in row])
    return kept


@dataclass(frozen=True, slots=True)
class _Column:
    """A column that is read: the field, whether it is a number, and of a field by code which code."""

    name: str
    is_number: bool
    code: str = ""


def _columns(record: type[Struct], header: Sequence[str]) -> tuple[list[_Column | None], tuple[str, ...]]:
    """Return what each column is, None for one that nobody reads; those are named. Errors: BadParameter."""
    fields = terms_of(record)
    by_code = {name for name, hint in fields.items() if get_origin(hint) is dict}
    known = [f"{name}.USD" if name in by_code else name for name in fields]
    found: list[_Column | None] = []
    ignored: list[str] = []
    for text in header:
        name, _, code = re.sub(r"[ ._:]+", ".", text.strip()).partition(".")
        name = name.lower()
        if name in fields and bool(code) == (name in by_code):
            column = _Column(name, Decimal in get_args(fields[name]) or fields[name] is Decimal or bool(code), code)
            if column in found:
                raise BadParameter(f"The column [{shorten(text)}] is there twice")
            found.append(column)
            continue
        meant = near_names(name, fields, _MISTYPED_EDITS) if name not in fields else [*fields]
        if meant and len(name) > _MISTYPED_EDITS:
            raise BadParameter(f"Unknown column: [{shorten(text)}], there are {', '.join(known)}")
        found.append(None)
        ignored.append(text)
    needed = [each.encode_name for each in msgspec.structs.fields(record) if each.required]
    missing = [name for name in needed if not any(each and each.name == name for each in found)]
    if missing:
        raise BadParameter(f"Missing column: [{missing[0]}]; the first line names the columns: {', '.join(known)}")
    return found, tuple(ignored)


def _record(
    record: type[Struct], columns: Sequence[_Column | None], row: Sequence[str], decimal: str | None, number: int
) -> Any:
    """Return what a row says. Errors: BadParameter, which names it by its number."""
    if len(row) > len(columns):
        raise BadParameter(f"Row {number} has {len(row)} cells, the first line names {len(columns)}")
    found: dict[str, Any] = {}
    for column, cell in zip(columns, row, strict=False):
        if column is None or not cell:
            continue
        try:
            value = read_number(cell, decimal, column.name) if column.is_number else cell
        except BadParameter as error:
            raise BadParameter(f"Row {number}: {error}") from error
        if column.code:
            found.setdefault(column.name, {})[column.code] = value
        else:
            found[column.name] = value
    try:
        return msgspec.convert(found, record, strict=False)
    except msgspec.ValidationError as error:
        path, reason = explain_validation_error(error)
        raise BadParameter(f"Row {number}: {f'Invalid {path}: ' if path else ''}{reason}") from error


def terms_of(kind: type[Struct]) -> dict[str, Any]:
    """Return the types of the fields of a question by their names in JSON."""
    hints = get_type_hints(kind)
    return {each.encode_name: hints[each.name] for each in msgspec.structs.fields(kind)}
