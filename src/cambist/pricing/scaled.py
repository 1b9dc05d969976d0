"""Prices as scaled integers: up to eighteen digits and a power of ten, so that a published price is kept exactly."""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction

MOST_DIGITS = 18
"""What fits into a signed 64-bit integer."""

_LIMIT = 10**MOST_DIGITS
_ROUNDED = Context(prec=MOST_DIGITS)
_POWERS = tuple(10**power for power in range(128))
_FIVES = {5**power: power for power in range(128)}

_DECIMAL = {
    2**twos * 5**fives: (-max(twos, fives), 10 ** max(twos, fives) // (2**twos * 5**fives))
    for twos in range(MOST_DIGITS)
    for fives in range(MOST_DIGITS)
}
"""For each denominator of a decimal with fewer than eighteen places: minus their number, and what turns the numerator
into the digits."""


def scaled(value: Fraction) -> tuple[int, int, bool]:
    """Return digits, the power of ten to multiply them by, and whether that is exactly the price.

    A price that is not a decimal of at most eighteen digits is rounded to eighteen.
    """
    numerator, denominator = value.numerator, value.denominator
    known = _DECIMAL.get(denominator)
    if known is not None:
        digits = numerator * known[1]
        if -_LIMIT < digits < _LIMIT:
            return digits, known[0], True
    twos = (denominator & -denominator).bit_length() - 1
    fives = _FIVES.get(denominator >> twos)
    if fives is not None:
        places = max(twos, fives)
        digits = numerator * _POWERS[places] // denominator if places < len(_POWERS) else _LIMIT
        if -_LIMIT < digits < _LIMIT:
            return digits, -places, True
    rounded = _ROUNDED.divide(Decimal(numerator), Decimal(denominator))
    power = rounded.adjusted() - MOST_DIGITS + 1
    digits = int(rounded.scaleb(-power, _ROUNDED))
    if fives is None or Fraction(rounded) != value:
        return digits, power, False
    while digits % 10 == 0:
        digits, power = digits // 10, power + 1
    return digits, power, True


def unscaled(digits: int, power: int, *, is_exact: bool) -> Fraction:
    """Return the price that `scaled` was given, or one within 1e-17 of it if it was rounded."""
    return Fraction(*unscaled_ratio(digits, power, is_exact=is_exact))


def unscaled_ratio(digits: int, power: int, *, is_exact: bool) -> tuple[int, int]:
    """Return the price of `unscaled` as a ratio that is not reduced, which is fast.

    A price that was rounded is a third of its last digit more, and so no decimal: a computed price must not be taken
    for one that was published with eighteen digits.
    """
    parts = 1 if is_exact else 3
    digits = digits if is_exact else parts * digits + 1
    return (digits * _POWERS[power], parts) if power >= 0 else (digits, parts * _POWERS[-power])


def scaled_floats(bid: int, bid_power: int, ask: int, ask_power: int) -> tuple[float, float, float]:
    """Return the nearest floats to a scaled bid, to a scaled ask, and to their half."""
    lower = min(bid_power, ask_power, 0)
    bid, ask, unit = bid * _POWERS[bid_power - lower], ask * _POWERS[ask_power - lower], _POWERS[-lower]
    return bid / unit, ask / unit, (bid + ask) / (2 * unit)
