"""Strict parsing of payloads: text, numbers, days, CSV, JSON, XML. Anything unexpected raises SourceBroken."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache
from io import StringIO
from typing import Any, TypeVar
from xml.etree.ElementTree import Element
from zoneinfo import ZoneInfo

import msgspec
from selectolax.lexbor import LexborHTMLParser

from cambist.errors import CellBroken, SourceBroken, shorten
from cambist.sources.base import CELL_GUARD
from cambist.sources.payloads.bounds import BoundedLines, check_csv, check_json, check_lines, check_size
from cambist.sources.payloads.html import parse_html
from cambist.sources.payloads.unpacking import Unpacker
from cambist.sources.payloads.xml import parse_xml

T = TypeVar("T")

_PLAIN = re.compile(r"[0-9]{1,15}(\.[0-9]{1,20})?", re.ASCII)
_CODE = re.compile(r"[A-Z]{3}", re.ASCII)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def is_code(text: str) -> bool:
    """Return whether a text has the form of a currency code."""
    return _CODE.fullmatch(text) is not None


class PayloadReader:
    """Parses the parts of one source's payloads. `name` begins its error messages."""

    def __init__(self, name: str) -> None:
        self.name = name

    cell = CELL_GUARD
    """The context for one cell, `with _reader.cell:`. If it cannot be parsed, only this cell is left out."""

    def cell_broken(self, sentence: str) -> CellBroken:
        """Return the error for one cell or column."""
        return CellBroken(f"{self.name}: {sentence}")

    def broken(self, sentence: str) -> SourceBroken:
        """Return the error for the whole payload."""
        return SourceBroken(f"{self.name}: {sentence}")

    def text(self, content: bytes, encoding: str = "utf-8") -> str:
        """Decode a payload. Errors: SourceBroken if it is too large, in another encoding, or has zero bytes."""
        with self.bounded():
            check_size(content)
        try:
            text = content.decode(encoding)
        except (UnicodeDecodeError, LookupError) as error:
            raise self.broken(f"what it sent is not {encoding}: {error}") from error
        if "\0" in text:
            raise self.broken("what it sent is not text")
        with self.bounded():
            check_lines(text)
        return text

    def number(self, text: str, what: object, *, comma: str = "", thousands: str = "") -> Decimal:
        """Parse a positive number. `comma` (the decimal mark, else a point) and `thousands` are the source's marks."""
        plain = text
        if thousands:
            plain = self._without_thousands(text, thousands, comma or ".", what)
        if comma:
            plain = "" if "." in plain else plain.replace(comma, ".", 1)
        value = Decimal(plain) if _PLAIN.fullmatch(plain) else Decimal(0)
        if not value > 0:
            raise self.cell_broken(f"{what} is no rate: [{shorten(text)}]")
        return value

    def json_number(self, value: object, what: object) -> Decimal:
        """Return a positive number of a JSON document: a raw value, a Decimal, a whole number, or a text."""
        if isinstance(value, msgspec.Raw):
            value = _decode_number(bytes(value))
        if isinstance(value, str):
            return self.number(value, what)
        exact = Decimal(value) if isinstance(value, int | Decimal) and not isinstance(value, bool) else Decimal(0)
        # JSON allows 1e400; no rate is so large. The bounds are those of `number`.
        if not (exact.is_finite() and exact > 0 and -20 <= exact.adjusted() < 15):
            raise self.cell_broken(f"{what} is no rate: [{shorten(str(value))}]")
        return exact

    def nominal(self, value: object, what: object) -> int:
        """Parse a nominal: a whole number of units from 1 to 1,000,000."""
        text = str(value)
        if not (text.isascii() and text.isdigit() and len(text) <= 7 and 1 <= int(text) <= 1_000_000):
            raise self.cell_broken(f"{what} is quoted per [{shorten(text)}] units")
        return int(text)

    def code(self, text: object) -> str:
        """Parse a currency code."""
        if not (isinstance(text, str) and is_code(text)):
            raise self.broken(f"[{shorten(str(text))}] is not a currency code")
        return text

    def day(self, text: object, form: str = "%Y-%m-%d", since: date = date(1945, 1, 1)) -> date:
        """Parse a day in a format of `strptime`; unlike there, no digit may be missing."""
        found = _day(str(text), form)
        if found is None or found < since:
            raise self.broken(f"[{shorten(str(text))}] is not a date since {since}")
        return found

    def timestamp(self, text: str, zone: ZoneInfo) -> datetime | None:
        """Parse a time of publication, in `zone` unless it has an offset, to the second; return None if it is none."""
        try:
            moment = datetime.fromisoformat(text)
            return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC).replace(microsecond=0)
        except (ValueError, OverflowError):
            return None

    def day_with_month_name(self, text: str, pattern: str, since: date = date(1945, 1, 1)) -> date:
        """Parse a day whose month has an English name, whatever the locale.

        `pattern` is a regular expression with groups `d`, `m` and `y`.
        """
        match = re.fullmatch(pattern, text, re.ASCII)
        month = _MONTHS.index(match["m"][:3].lower()) + 1 if match and match["m"][:3].lower() in _MONTHS else 0
        try:
            found = date(int(match["y"]), month, int(match["d"])) if match else date.min
        except ValueError:
            found = date.min
        if found < since:
            raise self.broken(f"[{shorten(text)}] is not a date since {since}")
        return found

    def json(self, content: bytes, kind: type[T], encoding: str = "utf-8") -> T:
        """Decode a document into a struct of the fields that are used. Declare numbers as Decimal or Raw."""
        text = self.text(content, encoding)
        with self.bounded():
            check_json(text)
        try:
            return msgspec.json.decode(text, type=kind, strict=True)
        except (ValueError, RecursionError) as error:
            raise self.broken(
                f"the document has another structure: {error}; it begins [{shorten(text[:60])}]"
            ) from error

    def json_tree(
        self, text: str, number: Callable[[str], Any], pairs: Callable[[list[Any]], Any] | None = None
    ) -> Any:
        """Decode a document into dicts and lists, with `number` for each number. NaN and the like become texts.

        `pairs` makes the dicts from their names and values. Errors: SourceBroken.
        """
        with self.bounded():
            check_json(text)
        try:
            return json.loads(text, parse_float=number, parse_int=number, parse_constant=str, object_pairs_hook=pairs)
        except (ValueError, RecursionError) as error:
            raise self.broken(f"the document is not JSON: {error}; it begins [{shorten(text[:60])}]") from error

    def xml(self, content: bytes) -> Element:
        """Parse a document without a DOCTYPE or entities, so that none can expand. Errors: SourceBroken."""
        with self.bounded():
            return parse_xml(content)

    def html(self, text: str) -> LexborHTMLParser:
        """Parse a page. Errors: SourceBroken if it is too large or too deep."""
        with self.bounded():
            return parse_html(text)

    def unpacker(self, content: bytes) -> Unpacker:
        """Open a zip; the errors of the result are ValueError. Errors: SourceBroken."""
        with self.bounded():
            return Unpacker(content)

    def csv_rows(self, text: str, delimiter: str = ",") -> Iterator[list[str]]:
        """Yield the cells of each line of a CSV. Errors: SourceBroken for bad quoting, or too many cells."""
        with self.bounded():
            check_csv(text, delimiter)
        lines = BoundedLines(StringIO(text, newline=""), delimiter)
        try:
            for row in csv.reader(lines, delimiter=delimiter, strict=True):
                lines.begin_record()
                yield row
        except csv.Error as error:
            raise self.broken(f"the table cannot be read: {error}") from error
        except ValueError as error:
            raise self.broken(str(error)) from error

    @contextmanager
    def bounded(self) -> Iterator[None]:
        """Raise SourceBroken for the ValueError of a bound."""
        try:
            yield
        except ValueError as error:
            raise self.broken(str(error)) from error

    def unique(self, seen: set[T], key: T) -> T:
        """Add a key to `seen` and return it. Errors: SourceBroken if it is in there already."""
        if key in seen:
            raise self.broken(f"{_describe(key)} is given twice")
        seen.add(key)
        return key

    def _without_thousands(self, text: str, mark: str, point: str, what: object) -> str:
        """Remove the marks between thousands. Errors: CellBroken if they are anywhere else."""
        head, dot, tail = text.partition(point)
        groups = head.split(mark)
        if len(groups) > 1 and (not 1 <= len(groups[0]) <= 3 or any(len(group) != 3 for group in groups[1:])):
            raise self.cell_broken(f"{what} is no rate: [{shorten(text)}]")
        return "".join(groups) + dot + tail


@lru_cache(maxsize=65_536)
def _day(text: str, form: str) -> date | None:
    """Parse a day; cached, because sources write the same days over and over."""
    try:
        found = datetime.strptime(text, form).replace(tzinfo=UTC)
    except ValueError:
        return None
    # strptime accepts missing zeros and extra blanks; such a text is not written back the same.
    return found.date() if found.strftime(form).lower() == text.lower() else None


def _decode_number(raw: bytes) -> Decimal | str:
    """Decode a JSON number exactly; return the text of anything else."""
    if raw.startswith(b'"'):
        # A text may be a number too, but in its own notation: Decimal would read 1_5 as 15.
        return msgspec.json.decode(raw, type=str)
    try:
        return msgspec.json.decode(raw, type=Decimal)
    except (ValueError, RecursionError):
        return raw.decode(errors="replace")


def _describe(key: Any) -> str:
    return " on ".join(map(str, key)) if isinstance(key, Sequence) and not isinstance(key, str) else str(key)
