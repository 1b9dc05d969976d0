"""The loader of the reference tables: a CSV file beside this module, each row of it a record of one type."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from importlib import resources
from typing import Annotated, Any, Generic, TypeVar

import msgspec
from msgspec import Meta, Struct

from cambist.validation import split_validation_error

R = TypeVar("R", bound=Struct)
Text = Annotated[str, Meta(pattern=r"^\S(.*\S)?\Z")]
Code = Annotated[str, Meta(pattern=r"^[A-Z]{3}\Z")]
Handle = Annotated[str, Meta(pattern=r"^[a-z]+(_[a-z]+)*\Z")]

# Decimal() and Fraction() also accept signs, exponents and underscores, which no table needs.
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+|/0*[1-9][0-9]*)?")


@dataclass(frozen=True)
class Table(Generic[R]):
    """A CSV file: the type of its rows, the columns that are unique together, and a check against earlier rows.

    Both the type and `check` refuse a row with a ValueError that begins with the field, such as `last_day: …`.
    """

    file: str
    record: type[R]
    unique: tuple[str, ...] = ()
    check: Callable[[R, Sequence[R]], None] | None = None

    def read(self) -> tuple[R, ...]:
        """Read the file of the package. Errors: ValueError naming the file, the line and the field."""
        return self.parse(resources.files(__package__).joinpath(self.file).read_text(encoding="utf-8"))

    def parse(self, text: str) -> tuple[R, ...]:
        """Parse the text of such a file. Errors: ValueError naming the file, the line and the field."""
        records: list[R] = []
        seen: set[tuple[str, ...]] = set()
        numbers = [field.name for field in msgspec.structs.fields(self.record) if field.type in {Decimal, Fraction}]
        for line, row in self._rows(text):
            try:
                record = _convert(row, self.record, numbers)
                self._check_unique(row, seen)
                if self.check:
                    self.check(record, records)
            except ValueError as error:
                raise ValueError(f"{self.file}, line {line}, {error}") from error
            records.append(record)
        return tuple(records)

    def _check_unique(self, row: Mapping[str, str], seen: set[tuple[str, ...]]) -> None:
        key = tuple(row[field] for field in self.unique)
        if key in seen:
            raise ValueError(f"{self.unique[-1]}: {' '.join(key)} stands here twice")
        if key:
            seen.add(key)

    def _rows(self, text: str) -> Iterator[tuple[int, dict[str, str]]]:
        header = ",".join(self.record.__struct_fields__)
        reader = csv.DictReader(text.splitlines())
        if ",".join(reader.fieldnames or ()) != header:
            raise ValueError(f"{self.file}, line 1, header: it must be {header}")
        for row in reader:
            # DictReader files surplus fields under None and fills missing ones with None.
            if None in row or None in row.values():
                raise ValueError(
                    f"{self.file}, line {reader.line_num}, row: it must have the fields {','.join(header)}"
                )
            yield reader.line_num, row


def _convert(row: Mapping[str, str], kind: type[R], numbers: Sequence[str]) -> R:
    """Convert a row into a record; an empty field is None. Errors: ValueError that begins with the field."""
    for field in numbers:
        if not _NUMBER.fullmatch(row[field]) or Fraction(row[field]) == 0:
            raise ValueError(f"{field}: {row[field]!r} is not a plain number above zero")
    try:
        return msgspec.convert(
            {name: text or None for name, text in row.items()}, kind, strict=False, dec_hook=_convert_field
        )
    except msgspec.ValidationError as error:
        field, reason = split_validation_error(error)
        raise ValueError(f"{field}: {row[field]!r} is refused: {reason}" if field else reason) from error


def _convert_field(kind: Callable[[str], Any], text: str) -> Any:
    """Convert a field to a type that msgspec does not support itself: Fraction."""
    return kind(text)
