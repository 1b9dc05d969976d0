"""How a number is written: ten significant digits, plain notation, never 0 (ADR 2)."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from math import isfinite

SHOWN_DIGITS = 10
_SHOWN = Context(prec=SHOWN_DIGITS, rounding=ROUND_HALF_UP)


TIES_UP = 1 + 1e-15
"""Lifts a float64 rate over the error of its crossing, so that an exact half is rounded up as `plain` rounds it."""


def plain(value: Fraction) -> str:
    """Write an exact positive rate with ten significant digits, trailing zeros dropped, no exponent."""
    return trimmed(shown_digits(value))


def shown_digits(value: Fraction) -> Decimal:
    """Round an exact positive rate to the ten significant digits that are shown.

    Errors: ValueError for zero or less: neither is a rate.
    """
    if value <= 0:
        raise ValueError(f"{value} is not a rate")
    return _SHOWN.divide(Decimal(value.numerator), Decimal(value.denominator))


def plain_float(value: float) -> str:
    """Write a positive float64 rate as `plain` would write the rate that it stands for.

    Errors: ValueError for zero, a negative, an infinity or NaN: none of these is a rate.
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
    """Write a decimal in plain notation without the zeros that say nothing."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def half_up(value: Fraction, places: int) -> Decimal:
    """Round an exact amount to `places` decimals, a half going up, with no digit lost before it."""
    numerator, denominator = value.numerator * 10**places, value.denominator
    units = (2 * numerator + denominator) // (2 * denominator)
    return Decimal(units).scaleb(-places, Context(prec=max(28, units.bit_length())))
