"""A fixing: one source's published rate for one day, kept as it was published."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

from cambist.pricing.pair import Pair
from cambist.reference.weights import UNITS

GRAM = "gram"
"""The unit of a fixing that prices a metal by the gram; without a unit it is the one that the metal trades in."""

GRAMS_OF_A_TROY_OUNCE = Fraction(UNITS["oz_t"].grams)


@dataclass(frozen=True, slots=True)
class Fixing:
    """`nominal` units of the base were worth `value` of the quote, in the direction and digits published.

    `unit` is GRAM where a precious metal is priced by the gram, else empty: a currency's own unit, a metal's troy ounce
    or tonne. `published_at` is when its source says that it published it (UTC), where it says so.
    """

    source: str
    pair: Pair
    day: date
    value: Decimal
    nominal: int = 1
    unit: str = ""
    published_at: datetime | None = None

    @property
    def rate(self) -> Fraction:
        """One unit of the base in quote units, exact; of a precious metal a troy ounce."""
        rate = Fraction(self.value) / self.nominal
        return rate * GRAMS_OF_A_TROY_OUNCE if self.unit == GRAM else rate


@dataclass(frozen=True, slots=True)
class Receipt:
    """One delivery by a source: when it was received (UTC), from where, and what its bytes hashed to."""

    source: str
    received_at: datetime
    origin: str
    digest: str


@dataclass(frozen=True, slots=True)
class ReceivedFixing:
    """A fixing as the archive holds it: when it was received and where it came from. A correction is a second one."""

    fixing: Fixing
    received_at: datetime
    origin: str


@dataclass(frozen=True, slots=True)
class FilingResult:
    """What a delivery changed in the archive, in fixings; `left_out` says what of it could not be read."""

    added: int
    corrected: int
    unchanged: int
    refused: int = 0
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RefusedFixing:
    """A fixing that was not accepted, and why."""

    fixing: Fixing
    reason: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a source the archive holds: its pairs, and the first and last day."""

    pairs: int
    first: date
    last: date
