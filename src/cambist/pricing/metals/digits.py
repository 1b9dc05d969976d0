"""How a metal's price is written: as a decimal with the digits of its source, and at least eight."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal, Inexact
from fractions import Fraction
from functools import lru_cache

LEAST_DIGITS = 8
COMPUTED_DIGITS = 10
"""The least number of digits of a computed price: as many as a rate has."""

_MOST_DIGITS = 20
_LARGE_POWER = 10**100
_AMPLE = Context(prec=100)
_EXACT = Context(prec=_MOST_DIGITS, traps=[Inexact])


@dataclass(frozen=True, slots=True)
class Sides:
    """Bid and ask as they are written, with the same number of decimal places."""

    bid: Decimal
    ask: Decimal

    @property
    def mid(self) -> Decimal:
        """The exact half between the written sides, with one more decimal place if it needs it."""
        half = _AMPLE.multiply(_AMPLE.add(self.bid, self.ask), Decimal("0.5"))
        same = half.quantize(self.bid, context=_AMPLE)
        return same if same == half else half

    @property
    def spread(self) -> Decimal:
        """The exact difference of the written sides."""
        return _AMPLE.subtract(self.ask, self.bid)


def digits_of(value: Fraction) -> int:
    """Return the number of significant digits of an exact price; 0 if it is not a decimal of at most twenty digits."""
    if _LARGE_POWER % value.denominator and value.denominator < _LARGE_POWER:
        return 0  # a periodic decimal, as most computed prices are: found without raising an exception
    try:
        quotient = _EXACT.divide(Decimal(value.numerator), Decimal(value.denominator))
    except Inexact:
        return 0
    return len(quotient.normalize(_EXACT).as_tuple().digits)


def rounded_sides(bid: Fraction, ask: Fraction, digits: int) -> Sides:
    """Round exact sides to at least `digits`, the digits of their source.

    The bid is rounded down and the ask up, so that the written spread is never narrower than the exact one. Equal sides
    are rounded alike. Errors: ValueError for a bid of zero or less, or above the ask.
    """
    # Compared as integers: to compare fractions takes as long as to round them.
    low, high = bid.numerator * ask.denominator, ask.numerator * bid.denominator
    if not 0 < low <= high:
        raise ValueError(f"{bid} to {ask} is no price")
    shown = max(digits, COMPUTED_DIGITS)
    down, up = (ROUND_FLOOR, ROUND_CEILING) if low < high else (ROUND_HALF_UP, ROUND_HALF_UP)
    sides = _rounded(bid, shown, down), _rounded(ask, shown, up)
    place = Decimal((0, (1,), min(0, *(_last_place(side) for side in sides))))
    return Sides(*(side.quantize(place, context=_AMPLE) for side in sides))


@lru_cache(maxsize=64)
def _context(digits: int, rounding: str) -> Context:
    return Context(prec=digits, rounding=rounding)


def _rounded(value: Fraction, digits: int, rounding: str) -> Decimal:
    context = _context(digits, rounding)
    return context.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize(context)


def _last_place(value: Decimal) -> int:
    """Return the exponent of the last digit shown of a decimal without trailing zeros."""
    return value.adjusted() + 1 - max(len(value.as_tuple().digits), LEAST_DIGITS)
