"""A fixing: one source's published rate for one day, kept as it was published."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

from cambist.market.pair import Pair


@dataclass(frozen=True, slots=True)
class Fixing:
    """`nominal` units of the base were worth `value` of the quote, in the direction and digits published."""

    source: str
    pair: Pair
    day: date
    value: Decimal
    nominal: int = 1

    @property
    def rate(self) -> Fraction:
        """One unit of the base in quote units, exact."""
        return Fraction(self.value) / self.nominal


@dataclass(frozen=True, slots=True)
class Receipt:
    """One delivery by a source: when it was received (UTC), from where, and what its bytes hashed to."""

    source: str
    received_at: datetime
    origin: str
    digest: str


@dataclass(frozen=True, slots=True)
class Known:
    """A fixing as the archive holds it: when it was received and where it came from. A correction is a second one."""

    fixing: Fixing
    received_at: datetime
    origin: str


@dataclass(frozen=True, slots=True)
class Filed:
    """What a delivery changed in the archive, in fixings."""

    added: int
    corrected: int
    unchanged: int
