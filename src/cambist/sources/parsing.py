"""Reading what sources write, strictly: text, numbers, days, CSV, JSON, XML. Whatever else it is breaks the feed."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache
from io import StringIO
from typing import Any, TypeVar
from xml.etree import ElementTree as ET
from zoneinfo import ZoneInfo

import msgspec

from cambist.errors import CellBroken, SourceBroken, shorten
from cambist.sources.base import CELL_GUARD, MAX_PAYLOAD_BYTES

T = TypeVar("T")

_PLAIN = re.compile(r"[0-9]{1,15}(\.[0-9]{1,20})?", re.ASCII)
_CODE = re.compile(r"[A-Z]{3}", re.ASCII)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def is_code(text: str) -> bool:
    """Say whether a text is written as a currency's code."""
    return _CODE.fullmatch(text) is not None


class PayloadReader:
    """Reads for one source; what it refuses names the source."""

    def __init__(self, name: str) -> None:
        self.name = name

    cell = CELL_GUARD
    """Put around the reading of one cell, `with reading.cell:`, so that it costs only itself."""

    def cell_broken(self, sentence: str) -> CellBroken:
        """Make the error that says what is wrong with one cell or column."""
        return CellBroken(f"{self.name}: {sentence}")

    def broken(self, sentence: str) -> SourceBroken:
        """Make the error that says what is wrong."""
        return SourceBroken(f"{self.name}: {sentence}")

    def text(self, content: bytes, encoding: str = "utf-8") -> str:
        """Decode the whole of it; nothing is replaced, and control characters are none of a source's."""
        if len(content) > MAX_PAYLOAD_BYTES:
            raise self.broken(f"sent {len(content):,} bytes, more than it ever publishes")
        try:
            text = content.decode(encoding)
        except (UnicodeDecodeError, LookupError) as error:
            raise self.broken(f"what it sent is not {encoding}: {error}") from error
        if "\0" in text:
            raise self.broken("what it sent is no text")
        return text

    def number(self, text: str, what: object, *, comma: str = "", thousands: str = "") -> Decimal:
        """Read a positive number as it stands; `comma` and `thousands` are the source's own marks."""
        plain = text
        if thousands:
            plain = self._ungrouped(text, thousands, comma or ".", what)
        if comma:
            plain = "" if "." in plain else plain.replace(comma, ".", 1)
        value = Decimal(plain) if _PLAIN.fullmatch(plain) else Decimal(0)
        if not value > 0:
            raise self.cell_broken(f"{what} is no rate: [{shorten(text)}]")
        return value

    def json_number(self, value: object, what: object) -> Decimal:
        """Take a number of a JSON document, which was decoded as Decimal or not at all, or is text."""
        if isinstance(value, msgspec.Raw):
            value = _decoded(bytes(value))
        if isinstance(value, str):
            return self.number(value, what)
        exact = Decimal(value) if isinstance(value, int | Decimal) and not isinstance(value, bool) else Decimal(0)
        # 1e400 is a number of JSON and none of a market; the bounds are those of `number`.
        if not (exact.is_finite() and exact > 0 and -20 <= exact.adjusted() < 15):
            raise self.cell_broken(f"{what} is no rate: [{shorten(str(value))}]")
        return exact

    def nominal(self, value: object, what: object) -> int:
        """Read a nominal: a whole number of units from 1 to a million."""
        text = str(value)
        if not (text.isascii() and text.isdigit() and len(text) <= 7 and 1 <= int(text) <= 1_000_000):
            raise self.cell_broken(f"{what} is quoted per [{shorten(text)}] units")
        return int(text)

    def code(self, text: object) -> str:
        """Read a currency's code."""
        if not (isinstance(text, str) and is_code(text)):
            raise self.broken(f"[{shorten(str(text))}] is no currency's code")
        return text

    def day(self, text: object, form: str = "%Y-%m-%d", since: date = date(1945, 1, 1)) -> date:
        """Read a day in the source's form, which has to have been written like that: no digit may be missing."""
        found = _day(str(text), form)
        if found is None or found < since:
            raise self.broken(f"[{shorten(str(text))}] is no date since {since}")
        return found

    def timestamp(self, text: str, zone: ZoneInfo) -> datetime | None:
        """Read when something was published, by a clock of `zone`, to the second; None where it is no such moment."""
        try:
            return datetime.fromisoformat(text[:19]).replace(tzinfo=zone).astimezone(UTC)
        except ValueError:
            return None

    def day_with_month_name(self, text: str, pattern: str, since: date = date(1945, 1, 1)) -> date:
        """Read a day whose month is an English word, whatever the machine's language.

        `pattern` is a regular expression with groups `d`, `m` and `y`.
        """
        match = re.fullmatch(pattern, text, re.ASCII)
        month = _MONTHS.index(match["m"][:3].lower()) + 1 if match and match["m"][:3].lower() in _MONTHS else 0
        try:
            found = date(int(match["y"]), month, int(match["d"])) if match else date.min
        except ValueError:
            found = date.min
        if found < since:
            raise self.broken(f"[{shorten(text)}] is no date since {since}")
        return found

    def json(self, content: bytes, kind: type[T], encoding: str = "utf-8") -> T:
        """Decode a document into a struct that declares what is used; declare numbers as Decimal."""
        text = self.text(content, encoding)
        try:
            return msgspec.json.decode(text, type=kind, strict=True)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise self.broken(f"the document is not its own: {error}; it begins [{shorten(text[:60])}]") from error

    def xml(self, content: bytes) -> ET.Element:
        """Parse a document that defines nothing of its own, so that none can expand."""
        # The last is UTF-16, in which neither of the words would be found.
        if len(content) > MAX_PAYLOAD_BYTES or any(sign in content for sign in (b"<!DOCTYPE", b"<!ENTITY", b"\0")):
            raise self.broken("the document is not its own")
        try:
            return ET.fromstring(content)  # noqa: S314  no definitions, no entities, bounded size
        except (ET.ParseError, ValueError, LookupError) as error:
            raise self.broken(f"the document is no XML: {error}") from error

    def csv_rows(self, text: str, delimiter: str = ",") -> Iterator[list[str]]:
        """Give the cells of a CSV's lines; quotes are those of the format, nothing else."""
        try:
            yield from csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
        except csv.Error as error:
            raise self.broken(f"the table cannot be read: {error}") from error

    def unique(self, seen: set[T], key: T) -> T:
        """Take note of what may stand only once."""
        if key in seen:
            raise self.broken(f"{_written(key)} stands twice")
        seen.add(key)
        return key

    def _ungrouped(self, text: str, mark: str, point: str, what: object) -> str:
        """Drop the marks between thousands, where they stand between thousands and nowhere else."""
        head, dot, tail = text.partition(point)
        groups = head.split(mark)
        if len(groups) > 1 and (not 1 <= len(groups[0]) <= 3 or any(len(group) != 3 for group in groups[1:])):
            raise self.cell_broken(f"{what} is no rate: [{shorten(text)}]")
        return "".join(groups) + dot + tail


@lru_cache(maxsize=65_536)
def _day(text: str, form: str) -> date | None:
    """Read a day written in a form; sources write the same days over and over."""
    try:
        found = datetime.strptime(text, form).replace(tzinfo=UTC)
    except ValueError:
        return None
    # strptime is lenient with lost zeros and blanks; a date that is not written back the same is none.
    return found.date() if found.strftime(form).lower() == text.lower() else None


def _decoded(raw: bytes) -> Decimal | str:
    """Decode a number of JSON exactly; what is none is shown as it stands there."""
    try:
        return msgspec.json.decode(raw, type=Decimal)
    except msgspec.MsgspecError:
        return raw.decode(errors="replace")


def _written(key: Any) -> str:
    return " on ".join(map(str, key)) if isinstance(key, Sequence) and not isinstance(key, str) else str(key)
