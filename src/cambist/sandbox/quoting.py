"""Quoting: bid and ask around a price, with eight significant digits as a source would publish them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from fractions import Fraction

import numpy as np

from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.source_kind import Pace
from cambist.sandbox.decimals import Decimals, Floats
from cambist.sandbox.levels import share
from cambist.sandbox.volatility import PROFILES, VolatilityClass

DIGITS = 8
SANDBOX = Origin(Derivation.PUBLISHED, ("sandbox",), pace=Pace.REALTIME)
"""The origin of simulated quotes. Its pace is real-time, so that the rules of freshness apply to them."""

_POWERS = tuple(10**power for power in range(64))

_FARTHEST = 30
_ENLARGED_BY = np.array([float(f"1e{DIGITS - 1 - power}") for power in range(-_FARTHEST, _FARTHEST + 1)])
"""What a price is multiplied by to have its quoted digits before the point, by its power of ten."""

_UNSURE = 1e-6


TICK_SECONDS = 0.5
"""How often the simulated prices change: at each full and each half second."""


def last_tick(moment: datetime) -> datetime:
    """Return the last moment at which the simulated prices changed."""
    return moment.replace(microsecond=500_000 if moment.microsecond >= 500_000 else 0)


def spread_of(code: str, volatility_class: VolatilityClass) -> float:
    """Return the spread of a code as a fraction of its price. Each code has its own, within its volatility class."""
    profile = PROFILES[volatility_class]
    return (profile.least + (profile.most - profile.least) * share(code)) / 10_000


def quoted(pair: Pair, price: float, spread: float, as_of: datetime, received_at: datetime) -> Quote:
    """Return the quote of a price: half the spread below it and half above."""
    half = spread / 2
    bid, ask = rounded(price * (1 - half)), rounded(price * (1 + half))
    return Quote(pair, bid, ask, as_of, received_at, SANDBOX)


def rounded(price: float) -> Fraction:
    """Round a price to the quoted digits. The result is exactly that decimal."""
    digits, power = _digits(price)
    if power < 0:
        return Fraction(digits, _POWERS[-power])
    return Fraction(digits * _POWERS[power])


def _digits(price: float) -> tuple[int, int]:
    """Return the quoted digits of a price as an integer, and the power of ten that it is multiplied by."""
    text = f"{price:.7e}"
    return int(text[0] + text[2:9]), int(text[10:]) - (DIGITS - 1)


def rounded_together(prices: Floats) -> Decimals:
    """Round many prices to the quoted digits, each exactly as `rounded` does."""
    powers = np.floor(np.log10(prices)).astype(np.int64)
    places = np.clip(powers + _FARTHEST, 0, 2 * _FARTHEST)
    enlarged = prices * _ENLARGED_BY[places]
    nearest = np.rint(enlarged)
    digits, exponents = nearest.astype(np.int64), powers - (DIGITS - 1)
    is_next_power = digits == 10**DIGITS
    digits[is_next_power] //= 10
    exponents[is_next_power] += 1
    # Enlarging rounds too, by far less than this. Near a half only the exact way can tell.
    is_unsure = (np.abs(np.abs(enlarged - nearest) - 0.5) < _UNSURE) | (places != powers + _FARTHEST)
    for row in np.flatnonzero(is_unsure).tolist():
        digits[row], exponents[row] = _digits(float(prices[row]))
    return Decimals(digits, exponents)


def scaled(quote: Quote, factor: float, received_at: datetime) -> Quote:
    """Return a quote with its price times a factor, received at another moment."""
    if factor == 1:
        return replace(quote, received_at=received_at)
    bid, ask = (rounded(float(side) * factor) for side in (quote.bid, quote.ask))
    return replace(quote, bid=bid, ask=ask, received_at=received_at)
