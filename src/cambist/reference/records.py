"""What a row of each table is: currencies and what the law fixed between them, coins, metals and what weighs them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction


class Kind(StrEnum):
    """What sort of thing a currency code stands for."""

    CIRCULATING = "circulating"
    OFFSHORE = "offshore"
    OFFICIAL_RATE = "official-rate"
    ACCOUNTING = "accounting"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class Life:
    """A run of days on which a code was money, both inclusive; `last_day` is None while it lives."""

    first_day: date
    last_day: date | None

    def holds(self, day: date) -> bool:
        """Whether it was money on that day."""
        return _within(self.first_day, day, self.last_day)


@dataclass(frozen=True, slots=True)
class Currency:
    """A currency and the days on which it was money.

    Most codes have one life. One that was given to new money years after the old was abandoned (ZWL) has two, oldest
    first; name and kind are those of the newest. `factor` units of it made one unit of its `successor`; both are None
    where nothing, or more than one currency, took its place.
    """

    code: str
    name: str
    minor_units: int | None
    kind: Kind
    lives: tuple[Life, ...]
    successor: str | None
    factor: Fraction | None

    @property
    def first_day(self) -> date:
        """The first day on which the code was money."""
        return self.lives[0].first_day

    @property
    def last_day(self) -> date | None:
        """The last day on which the code was money, None while it is."""
        return self.lives[-1].last_day

    def lives_on(self, day: date) -> bool:
        """Whether it was money on that day."""
        return any(life.holds(day) for life in self.lives)

    def other_money_since(self, day: date) -> date | None:
        """Give the day from which the code stands for other money than on `day` or right before it, None if never."""
        return next((life.first_day for life in self.lives[1:] if life.first_day > day), None)


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


@dataclass(frozen=True, slots=True)
class Coin:
    """A cryptocurrency, stablecoins among them."""

    symbol: str
    name: str


class MetalKind(StrEnum):
    """What a metal's price is of: a weight of the pure metal, or a weight of one contract grade."""

    PRECIOUS = "precious"
    BASE = "base"


@dataclass(frozen=True, slots=True)
class Metal:
    """A metal, and the handle of the unit of mass that its price is quoted for."""

    code: str
    name: str
    unit: str
    kind: MetalKind


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of mass: its handle, its display name, and how many grams it is, exactly."""

    handle: str
    name: str
    grams: Decimal


@dataclass(frozen=True, slots=True)
class Purity:
    """A named fineness of a precious metal: `code` is the stamp, `fineness` the parts per thousand that it means."""

    code: str
    name: str
    fineness: Decimal


@dataclass(frozen=True, slots=True)
class Grade:
    """The quality that a base metal's contract asks for: its handle, its name and the least percentage of the metal."""

    handle: str
    name: str
    min_purity_pct: Decimal


def _within(first: date, day: date, last: date | None) -> bool:
    return first <= day and (last is None or day <= last)
