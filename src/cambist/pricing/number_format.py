"""How a rate is written: ten significant digits, no exponent, never 0 (ADR 2)."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from math import isfinite

SHOWN_DIGITS = 10
_SHOWN = Context(prec=SHOWN_DIGITS, rounding=ROUND_HALF_UP)


_LEADING_ZEROS = {b"-%02d" % exponent: b":0." + b"0" * (exponent - 1) for exponent in range(5, 31)}
"""What precedes the digits of a small number, by its exponent."""

TIES_UP = 1 + 1e-15
"""A factor that lifts a float64 rate over its representation error, so that exact halves round up as in `plain`.

It exceeds the error of a cross of two midpoints, so that an exact half is never rounded down. What lies less than
1.8e-15 of itself below a half is rounded up too (ADR 2).
"""


def plain(value: Fraction) -> str:
    """Write an exact positive rate with ten significant digits, trailing zeros dropped, no exponent.

    Errors: ValueError for zero or a negative number.
    """
    if value <= 0:
        raise ValueError(f"{value} is not a rate")
    return trimmed(_SHOWN.divide(Decimal(value.numerator), Decimal(value.denominator)))


def plain_float(value: float) -> str:
    """Write a positive float64 rate as `plain` would write the exact rate.

    Errors: ValueError for zero, a negative number, an infinity or NaN.
    """
    if not (value > 0 and isfinite(value)):
        raise ValueError(f"{value} is not a rate")
    text = f"{value * TIES_UP:.{SHOWN_DIGITS}g}"
    return text if "e" not in text else without_exponents(b":" + text.encode())[1:].decode()


def without_exponents(numbers: bytes) -> bytes:
    """Rewrite the numbers of a JSON object that have an exponent, from `:1.5e-07` to `:0.00000015`.

    The letter e may occur in exponents only. A number takes half a microsecond, a third of a regular expression's time.
    """
    before, *parts = numbers.split(b"e")
    written: list[bytes] = []
    for part in parts:
        start, _, mantissa = before.rpartition(b":")
        exponent, before = part[:3], part[3:]
        zeros = _LEADING_ZEROS.get(exponent)
        if before[:1].isdigit():  # an exponent of three digits
            exponent, zeros, before = part[:4], None, part[4:]
        if zeros is None:
            written += start, b":", _plain_number(mantissa, int(exponent))
        else:
            written += start, zeros, mantissa[:1], mantissa[2:]
    return b"".join((*written, before))


def _plain_number(mantissa: bytes, exponent: int) -> bytes:
    digits = mantissa.replace(b".", b"")
    return digits.ljust(exponent + 1, b"0") if exponent > 0 else b"0." + b"0" * (-1 - exponent) + digits


def trimmed(value: Decimal) -> str:
    """Write a decimal without an exponent and without trailing zeros."""
    text = str(value)  # twice as fast as formatting, but it may have an exponent
    return trimmed_text(format(value, "f") if "E" in text else text)


def trimmed_text(number: str) -> str:
    """Return a number without the zeros at the end of its decimals."""
    return number.rstrip("0").rstrip(".") if "." in number else number


def half_up(numerator: int, denominator: int, places: int) -> str:
    """Write an exact amount with `places` decimals, whatever the number of digits before them.

    Halves are rounded up, those of a negative amount down, so that a refund is what was paid.
    """
    units = (2 * abs(numerator) * 10**places + denominator) // (2 * denominator)
    digits = format(Decimal(units), "f").zfill(places + 1)  # `str` refuses integers of thousands of digits
    sign = "-" if numerator < 0 and units else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else sign + digits
