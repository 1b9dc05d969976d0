"""The declaration of a source: the tables and fields of its TOML file, and their types."""

from __future__ import annotations

import re
import tomllib
from datetime import date, time, timedelta
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from cambist.errors import SourceRefused, shorten
from cambist.sources.base import KnownFrom, Redistribution
from cambist.sources.declaration.answer_checks import DeclaredCheck
from cambist.sources.declaration.layouts import (
    Column,
    CsvLayout,
    DeclaredTable,
    HtmlLayout,
    JsonLayout,
    TableLayout,
    WorkbookLayout,
    XmlLayout,
)
from cambist.suggestions import near_names
from cambist.validation import in_plain_words, split_validation_error

Nominal = Annotated[int, Meta(ge=1, le=1_000_000)]
Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
WEEKDAYS: tuple[Weekday, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class DeclaredBefore(DeclaredTable, frozen=True, kw_only=True):
    """`[request.before]`: a request to send first, for its cookies, or a token or hidden fields in its answer."""

    url: str
    pattern: str = ""
    fields: tuple[str, ...] = ()
    media: tuple[str, ...] = ()


class DeclaredFew(DeclaredTable, frozen=True, kw_only=True):
    """`[request.few]`: the address of a single day, for ranges of at most so many `days`."""

    url: str
    days: Annotated[int, Meta(ge=1, le=31)]


class DeclaredRequest(DeclaredTable, frozen=True, kw_only=True):
    """`[request]`: a URL with placeholders, and how many days one answer covers."""

    url: str
    span: Annotated[int, Meta(ge=1, le=36_600)] | Literal["month", "year", "all"]
    days: tuple[Weekday, ...] = ()
    each: tuple[str, ...] = ()
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    form: dict[str, str] = msgspec.field(default_factory=dict)
    json: dict[str, Any] = msgspec.field(default_factory=dict)
    body: str = ""
    member: str = ""
    before: DeclaredBefore | None = None
    few: DeclaredFew | None = None
    media: tuple[str, ...] = ()
    absent: tuple[Annotated[int, Meta(ge=204, le=499)], ...] = ()


class RenamedCode(DeclaredTable, frozen=True, kw_only=True):
    """`[[rates.renamed]]`: what a code means from `since` to the day before `until`; its nominal is divided."""

    label: str
    code: str
    since: date = date.min
    until: date = date.max
    divided_by: Nominal = 1


class DeclaredRates(DeclaredTable, frozen=True, kw_only=True):
    """`[rates]`: how the source writes rates and currencies."""

    anchor: str
    anchor_of_day: bool = False
    direction: Literal["other_per_anchor", "anchor_per_other"]
    nominal: Nominal | dict[str, Nominal] = 1
    per_gram: tuple[Literal["XAU", "XAG", "XPT", "XPD"], ...] = ()
    nominal_is: Literal["units", "decimal", "power"] = "units"
    currency: str | None = None
    decimal: Literal[".", ","] = "."
    thousands: str = ""
    places: Annotated[int, Meta(ge=0, le=12)] | None = None
    strip: bool = True
    missing: tuple[str, ...] = ()
    code_form: str = "{code}"
    code_pattern: str = ""
    rate_pattern: str = ""
    codes: dict[str, str] = msgspec.field(default_factory=dict)
    ignore: tuple[str, ...] = ()
    inverted: tuple[str, ...] = ()
    repeats: Literal["refuse", "merge"] = "refuse"
    only: tuple[str, ...] = ()
    renamed: tuple[RenamedCode, ...] = ()
    anchor_is_one: bool = False
    must_have: tuple[str, ...] = ()
    may_be_empty: bool = False
    empty_says: str = ""


class DeclaredDay(DeclaredTable, frozen=True, kw_only=True):
    """`[day]`: where the day of a rate is, and its format, or the formats that it may have."""

    of: Literal["record", "block", "document", "asked"] = "record"
    at: Column | None = None
    pattern: str = ""
    form: str | tuple[str, ...] = "%Y-%m-%d"
    months: tuple[str, ...] = ()
    earlier: Literal["refuse", "skip"] = "refuse"
    skipped_since: date = date.min
    once: bool = False
    published_at: Column | None = None
    published_form: str = "%Y-%m-%dT%H:%M:%S"

    @property
    def forms(self) -> tuple[str, ...]:
        """The formats, in the order in which they are tried."""
        return (self.form,) if isinstance(self.form, str) else self.form


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


class Declaration(DeclaredTable, frozen=True, kw_only=True):
    """The whole file. Exactly one layout describes the answers: `csv`, `json`, `xml`, `html` or `workbook`."""

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
    last_day: date | None = None
    pace: Literal["intraday", "daily", "monthly"] = "daily"
    key_variable: str = ""
    setting: str = ""
    label: str = ""
    alias: str = ""
    brings: tuple[str, ...] = ()
    outranks_pegs: bool = False
    disabled_reason: str = ""
    known_from: KnownFrom | None = None
    csv: CsvLayout | None = None
    json: JsonLayout | None = None
    xml: XmlLayout | None = None
    html: HtmlLayout | None = None
    checks: tuple[DeclaredCheck, ...] = ()
    workbook: WorkbookLayout | None = None

    @property
    def tree(self) -> JsonLayout | XmlLayout | None:
        """The layout of JSON or XML; None for a table."""
        return self.json or self.xml

    @property
    def rate_types(self) -> tuple[str, ...]:
        """The further types of rates that its records have."""
        layout = self.table or self.tree
        return tuple(layout.types) if layout else ()

    @property
    def table(self) -> TableLayout | None:
        """The layout of a table; None for JSON or XML."""
        return self.csv or self.html or self.workbook


_TABLES: dict[str, type[DeclaredTable]] = {
    "": Declaration,
    "request.": DeclaredRequest,
    "rates.": DeclaredRates,
    "day.": DeclaredDay,
    "schedule.": DeclaredSchedule,
    "csv.": CsvLayout,
    "json.": JsonLayout,
    "xml.": XmlLayout,
    "html.": HtmlLayout,
    "workbook.": WorkbookLayout,
    "request.before.": DeclaredBefore,
    "request.few.": DeclaredFew,
    "rates.renamed.": RenamedCode,
    "checks.": DeclaredCheck,
}
FIELDS = [
    table + field
    for table, kind in _TABLES.items()
    for field in kind.__struct_fields__
    if f"{table}{field}." not in _TABLES
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
    near = [beside[each] for each in near_names(field, beside)] or elsewhere
    return f"; did you mean [{near[0]}]?" if near else ""
