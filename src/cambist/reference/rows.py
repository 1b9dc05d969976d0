"""Reading the tables' CSV rows: whatever is wrong is said with file, line and field."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction

from cambist.reference.records import Kind

_CODE = re.compile(r"[A-Z]{3}")
# Fraction() alone would also take signs, exponents and underscores, none of which a law prints.
_EXACT = re.compile(r"[0-9]+(\.[0-9]+|/[0-9]+)?")
_DECIMAL = re.compile(r"[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a CSV file, which knows where it stands so that it can say what is wrong with it."""

    file: str
    line: int
    fields: Mapping[str, str]

    def broken(self, field: str, reason: str) -> ValueError:
        """Make the error that names where it stands."""
        return ValueError(f"{self.file}, line {self.line}, {field}: {reason}")

    def text(self, field: str) -> str:
        """Read a text that must be there."""
        text = self.fields[field]
        if not text or text != text.strip():
            raise self.broken(field, f"{text!r} is empty or has blanks around it")
        return text

    def code(self, field: str) -> str:
        """Read a currency code."""
        text = self.text(field)
        if not _CODE.fullmatch(text):
            raise self.broken(field, f"{text!r} is not three capital letters")
        return text

    def kind(self, field: str) -> Kind:
        """Read a kind."""
        text = self.text(field)
        try:
            return Kind(text)
        except ValueError as error:
            raise self.broken(field, f"{text!r} is not one of {', '.join(Kind)}") from error

    def minor_units(self, field: str) -> int | None:
        """Read a number of decimals, or nothing."""
        text = self.fields[field]
        if not text:
            return None
        if not re.fullmatch(r"[0-9]", text):
            raise self.broken(field, f"{text!r} is not one digit")
        return int(text)

    def factor(self, field: str) -> Fraction:
        """Read an exact positive number."""
        text = self.text(field)
        if not _EXACT.fullmatch(text):
            raise self.broken(field, f"{text!r} is not an integer, a decimal or a fraction")
        try:
            factor = Fraction(text)
        except ZeroDivisionError as error:
            raise self.broken(field, f"{text!r} divides by zero") from error
        if factor == 0:
            raise self.broken(field, "it must be above zero")
        return factor

    def decimal(self, field: str) -> Decimal:
        """Read an exact positive decimal, every digit of it kept."""
        text = self.text(field)
        if not _DECIMAL.fullmatch(text) or Decimal(text) == 0:
            raise self.broken(field, f"{text!r} is not a decimal above zero")
        return Decimal(text)

    def day(self, field: str) -> date:
        """Read a day."""
        text = self.text(field)
        try:
            day = date.fromisoformat(text)
        except ValueError as error:
            raise self.broken(field, f"{text!r} is not a day") from error
        if day.isoformat() != text:
            raise self.broken(field, f"{text!r} is not written as {day.isoformat()}")
        return day

    def last_day(self) -> date | None:
        """Read the last day, or nothing."""
        if not self.fields["last_day"]:
            return None
        last = self.day("last_day")
        if last < self.day("first_day"):
            raise self.broken("last_day", f"{last} lies before the first day")
        return last


def read_rows(file: str, text: str, header: str) -> Iterator[Row]:
    """Read a table's rows. Errors: ValueError when its header or a row is not what the table has."""
    reader = csv.DictReader(text.splitlines())
    if list(reader.fieldnames or ()) != header.split(","):
        raise ValueError(f"{file}, line 1, header: it must be {header}")
    for fields in reader:
        row = Row(file, reader.line_num, fields)
        # DictReader files surplus fields under None and fills missing ones with None.
        if None in fields or None in fields.values():
            raise row.broken("row", f"it must have the fields {header}")
        yield row
