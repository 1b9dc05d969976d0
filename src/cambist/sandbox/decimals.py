"""Decimal numbers in columns: digits and powers of ten, converted as exactly as one number is."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_EXACT = 22
"""The largest power of ten that is exact as a float: a division by it is rounded once."""

_TENS = np.array([10.0**power for power in range(_EXACT + 1)])
_LONGEST = 18
_POWERS = np.array([10**power for power in range(_LONGEST + 1)], np.int64)


class Decimals(NamedTuple):
    """Decimal numbers: `digits`, of which there are at most eight, times ten to the power of `exponents`."""

    digits: Ints
    exponents: Ints

    def fraction(self, row: int) -> Fraction:
        """Return the number of a row."""
        digits, exponent = self.digits[row].item(), self.exponents[row].item()
        return Fraction(digits, 10**-exponent) if exponent < 0 else Fraction(digits * 10**exponent)

    def is_same(self, other: Decimals) -> NDArray[np.bool_]:
        """Return for each row whether digits and exponent are those of other numbers."""
        same: NDArray[np.bool_] = (self.digits == other.digits) & (self.exponents == other.exponents)
        return same

    def floats(self) -> Floats:
        """Return the nearest float of each number."""
        return _divided(self.digits.astype(np.float64), self.exponents, self.fraction)

    def shortened(self) -> Decimals:
        """Return the same numbers without zeros after the last other decimal place, whole ones in full."""
        digits, exponents = self.digits.copy(), self.exponents.copy()
        rows = np.flatnonzero((exponents > 0) & (exponents <= _LONGEST - 8))
        digits[rows] *= _POWERS[exponents[rows]]
        exponents[rows] = 0
        rows = np.flatnonzero((exponents < 0) & (digits % 10 == 0))
        while len(rows):
            digits[rows] //= 10
            exponents[rows] += 1
            rows = rows[(exponents[rows] < 0) & (digits[rows] % 10 == 0)]
        return Decimals(digits, exponents)


def midpoints(bids: Decimals, asks: Decimals) -> Floats:
    """Return the nearest float to half of each sum. The exponents of the two sides differ by at most one."""
    exponents = np.minimum(bids.exponents, asks.exponents)
    sums = bids.digits * _POWERS[bids.exponents - exponents] + asks.digits * _POWERS[asks.exponents - exponents]
    return _divided(sums / 2, exponents, lambda row: (bids.fraction(row) + asks.fraction(row)) / 2)


def _divided(values: Floats, exponents: Ints, exactly: Callable[[int], Fraction]) -> Floats:
    """Return values times ten to the power of their exponents, computed `exactly` where floats cannot be trusted."""
    places = -exponents
    is_far = (places < 0) | (places > _EXACT)
    floats: Floats = values / _TENS[np.where(is_far, 0, places)]
    for row in np.flatnonzero(is_far).tolist():
        floats[row] = float(exactly(row))
    return floats
