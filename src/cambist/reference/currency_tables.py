"""The currencies that exist or existed, and the rates between them that are fixed by law.

The CSV files beside this module are read once at import; an invalid row raises a ValueError that names the file, the
line and the field. Each fact is in one file only: the successor of a currency is found from the redenominations and the
euro rates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from fractions import Fraction
from hashlib import blake2b
from importlib import resources
from types import MappingProxyType
from typing import Annotated

from msgspec import Meta, Struct

from cambist.reference.table_loader import Code, Table, Text

_ONE_DAY = timedelta(days=1)


class CurrencyKind(StrEnum):
    """What a currency code stands for."""

    CIRCULATING = "circulating"
    OFFSHORE = "offshore"
    OFFICIAL_RATE = "official-rate"
    ACCOUNTING = "accounting"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class Life:
    """The first and last day, both inclusive, on which a code was money; `last_day` is None if it still is."""

    first_day: date
    last_day: date | None

    def holds(self, day: date) -> bool:
        """Return whether the code was money on that day."""
        return _within(self.first_day, day, self.last_day)


@dataclass(frozen=True, slots=True)
class Currency:
    """A currency and the days on which it was money.

    Most codes have one life. A code that was reused years later for another currency (ZWL) has two, the oldest first;
    name and kind are those of the newest. `factor` units of it became one unit of its `successor`. Both are None if no
    currency replaced it, or more than one.
    """

    code: str
    name: str
    minor_units: int | None
    kind: CurrencyKind
    lives: tuple[Life, ...]
    successor: str | None
    factor: Fraction | None

    @property
    def first_day(self) -> date:
        """The first day on which the code was money."""
        return self.lives[0].first_day

    @property
    def last_day(self) -> date | None:
        """The last day on which the code was money; None if it still is."""
        return self.lives[-1].last_day

    def lives_on(self, day: date) -> bool:
        """Return whether the code was money on that day."""
        return any(life.holds(day) for life in self.lives)

    def next_reuse(self, day: date) -> date | None:
        """Return the first day after `day` on which the code was reused for another currency; None if there is none."""
        return next((life.first_day for life in self.lives[1:] if life.first_day > day), None)


class CurrencyRow(Struct, frozen=True):
    """One life of a code, as a row of the table."""

    code: Code
    name: Text
    minor_units: Annotated[int, Meta(ge=0, le=9)] | None
    kind: CurrencyKind
    first_day: date
    last_day: date | None

    def __post_init__(self) -> None:
        """Refuse a life that ends before it begins."""
        _check_days(self.first_day, self.last_day)


class Redenomination(Struct, frozen=True):
    """A change of unit: from `first_day` on, `factor` old units are one new unit.

    Where `old` equals `new` the unit changed under the same code, and a series breaks that day.
    """

    old: Code
    new: Code
    factor: Fraction
    first_day: date
    authority: Text


class EuroRate(Struct, frozen=True):
    """The irrevocable rate of a currency that the euro replaced: its units per euro, from `fixed_on` on."""

    code: Code
    rate: Fraction
    fixed_on: date
    authority: Text


class Peg(Struct, frozen=True):
    """A hard peg: `factor` units of `code` for one unit of `anchor`, exactly, both days inclusive."""

    code: Code
    anchor: Code
    factor: Fraction
    authority: Text
    first_day: date
    last_day: date | None

    def __post_init__(self) -> None:
        """Refuse a peg that ends before it begins."""
        _check_days(self.first_day, self.last_day)

    def holds_on(self, day: date) -> bool:
        """Return whether the peg was in force on that day."""
        return _within(self.first_day, day, self.last_day)


def _within(first: date, day: date, last: date | None) -> bool:
    return first <= day and (last is None or day <= last)


def _check_days(first: date, last: date | None) -> None:
    if last is not None and last < first:
        raise ValueError(f"last_day: {last} lies before the first day")


def _check_lives(row: CurrencyRow, before: Sequence[CurrencyRow]) -> None:
    last = next((each for each in reversed(before) if each.code == row.code), None)
    if last and not (last.last_day and last.last_day + _ONE_DAY < row.first_day):
        raise ValueError(f"code: {row.code} stands here twice, and no day without it lies between")


def currencies_of(
    rows: Iterable[CurrencyRow], successors: Mapping[str, tuple[str, Fraction]]
) -> Mapping[str, Currency]:
    """Return the currencies by code: their rows, and what each turned into with its factor."""
    currencies: dict[str, Currency] = {}
    for row in rows:
        before = currencies.get(row.code)
        successor, factor = successors.get(row.code, (None, None))
        currencies[row.code] = Currency(
            code=row.code,
            name=row.name,
            minor_units=row.minor_units,
            kind=row.kind,
            lives=(*(before.lives if before else ()), Life(row.first_day, row.last_day)),
            successor=successor,
            factor=factor,
        )
    return MappingProxyType(dict(sorted(currencies.items())))


def _successors(
    redenominations: Iterable[Redenomination], euro_rates: Iterable[EuroRate]
) -> Mapping[str, tuple[str, Fraction]]:
    found: dict[str, list[tuple[str, Fraction]]] = {}
    for change in redenominations:
        if change.old != change.new:
            found.setdefault(change.old, []).append((change.new, change.factor))
    for rate in euro_rates:
        found.setdefault(rate.code, []).append(("EUR", rate.rate))
    # A currency that split (CSK into CZK and SKK) has no single successor.
    return {code: successors[0] for code, successors in found.items() if len(successors) == 1}


def _files() -> Mapping[str, bytes]:
    folder = resources.files(__package__)
    entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
    return {entry.name: entry.read_bytes() for entry in entries if entry.name.endswith(".csv")}


def _digest(files: Mapping[str, bytes]) -> str:
    digest = blake2b(digest_size=8)
    for name, content in files.items():
        # Name and length separate the files, so that moving a row from one file to the next changes the digest.
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


_FILES = _files()
_DIGEST = _digest(_FILES)


def reference_digest() -> str:
    """Sixteen hex digits that change whenever any CSV file of this package changes.

    Files that are built from the tables contain the digest, and are built again when it differs.
    """
    return _DIGEST


HISTORY_TABLES = (
    "currencies.csv",
    "euro_rates.csv",
    "metals.csv",
    "minor_units.csv",
    "pegs.csv",
    "redenominations.csv",
    "units.csv",
)
"""The tables that the rates of past days depend on."""


def history_texts() -> dict[str, bytes]:
    """Return the tables that the rates of past days depend on, by file name."""
    return {name: _FILES[name] for name in HISTORY_TABLES}


CURRENCY_TABLE = Table("currencies.csv", CurrencyRow, check=_check_lives)
REDENOMINATION_TABLE = Table("redenominations.csv", Redenomination)
EURO_RATE_TABLE = Table("euro_rates.csv", EuroRate, unique=("code",))
PEG_TABLE = Table("pegs.csv", Peg)

REDENOMINATIONS: tuple[Redenomination, ...] = REDENOMINATION_TABLE.read()
PEGS: tuple[Peg, ...] = PEG_TABLE.read()
EURO_RATES: Mapping[str, EuroRate] = MappingProxyType(
    {rate.code: rate for rate in sorted(EURO_RATE_TABLE.read(), key=lambda rate: rate.code)}
)
CURRENCIES: Mapping[str, Currency] = currencies_of(
    CURRENCY_TABLE.read(), _successors(REDENOMINATIONS, EURO_RATES.values())
)
