"""A fixing: the rate that one source published for one day, stored as it was published."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

from msgspec import Struct

from cambist.pricing.pair import Pair
from cambist.reference.weights import UNITS

GRAM = "gram"
"""The unit of a fixing that prices a metal by the gram. A fixing without a unit uses the metal's own."""

GRAMS_OF_A_TROY_OUNCE = Fraction(UNITS["oz_t"].grams)


class Fixing(Struct, frozen=True, gc=False):
    """`nominal` units of the base cost `value` units of the quote currency, in the published direction and digits.

    `unit` is GRAM if a precious metal is priced by the gram. It is empty for a currency, and for a metal priced by its
    own unit, troy ounce or tonne. `published_at` is the time of publication (UTC), if the source states it.
    `rate_type` names the further type that the rate is of; empty if it is of the source's own type.
    """

    source: str
    pair: Pair
    day: date
    value: Decimal
    nominal: int = 1
    unit: str = ""
    published_at: datetime | None = None
    rate_type: str = ""

    @property
    def rate(self) -> Fraction:
        """The exact price of one unit of the base, of a precious metal one troy ounce, in the quote currency."""
        rate = Fraction(self.value) / self.nominal
        return rate * GRAMS_OF_A_TROY_OUNCE if self.unit == GRAM else rate


@dataclass(frozen=True, slots=True)
class DeliveryRecord:
    """One delivery from a source: when it was received (UTC), from where, and a hash of its content."""

    source: str
    received_at: datetime
    origin: str
    digest: str


@dataclass(frozen=True, slots=True)
class ReceivedFixing:
    """A fixing in the archive, with when and from where it was received. A correction is a second one.

    `delivery` is the number of the delivery, 0 where it is not known.
    """

    fixing: Fixing
    received_at: datetime
    origin: str
    delivery: int = field(default=0, compare=False)
    days: tuple[date, date] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class FilingResult:
    """How many fixings of a delivery were added, corrected or unchanged.

    `left_out` lists what could not be read, or is no rate. `delivery` is the number of the delivery, `days` are the
    first and the last that it is about, None without any fixing.
    """

    added: int
    corrected: int
    unchanged: int
    left_out: tuple[str, ...] = ()
    delivery: int = field(default=0, compare=False)
    days: tuple[date, date] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Coverage:
    """The part of a source that the archive has: the number of pairs, and the first and last day."""

    pairs: int
    first: date
    last: date
