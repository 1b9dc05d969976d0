"""The currencies that exist or existed, and the relations between them that the law fixed.

Read once at import from the CSV files beside this module; a broken row stops the import with a ValueError
that names its file, line and field. Each fact stands in one file only: what a currency turned into is joined
from the redenominations and the euro rates.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from fractions import Fraction
from hashlib import blake2b
from importlib import resources
from types import MappingProxyType

_CODE = re.compile(r"[A-Z]{3}")
# Fraction() alone would also take signs, exponents and underscores, none of which a law prints.
_EXACT = re.compile(r"[0-9]+(\.[0-9]+|/[0-9]+)?")


class Kind(StrEnum):
    """What sort of thing a currency code stands for."""

    CIRCULATING = "circulating"
    OFFSHORE = "offshore"
    OFFICIAL_RATE = "official-rate"
    ACCOUNTING = "accounting"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class Currency:
    """A currency and the days on which it was money.

    Both days are inclusive and `last_day` is None while it lives. `factor` units of it made one unit of its
    `successor`; both are None where nothing, or more than one currency, took its place.
    """

    code: str
    name: str
    minor_units: int | None
    kind: Kind
    first_day: date
    last_day: date | None
    successor: str | None
    factor: Fraction | None

    def lives_on(self, day: date) -> bool:
        """Whether it was money on that day."""
        return _within(self.first_day, day, self.last_day)


@dataclass(frozen=True, slots=True)
class Redenomination:
    """A change of unit: from `first_day` on, `factor` old units are one new unit.

    Where `old` equals `new` the unit changed under the same code, and a series breaks that day.
    """

    old: str
    new: str
    factor: Fraction
    first_day: date
    authority: str


@dataclass(frozen=True, slots=True)
class EuroRate:
    """The irrevocable rate of a currency that the euro replaced: its units per euro, from `fixed_on` on."""

    code: str
    rate: Fraction
    fixed_on: date
    authority: str


@dataclass(frozen=True, slots=True)
class Peg:
    """A hard peg: `factor` units of `code` for one unit of `anchor`, exactly, both days inclusive."""

    code: str
    anchor: str
    factor: Fraction
    authority: str
    first_day: date
    last_day: date | None

    def holds_on(self, day: date) -> bool:
        """Whether the peg was in force on that day."""
        return _within(self.first_day, day, self.last_day)


def _within(first: date, day: date, last: date | None) -> bool:
    return first <= day and (last is None or day <= last)


@dataclass(frozen=True, slots=True)
class _Row:
    """One line of a CSV file, which knows where it stands so that it can say what is wrong with it."""

    file: str
    line: int
    fields: Mapping[str, str]

    def broken(self, field: str, reason: str) -> ValueError:
        return ValueError(f"{self.file}, line {self.line}, {field}: {reason}")

    def text(self, field: str) -> str:
        text = self.fields[field]
        if not text or text != text.strip():
            raise self.broken(field, f"{text!r} is empty or has blanks around it")
        return text

    def code(self, field: str) -> str:
        text = self.text(field)
        if not _CODE.fullmatch(text):
            raise self.broken(field, f"{text!r} is not three capital letters")
        return text

    def kind(self, field: str) -> Kind:
        text = self.text(field)
        try:
            return Kind(text)
        except ValueError as error:
            raise self.broken(field, f"{text!r} is not one of {', '.join(Kind)}") from error

    def minor_units(self, field: str) -> int | None:
        text = self.fields[field]
        if not text:
            return None
        if not re.fullmatch(r"[0-9]", text):
            raise self.broken(field, f"{text!r} is not one digit")
        return int(text)

    def factor(self, field: str) -> Fraction:
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

    def day(self, field: str) -> date:
        text = self.text(field)
        try:
            day = date.fromisoformat(text)
        except ValueError as error:
            raise self.broken(field, f"{text!r} is not a day") from error
        if day.isoformat() != text:
            raise self.broken(field, f"{text!r} is not written as {day.isoformat()}")
        return day

    def last_day(self) -> date | None:
        if not self.fields["last_day"]:
            return None
        last = self.day("last_day")
        if last < self.day("first_day"):
            raise self.broken("last_day", f"{last} lies before the first day")
        return last


def _rows(file: str, text: str, header: str) -> Iterator[_Row]:
    reader = csv.DictReader(text.splitlines())
    if list(reader.fieldnames or ()) != header.split(","):
        raise ValueError(f"{file}, line 1, header: it must be {header}")
    for fields in reader:
        row = _Row(file, reader.line_num, fields)
        # DictReader files surplus fields under None and fills missing ones with None.
        if None in fields or None in fields.values():
            raise row.broken("row", f"it must have the fields {header}")
        yield row


def _redenominations(text: str) -> tuple[Redenomination, ...]:
    rows = _rows("redenominations.csv", text, "old,new,factor,first_day,authority")
    return tuple(
        Redenomination(
            old=row.code("old"),
            new=row.code("new"),
            factor=row.factor("factor"),
            first_day=row.day("first_day"),
            authority=row.text("authority"),
        )
        for row in rows
    )


def _euro_rates(text: str) -> Mapping[str, EuroRate]:
    rates: dict[str, EuroRate] = {}
    for row in _rows("euro_rates.csv", text, "code,rate,fixed_on,authority"):
        rate = EuroRate(
            code=row.code("code"),
            rate=row.factor("rate"),
            fixed_on=row.day("fixed_on"),
            authority=row.text("authority"),
        )
        if rate.code in rates:
            raise row.broken("code", f"{rate.code} stands here twice")
        rates[rate.code] = rate
    return MappingProxyType(dict(sorted(rates.items())))


def _pegs(text: str) -> tuple[Peg, ...]:
    rows = _rows("pegs.csv", text, "code,anchor,factor,authority,first_day,last_day")
    return tuple(
        Peg(
            code=row.code("code"),
            anchor=row.code("anchor"),
            factor=row.factor("factor"),
            authority=row.text("authority"),
            first_day=row.day("first_day"),
            last_day=row.last_day(),
        )
        for row in rows
    )


def _currencies(text: str, heirs: Mapping[str, tuple[str, Fraction]]) -> Mapping[str, Currency]:
    currencies: dict[str, Currency] = {}
    for row in _rows("currencies.csv", text, "code,name,minor_units,kind,first_day,last_day"):
        currency = _currency(row, heirs)
        if currency.code in currencies:
            raise row.broken("code", f"{currency.code} stands here twice")
        currencies[currency.code] = currency
    return MappingProxyType(dict(sorted(currencies.items())))


def _currency(row: _Row, heirs: Mapping[str, tuple[str, Fraction]]) -> Currency:
    code = row.code("code")
    successor, factor = heirs.get(code, (None, None))
    return Currency(
        code=code,
        name=row.text("name"),
        minor_units=row.minor_units("minor_units"),
        kind=row.kind("kind"),
        first_day=row.day("first_day"),
        last_day=row.last_day(),
        successor=successor,
        factor=factor,
    )


def _heirs(
    redenominations: Iterable[Redenomination], euro_rates: Iterable[EuroRate]
) -> Mapping[str, tuple[str, Fraction]]:
    found: dict[str, list[tuple[str, Fraction]]] = {}
    for change in redenominations:
        if change.old != change.new:
            found.setdefault(change.old, []).append((change.new, change.factor))
    for rate in euro_rates:
        found.setdefault(rate.code, []).append(("EUR", rate.rate))
    # A currency that split (CSK into CZK and SKK) goes on as neither: only the reader knows which is meant.
    return {code: heirs[0] for code, heirs in found.items() if len(heirs) == 1}


def _files() -> Mapping[str, bytes]:
    folder = resources.files(__package__)
    entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
    return {entry.name: entry.read_bytes() for entry in entries if entry.name.endswith(".csv")}


def _digest(files: Mapping[str, bytes]) -> str:
    digest = blake2b(digest_size=8)
    for name, content in files.items():
        # Name and length stand between the files, so that moving a row from one to the next shows.
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


_FILES = _files()
_DIGEST = _digest(_FILES)


def reference_digest() -> str:
    """Sixteen hex digits that change whenever any CSV file of this package changes.

    What is built from the tables keeps the digest beside it and is built anew when the two differ.
    """
    return _DIGEST


REDENOMINATIONS: tuple[Redenomination, ...] = _redenominations(_FILES["redenominations.csv"].decode())
EURO_RATES: Mapping[str, EuroRate] = _euro_rates(_FILES["euro_rates.csv"].decode())
PEGS: tuple[Peg, ...] = _pegs(_FILES["pegs.csv"].decode())
CURRENCIES: Mapping[str, Currency] = _currencies(
    _FILES["currencies.csv"].decode(), _heirs(REDENOMINATIONS, EURO_RATES.values())
)
