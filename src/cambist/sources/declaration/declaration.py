"""The declaration of a source: the tables and fields of its TOML file, and their types."""

from __future__ import annotations

import difflib
import re
import tomllib
from datetime import date, time, timedelta
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from cambist.errors import SourceRefused, shorten
from cambist.sources.base import Redistribution
from cambist.validation import in_plain_words, split_validation_error

Nominal = Annotated[int, Meta(ge=1, le=1_000_000)]
Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
WEEKDAYS: tuple[Weekday, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
Column = str | int
"""A column: the text of its header cell, or its number from 1."""


class DeclaredTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the file. Unknown fields are refused."""


class DeclaredRequest(DeclaredTable, frozen=True, kw_only=True):
    """`[request]`: a URL with placeholders, and how many days one answer covers."""

    url: str
    span: Annotated[int, Meta(ge=1, le=36_600)] | Literal["all"]
    headers: dict[str, str] = {}
    media: tuple[str, ...] = ()
    absent: tuple[Annotated[int, Meta(ge=204, le=499)], ...] = ()


class DeclaredRates(DeclaredTable, frozen=True, kw_only=True):
    """`[rates]`: how the source writes rates and currencies."""

    anchor: str
    direction: Literal["other_per_anchor", "anchor_per_other"]
    nominal: Nominal | dict[str, Nominal] = 1
    per_gram: tuple[Literal["XAU", "XAG", "XPT", "XPD"], ...] = ()
    currency: str | None = None
    decimal: Literal[".", ","] = "."
    thousands: str = ""
    missing: tuple[str, ...] = ()
    code_form: str = "{code}"
    codes: dict[str, str] = {}
    ignore: tuple[str, ...] = ()
    may_be_empty: bool = False


class DeclaredDay(DeclaredTable, frozen=True, kw_only=True):
    """`[day]`: where the day of a rate is, and its format."""

    of: Literal["record", "block", "document", "asked"] = "record"
    at: Column | None = None
    form: str = "%Y-%m-%d"


class DeclaredSchedule(DeclaredTable, frozen=True, kw_only=True):
    """`[schedule]`: when to poll, in the source's time zone."""

    zone: str
    start: time = time(0)
    end: time = time(23, 59)
    every: timedelta = timedelta(minutes=20)
    days: tuple[Weekday, ...] = WEEKDAYS[:5]
    holidays: str = ""
    pause: timedelta = timedelta(seconds=1)
    reread: Annotated[int, Meta(ge=0, le=366)] = 14


class CsvLayout(DeclaredTable, frozen=True, kw_only=True):
    """`[csv]`: a line for each rate (long), or a line for each day with a column for each currency (wide)."""

    layout: Literal["long", "wide"]
    encoding: str = "utf-8"
    delimiter: str = ","
    skip: Annotated[int, Meta(ge=0, le=1000)] = 0
    header: bool = True
    open_end: bool = False
    code: Column | None = None
    rate: Column | None = None
    nominal: Column | None = None


class TreeLayout(DeclaredTable, frozen=True, kw_only=True):
    """The shared fields of `[json]` and `[xml]`: records, optionally within blocks, and paths within a record."""

    records: str
    rate: str
    blocks: str | None = None
    code: str | None = None
    nominal: str | None = None


class JsonLayout(TreeLayout, frozen=True, kw_only=True):
    """`[json]`: a JSON document."""

    encoding: str = "utf-8"


class XmlLayout(TreeLayout, frozen=True, kw_only=True):
    """`[xml]`: an XML document with this outermost element."""

    root: str


class Declaration(DeclaredTable, frozen=True, kw_only=True):
    """The whole file. Exactly one of `csv`, `json` and `xml` describes the answers."""

    key: str
    name: str
    licence: str
    rate_type: Literal["official", "market", "parallel"]
    first_day: date
    request: DeclaredRequest
    rates: DeclaredRates
    day: DeclaredDay
    schedule: DeclaredSchedule
    home: str = ""
    terms: str = ""
    covers: str = ""
    redistribution: Redistribution = Redistribution.FORBIDDEN
    compiled: bool = False
    fixed_at: time = time(0, 1)
    key_variable: str = ""
    csv: CsvLayout | None = None
    json: JsonLayout | None = None
    xml: XmlLayout | None = None

    @property
    def tree(self) -> JsonLayout | XmlLayout | None:
        """The layout of JSON or XML; None for a CSV."""
        return self.json or self.xml


_TABLES: dict[str, type[DeclaredTable]] = {
    "": Declaration,
    "request.": DeclaredRequest,
    "rates.": DeclaredRates,
    "day.": DeclaredDay,
    "schedule.": DeclaredSchedule,
    "csv.": CsvLayout,
    "json.": JsonLayout,
    "xml.": XmlLayout,
}
FIELDS = [
    table + field
    for table, kind in _TABLES.items()
    for field in kind.__struct_fields__
    if table or f"{field}." not in _TABLES
]
"""The full name of every field of a declaration."""

_FIELD_ERROR = re.compile(r"Object (?P<what>contains unknown|missing required) field `(?P<field>.*)`", re.DOTALL)


def parse_declaration(text: str, name: str) -> Declaration:
    """Parse a file and the types of its fields. `validate_declaration` checks whether they fit together.

    Errors: SourceRefused naming the file and the field.
    """
    try:
        content = tomllib.loads(text)
    except RecursionError:
        raise refusal(name, "values are nested too deeply") from None
    except ValueError as error:
        raise refusal(name, f"this is not TOML: {shorten(str(error))}") from error
    return _convert(content, name)


def refusal(name: str, sentence: str) -> SourceRefused:
    """Return the error with the file's name, on one line even if the file's texts are not."""
    plain = (each if each.isprintable() else ascii(each)[1:-1] for each in sentence)
    return SourceRefused(f"{name}: {''.join(plain)}")


def _convert(content: dict[str, Any], name: str) -> Declaration:
    try:
        return msgspec.convert(content, Declaration)
    except msgspec.ValidationError as error:
        raise refusal(name, _explain(error)) from error
    except (OverflowError, ValueError, RecursionError) as error:
        raise refusal(name, f"a value is out of range: {shorten(str(error))}") from error


def _explain(error: msgspec.ValidationError) -> str:
    """Return msgspec's error in our form: the field in brackets, then the reason."""
    table, reason = split_validation_error(error)
    found = _FIELD_ERROR.fullmatch(reason)
    if not found:
        return f"[{shorten(table)}] is refused: {in_plain_words(reason)}"
    field = f"{table}.{found['field']}".lstrip(".")
    if found["what"].startswith("missing"):
        return f"[{shorten(field)}] is missing"
    return f"[{shorten(field)}] is unknown{_hint(table, found['field'])}"


def _hint(table: str, field: str) -> str:
    """Suggest the nearest field of the table, or the field of that name in another table."""
    beside = {each.rpartition(".")[2]: each for each in FIELDS if each.rpartition(".")[0] == table}
    elsewhere = [each for each in FIELDS if each.rpartition(".")[2] == field]
    near = [beside[each] for each in difflib.get_close_matches(field, beside, n=1)] or elsewhere
    return f"; did you mean [{near[0]}]?" if near else ""
