"""How a rate is written: ten significant digits, no exponent, never 0 (ADR 2)."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from math import isfinite

SHOWN_DIGITS = 10
_SHOWN = Context(prec=SHOWN_DIGITS, rounding=ROUND_HALF_UP)


TIES_UP = 1 + 1e-15
"""A factor that lifts a float64 rate over its representation error, so that exact halves round up as in `plain`."""


def plain(value: Fraction) -> str:
    """Write an exact positive rate with ten significant digits, trailing zeros dropped, no exponent."""
    return trimmed(shown_digits(value))


def shown_digits(value: Fraction) -> Decimal:
    """Round an exact positive rate to the ten digits that are shown. Errors: ValueError for zero or less."""
    if value <= 0:
        raise ValueError(f"{value} is not a rate")
    return _SHOWN.divide(Decimal(value.numerator), Decimal(value.denominator))


def plain_float(value: float) -> str:
    """Write a positive float64 rate as `plain` would write the exact rate.

    Errors: ValueError for zero, a negative number, an infinity or NaN.
    """
    text = f"{value * TIES_UP:.10g}"
    if "e" not in text and value > 0 and isfinite(value):
        return text
    return _plain_extreme(value)


def _plain_extreme(value: float) -> str:
    if not (value > 0 and isfinite(value)):
        raise ValueError(f"{value} is not a rate")
    return trimmed(Decimal(f"{value * TIES_UP:.{SHOWN_DIGITS - 1}e}"))


def trimmed(value: Decimal) -> str:
    """Write a decimal without an exponent and without trailing zeros."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def half_up(value: Fraction, places: int) -> Decimal:
    """Round an exact amount to `places` decimals, halves up, whatever the number of digits before the point."""
    numerator, denominator = value.numerator * 10**places, value.denominator
    units = (2 * numerator + denominator) // (2 * denominator)
    return Decimal(units).scaleb(-places, Context(prec=max(28, units.bit_length())))
