"""Quoting: bid and ask around a price, with eight significant digits as a source would publish them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from fractions import Fraction

from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.source_kind import Pace
from cambist.sandbox.levels import share
from cambist.sandbox.volatility import PROFILES, VolatilityClass

DIGITS = 8
SANDBOX = Origin(Derivation.PUBLISHED, ("sandbox",), pace=Pace.REALTIME)
"""The origin of simulated quotes. Its pace is real-time, so that the rules of freshness apply to them."""

_POWERS = tuple(10**power for power in range(64))


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
    text = f"{price:.7e}"
    digits, power = int(text[0] + text[2:9]), int(text[10:]) - (DIGITS - 1)
    if power < 0:
        return Fraction(digits, _POWERS[-power])
    return Fraction(digits * _POWERS[power])


def scaled(quote: Quote, factor: float, received_at: datetime) -> Quote:
    """Return a quote with its price times a factor, received at another moment."""
    if factor == 1:
        return replace(quote, received_at=received_at)
    bid, ask = (rounded(float(side) * factor) for side in (quote.bid, quote.ask))
    return replace(quote, bid=bid, ask=ask, received_at=received_at)
