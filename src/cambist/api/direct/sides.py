"""Bid and ask rounded in integers, to the digits that `pricing.metals.digits.rounded_sides` rounds fractions to.

Integers of forty digits are as exact as fractions, and take a quarter of the time of reducing and dividing them.
"""

from __future__ import annotations

from math import floor, log10

from cambist.api.direct.declined import Declined
from cambist.pricing.book_columns import ASK_EXACT, BID_EXACT
from cambist.pricing.metals.digits import COMPUTED_DIGITS, LEAST_DIGITS
from cambist.pricing.rate_book import RateBook
from cambist.pricing.scaled import unscaled_ratio

_POWERS = tuple(10**power for power in range(400))
_LONG = _POWERS[LEAST_DIGITS - 1]

Ratio = tuple[int, int]
"""A positive number as numerator and denominator, not reduced."""

Scaled = tuple[int, int]
"""A number as an integer and how many of its digits are decimals."""


def exact_sides(book: RateBook, code: str) -> tuple[Ratio, Ratio]:
    """Return bid and ask of one unit of a code in the pivot, as `Quote.sides` does. Errors: KeyError."""
    columns = book.columns
    slot = columns.names.codes[code]
    flags = columns.flags[slot]
    low = unscaled_ratio(columns.bid_digits[slot], columns.bid_power[slot], is_exact=bool(flags & BID_EXACT))
    high = unscaled_ratio(columns.ask_digits[slot], columns.ask_power[slot], is_exact=bool(flags & ASK_EXACT))
    return (low, high) if code == columns.names.instruments[slot][1].base else (high[::-1], low[::-1])


def rounded_to(bid: Ratio, ask: Ratio, digits: int = 0) -> tuple[Scaled, Scaled]:
    """Round a bid down and an ask up to at least `digits` significant digits; equal sides half up.

    Errors: Declined for what is no price.
    """
    (low, per_low), (high, per_high) = bid, ask
    one, other = low * per_high, high * per_low
    if not 0 < one <= other:
        raise Declined
    shown = max(digits, COMPUTED_DIGITS)
    if one == other:
        return (half := _rounded(low, per_low, shown, 1)), half
    return _rounded(low, per_low, shown, 0), _rounded(high, per_high, shown, 2)


def _rounded(numerator: int, denominator: int, shown: int, halves: int) -> Scaled:
    """Round to `shown` significant digits, after so many halves of the last one were added."""
    places = shown - 1 - floor(log10(numerator / denominator))
    while True:
        if places >= 0:
            scaled, per = numerator * _POWERS[places], denominator
        else:
            scaled, per = numerator, denominator * _POWERS[-places]
        whole = scaled // per
        if whole >= _POWERS[shown]:  # the logarithm was rounded
            places -= 1
        elif whole < _POWERS[shown - 1]:
            places += 1
        elif halves == 1:
            return (2 * scaled + per) // (2 * per), places
        else:
            return whole if halves == 0 or whole * per == scaled else whole + 1, places


def trimmed(number: Scaled) -> bytes:
    """Write a number without the zeros at the end of its decimals."""
    whole, places = number
    if places <= 0:
        return b"%d" % (whole * _POWERS[-places])
    before, decimals = _parted(whole, places)
    decimals = decimals.rstrip(b"0")
    return b"%b.%b" % (before, decimals) if decimals else before


def written(whole: int, places: int) -> bytes:
    """Write a number with all its decimals."""
    if not places:
        return b"%d" % whole
    return b"%b.%b" % _parted(whole, places)


def _parted(whole: int, places: int) -> tuple[bytes, bytes]:
    """Return the digits before the decimal point, and the decimals, of which there are some."""
    text = b"%d" % whole
    if len(text) <= places:
        text = text.rjust(places + 1, b"0")
    return text[:-places], text[-places:]


def at_one_place(bid: Scaled, ask: Scaled) -> tuple[int, int, int]:
    """Return bid and ask with the same number of decimals, and that: at least eight digits of each are shown."""
    if bid[0] % 10 and ask[0] % 10 and bid[0] >= _LONG and ask[0] >= _LONG:  # nearly all are so long
        places = max(0, bid[1], ask[1])
        return bid[0] * _POWERS[places - bid[1]], ask[0] * _POWERS[places - ask[1]], places
    lower, upper = _without_zeros(bid), _without_zeros(ask)
    places = max(0, _places(lower), _places(upper))
    return lower[0] * _POWERS[places - lower[1]], upper[0] * _POWERS[places - upper[1]], places


def _without_zeros(number: Scaled) -> Scaled:
    whole, places = number
    while not whole % 10:
        whole //= 10
        places -= 1
    return whole, places


def _places(number: Scaled) -> int:
    whole, places = number
    return places + max(0, LEAST_DIGITS - len(str(whole)))
